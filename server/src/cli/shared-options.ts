import { hostname, userInfo } from 'node:os';
import { readTenants } from '../accounts/tenants/operations.ts';
import type { Environment } from '../config/config.ts';
import { LISTENER_PORTS } from '../config/config-variables.ts';
import { type Page, readPageQuery } from '../platform/http/page.ts';
import { CommandError, EXIT, usage } from './command.ts';
import { type Output, table } from './output.ts';
import type { CommandServices } from './services.ts';

export const EXAMPLE_ID = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f';

export const TENANT_OPTION = {
  tenant: { type: 'string', value: '<id>', doc: 'id of the account; optional while there is only one' },
} as const;

export const PAGE_OPTIONS = {
  limit: { type: 'string', value: '<n>', doc: 'number of entries, 1 to 100 (default: 20)' },
  after: { type: 'string', value: '<cursor>', doc: 'next_cursor of the previous page' },
} as const;

export const PORTS_OPTION = {
  ports: {
    type: 'string',
    value: 'auto',
    doc: 'auto: free ports in place of the usual ones, for a second instance; sandbox.json says which',
  },
} as const;

/** Port 0 for listeners that are not configured. */
export function withPorts(env: Environment, given: string | undefined): Environment {
  if (given === undefined) return env;
  if (given !== 'auto') throw usage(`--ports takes auto, not "${given}"`);
  const free = LISTENER_PORTS.filter((name) => (env[name] ?? '').trim() === '');
  return { ...env, ...Object.fromEntries(free.map((name) => [name, '0'])) };
}

export async function tenantOf(services: CommandServices, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const [first, second] = await readTenants(services, null, 2);
  if (first === undefined)
    throw new CommandError(
      EXIT.failed,
      'no_tenant',
      'there is no account yet: create one with acuse tenants create --name <name>',
    );
  if (second !== undefined)
    throw usage('there are several accounts: choose one with --tenant <id> (acuse tenants list)');
  return first.tenantId;
}

/** `list`: the command, which its cursors belong to. */
export function pageOf(
  list: string,
  { limit, after }: { limit: string | undefined; after: string | undefined },
): Page {
  return readPageQuery({ limit: limit === undefined ? undefined : wholeNumber('limit', limit), after }, list);
}

/** The answer of a command that lists. */
export function answerPage(
  out: Output,
  answer: { readonly next_cursor: string | null },
  heads: readonly string[],
  lines: readonly (readonly string[])[],
  none: string,
): void {
  out.answer(answer, () => [table(heads, lines, none), ...moreLine(answer.next_cursor)]);
}

export function moreLine(nextCursor: string | null): string[] {
  return nextCursor === null ? [] : [`more: --after ${nextCursor}`];
}

export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw usage(`--${option} takes a whole number, not "${text}"`);
  return Number(text);
}

export const BY_OPTION = {
  by: { type: 'string', value: '<name>', doc: 'name of the operator (default: your login on this machine)' },
} as const;
export const REASON_MAX_CHARS = 500;
const WHO_MAX_CHARS = 200;

export function whoRuns(given: string | undefined): string {
  return oneLine('by', given ?? `${userInfo().username}@${hostname()}`, WHO_MAX_CHARS);
}

export function oneLine(option: string, text: string, maxChars: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxChars || /\p{Cc}/u.test(trimmed))
    throw usage(`--${option} takes 1 to ${maxChars} characters on one line`);
  return trimmed;
}

/** Options that choose messages in the queue. */
export const WHAT_OPTIONS = {
  destination: { type: 'string', value: '<domain>', doc: 'domain of the recipients' },
  tenant: { type: 'string', value: '<id>', doc: 'id of the account' },
} as const;
