import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { commandsOf } from '../admin/src/shell/commands.ts';
import type { ApiCall } from '../shared/api/calls.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

const ID = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f';
const OTHER_ID = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e70';

/** Calls of the console that a command repeats, with everything that the screens give. */
const CALLS: readonly ApiCall[] = [
  get('/overview'),
  get('/tenants?limit=50'),
  get(`/tenants/${ID}`),
  call('POST', '/tenants', { name: "L'Oficina & Co.", default_certified: false, quota_messages_month: 10 }),
  call('PATCH', `/tenants/${ID}`, {
    ...{ name: '-x $(id)', status: 'suspended', source_pool: 'default', default_certified: true },
    ...{ quota_messages_month: 1, quota_plain_messages_month: 2 },
    ...{ price_per_message_cents: 3, price_per_plain_message_cents: 4 },
  }),
  get(`/tenants/${ID}/api-keys?limit=50`),
  call('DELETE', `/tenants/${ID}/api-keys/${OTHER_ID}`),
  get(`/tenants/${ID}/domains?limit=50`),
  call('POST', `/tenants/${ID}/domains/${OTHER_ID}/vouch`),
  get(`/tenants/${ID}/members?limit=50`),
  call('POST', `/tenants/${ID}/members`, { email: 'ana@example.com', name: 'Ana López', role: 'owner' }),
  get(`/tenants/${ID}/queue`),
  get('/queue?by=age&destination=example.com&limit=20'),
  get('/queue/destinations/example.com'),
  get('/queue/selection?destination=example.com'),
  call('PUT', '/queue/pauses/destinations/example.com', { reason: 'ticket 4711' }),
  call('PUT', `/queue/pauses/tenants/${ID}`, { reason: "they don't" }),
  call('DELETE', '/queue/pauses/destinations/example.com'),
  call('DELETE', `/queue/pauses/tenants/${ID}`),
  get(`/messages/${ID}`),
  call('POST', `/messages/${ID}/cancel`),
  call('POST', `/messages/${ID}/erase`, { reason: 'ticket 4711', force: true }),
  get('/sealing?month=2026-11'),
  get('/sealing/authorities'),
  get('/sealing/costs?month=2026-11'),
  get('/sealing/witnesses'),
  call('POST', '/sealing/renewals'),
  call('POST', '/sealing/checks'),
  get('/suppressions?limit=50'),
  call('POST', '/suppressions', { address: "o'hara@example.com", reason: 'asked' }),
  call('DELETE', '/suppressions/ana%40example.com'),
  get('/retention'),
  get('/configuration'),
  get('/operators?limit=50'),
  call('POST', '/operators', { email: 'ana@example.com', name: 'Ana', role: 'support' }),
  call('POST', `/operators/${ID}/link`),
  call('PATCH', `/operators/${ID}`, { role: 'admin' }),
  call('DELETE', `/operators/${ID}`),
  call('DELETE', `/operators/${ID}/second-factor`),
];

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
  ...['retryOperatorMessage', 'openMessageContent', 'getOpenedContent', 'getOpenedPart'],
  ...['importGlobalSuppressions', 'exportGlobalSuppressions'],
  ...['getTenantUsage', 'getTenantRates', 'listTenantAudit', 'listAudit', 'getBilling'],
  ...['retryQueueSelection', 'cancelQueueSelection', 'listBatches', 'listChecks', 'getCheck'],
  ...['listTroubledWebhooks', 'followInstallation'],
];

function get(path: string): ApiCall {
  return call('GET', path);
}

function call(method: string, path: string, body?: unknown): ApiCall {
  return { method, path, body };
}

function builtCommand(): string {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(`the server does not build: ${program.error}`);
  return program.path;
}

/**
 * What a shown line says when a shell runs it where the service is misconfigured: that, once the command line
 * itself is right, and no command goes further.
 */
async function said(line: string): Promise<string> {
  const script = `acuse() { "$NODE" "$ACUSE" "$@"; }\n${line}`;
  const env = {
    ...{
      PATH: process.env['PATH'] ?? '',
      NODE: process.execPath,
      ACUSE: builtCommand(),
      EMAIL: 'ana@example.com',
    },
    ACUSE_PORT: 'none',
  };
  return promisify(execFile)('sh', ['-c', script], { env }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

describe('the commands that the console shows', () => {
  const shown = CALLS.flatMap((each) => commandsOf(each).map((line) => ({ line })));

  test('each call of the table has one, with nothing of the call lost', () => {
    expect(CALLS.filter((each) => commandsOf(each).length === 0)).toEqual([]);
    expect(shown.map(({ line }) => line)).toContain(
      `acuse tenants create --name='L'\\''Oficina & Co.' --default-certified=false --quota=10`,
    );
    expect(shown.map(({ line }) => line)).toContain(
      `acuse messages erase ${ID} --reason='ticket 4711' --force`,
    );
  });

  test('a call that asks for what no option says has none, nor has what no command does', () => {
    expect(commandsOf(get('/tenants?q=example'))).toEqual([]);
    expect(commandsOf(get('/tenants?limit=50&after=of-this-list'))).toEqual([]);
    expect(commandsOf(call('PATCH', `/tenants/${ID}`, { source_pool: null }))).toEqual([]);
    expect(commandsOf(get('/billing?month=2026-11'))).toEqual([]);
  });

  test('the command line takes each of them, as a shell hands it on', async () => {
    const answers: string[] = [];
    const waiting = [...shown];
    const runSome = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        answers.push(`${next.line}: ${await said(next.line)}`);
    };
    await Promise.all([runSome(), runSome(), runSome()]);
    expect(answers).toHaveLength(shown.length);
    expect(answers.filter((answer) => !answer.includes('ACUSE_PORT'))).toEqual([]);
    expect(await said('acuse queue lits')).toContain('unknown command');
    expect(await said('acuse queue list --bye=age')).toContain('unknown option');
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

describe.skipIf(!hasBrowser)('the same as code in the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test.each([
    { locale: 'en-US', title: 'The same as code', none: 'No command does what this page does.' },
    { locale: 'es-MX', title: 'Lo mismo en código', none: 'Ningún comando hace lo que hace esta página.' },
  ])('a page shows its commands, and one without says so ($locale)', async ({ locale, title, none }) => {
    const { page, visit, close } = await portal.asOperator({ locale });
    await visit('/queue?by=tenant');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText('acuse queue list --by=tenant', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await visit('/billing');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText(none).waitFor();
    await close();
  });
});
