import { createApiKey, endApiKey, readApiKeys } from '../accounts/api-keys/operations.ts';
import { presentKey } from '../accounts/api-keys/routes.ts';
import { readTenant } from '../accounts/tenants/operations.ts';
import { SCOPES, type Scope } from '../platform/http/http.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { facts, table } from './output.ts';
import { withServices } from './services.ts';
import { EXAMPLE_ID, moreLine, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf } from './shared-options.ts';

const NAME_MAX_CHARS = 200;

const create = defineCommand({
  name: 'keys create',
  summary: 'Creates an API key and shows it once',
  options: {
    ...TENANT_OPTION,
    name: { type: 'string', value: '<name>', doc: 'name of the key: what it is for', required: true },
    scope: {
      type: 'string',
      value: '<scope>',
      doc: `one of ${SCOPES.join(', ')}; repeatable (default: all)`,
      multiple: true,
    },
  },
  examples: [
    'acuse keys create --name "web shop" --scope messages:send --scope evidence:read',
    'acuse keys create --name ops --json',
  ],
  async run({ options, out, env }) {
    const scopes = readScopes(options.scope);
    if (options.name.trim() === '' || options.name.length > NAME_MAX_CHARS)
      throw new CommandError(EXIT.usage, 'usage', `--name takes 1 to ${NAME_MAX_CHARS} characters`);
    const made = await withServices(env, 'keys create', async (services) => {
      const { tenantId } = await readTenant(services, await tenantOf(services, options.tenant));
      return createApiKey(services, tenantId, { name: options.name, scopes }, null);
    });
    const answer = {
      id: made.apiKeyId,
      name: made.name,
      scopes: made.scopes,
      key: made.key,
      created_at: made.createdAt.toISOString(),
    };
    out.answer(answer, () =>
      facts([
        ['id', answer.id],
        ['scopes', answer.scopes.join(' ')],
        ['key', answer.key],
      ]),
    );
    out.note('the key is shown only once: store it now');
    return EXIT.ok;
  },
});

const list = defineCommand({
  name: 'keys list',
  summary: "Lists an account's API keys, newest first",
  options: { ...TENANT_OPTION, ...PAGE_OPTIONS },
  examples: ['acuse keys list', `acuse keys list --tenant ${EXAMPLE_ID} --json`],
  async run({ options, out, env }) {
    const page = pageOf('keys list', options);
    const answer = await withServices(env, 'keys list', async (services) =>
      readApiKeys(services, await tenantOf(services, options.tenant), page, presentKey),
    );
    const lines = answer.data.map((key) => [
      key.id,
      key.last_used_at ?? 'never used',
      key.scopes.join(' '),
      key.name,
    ]);
    out.answer(answer, () => [
      table(['ID', 'LAST USED', 'SCOPES', 'NAME'], lines, 'no keys'),
      ...moreLine(answer.next_cursor),
    ]);
    return EXIT.ok;
  },
});

const revoke = defineCommand({
  name: 'keys revoke',
  summary: 'Revokes an API key; this cannot be undone',
  args: [{ name: 'id', doc: 'id of the key' }],
  options: TENANT_OPTION,
  examples: [`acuse keys revoke ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    await withServices(env, 'keys revoke', async (services) =>
      endApiKey(services, await tenantOf(services, options.tenant), args[0]!),
    );
    out.answer({ id: args[0], revoked: true }, () => `revoked ${args[0]}`);
    return EXIT.ok;
  },
});

export const keyCommands: readonly Command[] = [create, list, revoke];

function readScopes(given: readonly string[]): Scope[] {
  if (given.length === 0) return [...SCOPES];
  const unknown = given.filter((scope) => !SCOPES.some((known) => known === scope));
  if (unknown.length > 0)
    throw new CommandError(EXIT.usage, 'usage', `--scope takes ${SCOPES.join(', ')}, not "${unknown[0]}"`);
  return SCOPES.filter((scope) => given.includes(scope));
}
