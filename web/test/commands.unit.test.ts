import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../admin/src/shell/commands.ts';
import { CALLS, call, get, ID } from './support/console-calls.ts';

/** Operations that no command repeats: most are about the session itself. */
const WITHOUT_COMMAND = [
  ...['signIn', 'getSession', 'signOut', 'giveSecondFactor', 'reauthenticate', 'getSelf', 'updateSelf'],
  ...['beginPasskeySignIn', 'beginPasskeyProof', 'setPassword', 'listOwnSessions', 'endOwnSession'],
  ...[
    'endOtherOwnSessions',
    'beginTotp',
    'confirmTotp',
    'endTotp',
    'renewRecoveryCodes',
    'beginPasskey',
    'addPasskey',
  ],
  ...['listPasskeys', 'updatePasskey', 'removePasskey'],
  ...[
    'findMessages',
    'exportFoundMessages',
    'retryOperatorMessage',
    'openMessageContent',
    'getOpenedContent',
    'getOpenedPart',
  ],
  ...['importGlobalSuppressions', 'exportGlobalSuppressions'],
  ...['getTenantUsage', 'getTenantRates', 'listTenantAudit', 'listAudit', 'getBilling'],
  ...['retryQueueSelection', 'cancelQueueSelection', 'listBatches', 'listChecks', 'getCheck'],
  ...['listTenantWebhooks', 'followInstallation'],
];

describe('the commands that the console shows', () => {
  const lines = CALLS.flatMap((each) => commandsOf(each));

  test('each call of the table has one, with nothing of the call lost', () => {
    expect(CALLS.filter((each) => commandsOf(each).length === 0)).toEqual([]);
    expect(lines).toContain(
      `acuse tenants create --name='L'\\''Oficina & Co.' --default-certified=false --quota=10`,
    );
    expect(lines).toContain(`acuse messages erase ${ID} --reason='ticket 4711' --force`);
  });

  test('a call that asks for what no option says has none, nor has what no command does', () => {
    expect(commandsOf(get('/tenants?q=example'))).toEqual([]);
    expect(commandsOf(get('/tenants?limit=50&after=of-this-list'))).toEqual([]);
    expect(commandsOf(call('PATCH', `/tenants/${ID}`, { source_pool: null }))).toEqual([]);
    expect(commandsOf(get('/billing?month=2026-11'))).toEqual([]);
  });

  test('every operation of contract/admin.json has a command or is listed as having none', () => {
    const { paths } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../contract/admin.json', import.meta.url)), 'utf8'),
    ) as { paths: Record<string, Record<string, { operationId: string }>> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    const without = operations.filter(
      ({ path, method }) =>
        !CALLS.some(
          (each) =>
            each.method === method.toUpperCase() &&
            new RegExp(`^/v1/admin${each.path.split('?')[0]!.replace(/[.*+^$()|[\]\\]/g, '\\$&')}$`).test(
              filled(path, each.path),
            ),
        ),
    );
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([...WITHOUT_COMMAND].sort());
  });
});

/** The template's parameters as the call has them. */
function filled(template: string, path: string): string {
  const parts = path.split('?')[0]!.split('/');
  return template
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (parts[at - 2] ?? part) : part))
    .join('/');
}
