import { endLeakedKey } from '../accounts/api-keys/leak.ts';
import { readNarrowing } from '../accounts/api-keys/narrowing.ts';
import { createApiKey, endApiKey, readApiKeys } from '../accounts/api-keys/operations.ts';
import { presentKey, presentLeak, presentNarrowing } from '../accounts/api-keys/routes.ts';
import { fromCommandLine } from '../accounts/audit/append.ts';
import { readTenant } from '../accounts/tenants/operations.ts';
import { LEAK_PARTS } from '../app/leak-parts.ts';
import { READ_ONLY_PARTS, type ReadOnlyPart, SCOPES, type Scope } from '../platform/http/http.ts';
import { type Command, defineCommand, usage } from './command.ts';
import { facts, table } from './output.ts';
import { withServices } from './services.ts';
import { answerPage, EXAMPLE_ID, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf } from './shared-options.ts';

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
    sender: {
      type: 'string',
      value: '<address>',
      doc: 'an address, or *@domain, that it may have in From; repeatable (default: all of the account)',
      multiple: true,
    },
    network: {
      type: 'string',
      value: '<network>',
      doc: 'an address or network (CIDR) that it may be used from; repeatable (default: all)',
      multiple: true,
    },
    expires: { type: 'string', value: '<time>', doc: 'when it stops working, as 2027-01-31T00:00:00Z' },
    'read-only': {
      type: 'string',
      value: '<part>',
      doc: `what it may read but not change: ${READ_ONLY_PARTS.join(', ')}; repeatable`,
      multiple: true,
    },
    'needs-approval': {
      type: 'boolean',
      doc: 'a person approves each send in the portal before it goes out',
    },
  },
  examples: [
    'acuse keys create --name agent --scope messages:send --needs-approval',
    'acuse keys create --name shop --scope messages:send --sender "*@example.com" --network 192.0.2.0/24',
    'acuse keys create --name "web shop" --scope messages:send --scope evidence:read',
    'acuse keys create --name ops --json',
  ],
  async run({ options, out, env }) {
    const scopes = readScopes(options.scope);
    const narrowing = readNarrowing(
      {
        senders: given(options.sender),
        networks: given(options.network),
        expires_at: options.expires,
        read_only: readReadOnly(options['read-only']),
        needs_approval: options['needs-approval'],
      },
      new Date(),
    );
    if (options.name.trim() === '' || options.name.length > NAME_MAX_CHARS)
      throw usage(`--name takes 1 to ${NAME_MAX_CHARS} characters`);
    const made = await withServices(env, 'keys create', async (services) => {
      const { tenantId } = await readTenant(services, await tenantOf(services, options.tenant));
      const { kind, id, name } = fromCommandLine('keys');
      const input = { name: options.name, scopes, narrowing, maker: { kind, id, name } };
      return createApiKey(services, tenantId, input, null);
    });
    const answer = {
      id: made.apiKeyId,
      name: made.name,
      scopes: made.scopes,
      key: made.key,
      created_at: made.createdAt.toISOString(),
      ...presentNarrowing(made.narrowing, made.maker),
    };
    out.answer(answer, () =>
      facts([
        ['id', answer.id],
        ['scopes', answer.scopes.join(' ')],
        ['key', answer.key],
      ]),
    );
    out.note('the key is shown only once: store it now');
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
      key.last_used_from ?? '',
      key.created_by?.name ?? '',
      narrowingText(key),
      key.scopes.join(' '),
      key.name,
    ]);
    answerPage(
      out,
      answer,
      ['ID', 'LAST USED', 'FROM', 'MADE BY', 'NARROWED', 'SCOPES', 'NAME'],
      lines,
      'no keys',
    );
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
  },
});

const leaked = defineCommand({
  name: 'keys leaked',
  summary: 'Revokes a leaked API key and what it made, and lists what it did',
  args: [{ name: 'id', doc: 'id of the key' }],
  options: TENANT_OPTION,
  examples: [`acuse keys leaked ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    const source = fromCommandLine('keys');
    const leak = await withServices(env, 'keys leaked', async (services) =>
      endLeakedKey(
        { ...services, ...LEAK_PARTS },
        await tenantOf(services, options.tenant),
        args[0]!,
        source,
      ),
    );
    const answer = presentLeak(leak);
    out.answer(answer, () => [
      ...answer.revoked_keys.map(({ id, name }) => `revoked key ${id} ${name}`),
      ...answer.deleted_webhooks.map(({ id, url }) => `deleted webhook ${id} ${url}`),
      `sent ${answer.messages.count} messages, the last at ${answer.messages.last_at ?? 'no time'}`,
      table(
        ['AT', 'FROM', 'ACTION', 'TARGET'],
        answer.changes.map((each) => [
          each.occurred_at,
          each.client_address ?? '',
          each.action,
          each.target ?? '',
        ]),
        'no changes',
      ),
    ]);
  },
});

export const keyCommands: readonly Command[] = [create, list, revoke, leaked];

function given(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

function readReadOnly(values: readonly string[]): ReadOnlyPart[] {
  const unknown = values.find((value) => !READ_ONLY_PARTS.some((part) => part === value));
  if (unknown !== undefined) throw usage(`--read-only takes ${READ_ONLY_PARTS.join(', ')}, not "${unknown}"`);
  return READ_ONLY_PARTS.filter((part) => values.includes(part));
}

function narrowingText(key: ReturnType<typeof presentKey>): string {
  const { senders, networks, expires_at, read_only, needs_approval } = key;
  return [
    ...(senders ?? []),
    ...(networks ?? []),
    ...(expires_at === null ? [] : [`until ${expires_at}`]),
    ...read_only.map((part) => `${part} read-only`),
    ...(needs_approval ? ['needs approval'] : []),
  ].join(' ');
}

function readScopes(given: readonly string[]): Scope[] {
  if (given.length === 0) return [...SCOPES];
  const unknown = given.filter((scope) => !SCOPES.some((known) => known === scope));
  if (unknown.length > 0) throw usage(`--scope takes ${SCOPES.join(', ')}, not "${unknown[0]}"`);
  return SCOPES.filter((scope) => given.includes(scope));
}
