import type { ApiCall } from '../../../shared/api/calls.ts';

/**
 * Which `acuse` command does what a call of the console did. Calls that no command repeats have none: the
 * console answers to sessions alone, so that there is no call with a key to show instead.
 */
export function commandsOf(call: ApiCall): readonly string[] {
  const [path = '', query = ''] = call.path.split('?');
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const entry = COMMANDS.find(([method, pattern]) => method === call.method && fits(pattern, parts));
  if (entry === undefined) return [];
  const ids = parts.filter((_, at) => entry[1].split('/')[at + 1] === '*');
  const given: Given = {
    ids,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: typeof call.body === 'object' && call.body !== null ? { ...call.body } : {},
  };
  const made = entry[2](given);
  return made === null ? [] : [made].flat();
}

interface Given {
  readonly ids: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Null: this call asks for something that the command cannot be told. */
type Write = (given: Given) => string | readonly string[] | null;

/** The command is told a person's address, the call their id: the reader puts the address in. */
const ADDRESS = '"$EMAIL"';
/** A command's pages have cursors of their own. */
const PAGE = { limit: 'limit' };
const SETTINGS = {
  name: 'name',
  status: 'status',
  source_pool: 'source-pool',
  default_certified: 'default-certified',
  require_ready_domains: 'require-ready-domains',
  plain_record_days: 'plain-record-days',
  quota_messages_month: 'quota',
  quota_plain_messages_month: 'plain-quota',
  price_per_message_cents: 'price',
  price_per_plain_message_cents: 'plain-price',
};

/** Method, path with a star for each parameter, and the command. */
const COMMANDS: readonly (readonly [method: string, pattern: string, write: Write])[] = [
  ['GET', '/overview', () => ['acuse queue list', 'acuse sealing status']],
  ['GET', '/tenants', ({ query }) => written('acuse tenants list', query, PAGE)],
  ['GET', '/tenants/*', () => 'acuse tenants list'],
  ['POST', '/tenants', ({ body }) => written('acuse tenants create', body, SETTINGS)],
  ['PATCH', '/tenants/*', ({ ids, body }) => written(`acuse tenants update ${of(ids)}`, body, SETTINGS)],
  ['GET', '/tenants/*/api-keys', ofTenant('acuse keys list')],
  ['DELETE', '/tenants/*/api-keys/*', ({ ids: [tenant, key] }) => withTenant('keys revoke', key, tenant)],
  ['GET', '/tenants/*/domains', ofTenant('acuse domains list')],
  ['POST', '/tenants/*/domains/*/vouch', ({ ids: [tenant, id] }) => withTenant('domains vouch', id, tenant)],
  ['GET', '/tenants/*/members', ({ query }) => written('acuse users list', query, PAGE)],
  [
    'POST',
    '/tenants/*/members',
    ({ ids, body: { email, ...rest } }) =>
      written(`${withTenant('users link', email, ids[0])}`, rest, { name: 'name', role: 'role' }),
  ],
  ['GET', '/tenants/*/queue', ({ ids }) => `acuse queue show --tenant ${of(ids)}`],

  [
    'GET',
    '/queue',
    ({ query }) =>
      written('acuse queue list', query, {
        ...{ by: 'by', destination: 'destination', tenant_id: 'tenant', limit: 'limit' },
      }),
  ],
  ['GET', '/queue/destinations/*', ({ ids }) => `acuse queue show --destination ${of(ids)}`],
  [
    'GET',
    '/queue/selection',
    ({ query }) => written('acuse queue show', query, { destination: 'destination', tenant_id: 'tenant' }),
  ],
  ['PUT', '/queue/pauses/destinations/*', pauses('destination')],
  ['PUT', '/queue/pauses/tenants/*', pauses('tenant')],
  ['DELETE', '/queue/pauses/destinations/*', ({ ids }) => `acuse queue resume --destination ${of(ids)}`],
  ['DELETE', '/queue/pauses/tenants/*', ({ ids }) => `acuse queue resume --tenant ${of(ids)}`],

  ['GET', '/queue/notes', ({ query }) => written('acuse queue notes', query, { destination: 'destination' })],
  [
    'PUT',
    '/queue/notes/*/*',
    ({ ids: [destination, note], body }) =>
      written(`acuse queue note --destination ${quoted(destination)} --note ${quoted(note)}`, body, {
        ...{ value: 'value', reason: 'reason', days: 'days' },
      }),
  ],
  [
    'DELETE',
    '/queue/notes/*/*',
    ({ ids: [destination, note] }) =>
      `acuse queue forget --destination ${quoted(destination)} --note ${quoted(note)}`,
  ],

  ['GET', '/queue/caps', () => 'acuse queue caps'],
  ['POST', '/queue/caps', ({ body }) => capCommand(body)],
  ['DELETE', '/queue/caps/*', ({ ids }) => `acuse queue uncap ${of(ids)}`],

  ['GET', '/messages/*', ({ ids }) => `acuse queue show ${of(ids)}`],
  ['POST', '/messages/*/cancel', ({ ids }) => `acuse queue cancel ${of(ids)}`],
  [
    'POST',
    '/messages/*/erase',
    ({ ids, body }) => written(`acuse messages erase ${of(ids)}`, body, { reason: 'reason', force: 'force' }),
  ],

  ['GET', '/sealing', ({ query }) => written('acuse sealing status', query, { month: 'month' })],
  ['GET', '/sealing/authorities', () => 'acuse sealing status'],
  ['GET', '/sealing/costs', ({ query }) => written('acuse sealing status', query, { month: 'month' })],
  ['GET', '/sealing/witnesses', () => 'acuse sealing status'],
  ['POST', '/sealing/renewals', () => 'acuse renew'],
  ['POST', '/sealing/checks', () => 'acuse fsck'],

  ['GET', '/suppressions', ({ query }) => written('acuse suppressions list --global', query, PAGE)],
  [
    'POST',
    '/suppressions',
    ({ body: { address, ...rest } }) =>
      written(`acuse suppressions add ${quoted(address)} --global`, rest, { reason: 'reason' }),
  ],
  ['DELETE', '/suppressions/*', ({ ids }) => `acuse suppressions remove ${of(ids)} --global`],

  ['GET', '/role-mail', ({ query }) => written('acuse role-mail list', query, { ...PAGE, role: 'role' })],
  ['GET', '/role-mail/*/raw', ({ ids }) => `acuse role-mail show ${of(ids)}`],
  ['DELETE', '/role-mail/*', ({ ids }) => `acuse role-mail delete ${of(ids)}`],

  ['GET', '/retention', () => 'acuse retention status'],
  ['GET', '/configuration', () => 'acuse config'],

  ['GET', '/operators', ({ query }) => written('acuse operators list', query, PAGE)],
  [
    'POST',
    '/operators',
    ({ body: { email, ...rest } }) =>
      written(`acuse operators add ${quoted(email)}`, rest, { name: 'name', role: 'role' }),
  ],
  ['POST', '/operators/*/link', () => `acuse operators link ${ADDRESS}`],
  [
    'PATCH',
    '/operators/*',
    ({ body }) => written(`acuse operators update ${ADDRESS}`, body, { role: 'role' }),
  ],
  ['DELETE', '/operators/*', () => `acuse operators remove ${ADDRESS}`],
  ['DELETE', '/operators/*/second-factor', () => `acuse operators reset ${ADDRESS}`],
];

function fits(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern.split('/').slice(1);
  return wanted.length === parts.length && wanted.every((each, at) => each === '*' || each === parts[at]);
}

function ofTenant(command: string): Write {
  return ({ ids, query }) => written(`${command} --tenant ${of(ids)}`, query, PAGE);
}

function pauses(option: string): Write {
  return ({ ids, body }) => written(`acuse queue pause --${option} ${of(ids)}`, body, { reason: 'reason' });
}

function withTenant(command: string, id: unknown, tenant: unknown): string {
  return `acuse ${command} ${quoted(id)} --tenant ${quoted(tenant)}`;
}

function of([first]: readonly string[]): string {
  return quoted(first);
}

/** The command with its options. Null where a value is given that has no option, or is to be none. */
function written(
  command: string,
  values: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, string>>,
): string | null {
  const words = [command];
  for (const [name, value] of Object.entries(values)) {
    const option = options[name];
    if (value === undefined) continue;
    if (option === undefined || value === null) return null;
    if (option !== 'force') words.push(`--${option}=${quoted(value)}`);
    else if (value === true) words.push('--force');
  }
  return words.join(' ');
}

function capCommand({
  period,
  steps,
  warms_up: warmsUp,
  source,
  ...rest
}: Readonly<Record<string, unknown>>) {
  const options = { receiver: 'destination', reason: 'reason', days: 'days', steps: 'steps' };
  const numbers = Array.isArray(steps) ? steps.join(',') : undefined;
  if (warmsUp === true)
    return written(`acuse queue warm-up ${quoted(source)}`, { ...rest, steps: numbers }, options);
  return written(
    'acuse queue cap',
    { source, ...rest, steps: numbers },
    {
      ...{ ...options, source: 'source', tenant_id: 'tenant', source_pool: 'pool' },
      steps: period === 'hour' ? 'per-hour' : 'per-day',
    },
  );
}

/** For a POSIX shell. */
function quoted(value: unknown): string {
  const text = String(value);
  return /^[\w.@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
