/** Settings of this server's operator. An agent cannot change any of them. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressList, readAddressList } from './guard/address.ts';

/** Bytes of a secret of one's own, at least: those of the HMAC. */
const SECRET_MIN_BYTES = 32;
const DEFAULT_PER_HOUR = 20;
/** Highest values that the two budgets take. */
const BUDGET_MAX = 100_000;

/** Something in the environment cannot work; the message names the variable and the fix. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

export interface Config {
  readonly baseUrl: string;
  /** To whom agents may send and have answers go; null: nobody named anything. */
  readonly recipients: AddressList | null;
  /** As whom agents may send; null: whatever the account's senders allow. */
  readonly from: AddressList | null;
  /** Signs previews and confirmations. */
  readonly secret: Uint8Array;
  /** ask: a person must confirm. preview: where the client cannot ask, a preview is enough. */
  readonly confirm: 'ask' | 'preview';
  readonly perHour: number;
  readonly centsPerDay: number;
  /** Folder of attachments and proof bundles; null: none. Never used over HTTP. */
  readonly files: string | null;
  /** Policy that proof bundles are checked against, as JSON; null: none pinned. */
  readonly policy: string | null;
  /** Host names, besides those of this machine, under which HTTP requests may come. */
  readonly hosts: readonly string[];
  /** The address under which clients reach this server, which tokens are for; null: keys only, no OAuth. */
  readonly url: string | null;
}

/** Reads and checks every variable. Throws SettingError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const url = ownUrl(env['ACUSE_MCP_URL']);
  const hosts = (env['ACUSE_MCP_HOSTS'] ?? '').split(/[\s,]+/).filter((host) => host !== '');
  return {
    baseUrl: addressOf(env),
    recipients: list('ACUSE_MCP_RECIPIENTS', env['ACUSE_MCP_RECIPIENTS']),
    from: list('ACUSE_MCP_FROM', env['ACUSE_MCP_FROM']),
    secret: secretOf(env['ACUSE_MCP_SECRET']),
    confirm: confirmOf(env['ACUSE_MCP_CONFIRM']),
    perHour: count('ACUSE_MCP_PER_HOUR', env['ACUSE_MCP_PER_HOUR'], DEFAULT_PER_HOUR),
    centsPerDay: count('ACUSE_MCP_CENTS_PER_DAY', env['ACUSE_MCP_CENTS_PER_DAY'], 0),
    files: env['ACUSE_MCP_FILES'] || null,
    policy: policyOf(env['ACUSE_MCP_POLICY']),
    hosts: url === null ? hosts : [...new Set([...hosts, new URL(url).hostname])],
    url,
  };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** As the service writes it, so that both compare as texts. */
function ownUrl(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new SettingError(
      `ACUSE_MCP_URL must be an https URL, such as https://mcp.example.com/mcp, or http at localhost, not ${text}.`,
    );
  let { href } = url;
  while (href.endsWith('/')) href = href.slice(0, -1);
  return href;
}

/** ACUSE_BASE_URL is what it was called before. There is no default: a key must not go where nobody said. */
function addressOf(env: Readonly<Record<string, string | undefined>>): string {
  const address = env['ACUSE_URL'] || env['ACUSE_BASE_URL'];
  if (!address) throw new SettingError('ACUSE_URL: set it to the address of the service.');
  return address;
}

function list(name: string, text: string | undefined): AddressList | null {
  if (text === undefined || text.trim() === '') return null;
  const read = readAddressList(text);
  if ('wrong' in read)
    throw new SettingError(`${name}: ${read.wrong} is not an address, an @domain or *. Correct it.`);
  return read;
}

function secretOf(text: string | undefined): Uint8Array {
  if (text === undefined || text === '') return randomBytes(SECRET_MIN_BYTES);
  const secret = new TextEncoder().encode(text);
  if (secret.length < SECRET_MIN_BYTES)
    throw new SettingError(
      `ACUSE_MCP_SECRET has ${secret.length} bytes; give at least ${SECRET_MIN_BYTES} random ones, or leave it out.`,
    );
  return secret;
}

function confirmOf(text: string | undefined): 'ask' | 'preview' {
  if (text === undefined || text === '' || text === 'ask') return 'ask';
  if (text === 'preview') return 'preview';
  throw new SettingError('ACUSE_MCP_CONFIRM must be ask or preview.');
}

function count(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= BUDGET_MAX)) throw new SettingError(`${name} must be an integer from 0 to ${BUDGET_MAX}.`);
  return value;
}

function policyOf(path: string | undefined): string | null {
  if (path === undefined || path === '') return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SettingError('ACUSE_MCP_POLICY must be the path of a readable JSON file.', { cause });
  }
}
