/** Shared by the tools of one connection: a client with one key, the walls, and no memory of calls. */
import { type Account, Acuse } from '@acuse/client';
import type { Config } from './config.ts';
import { Serial } from './guard/serial.ts';
import { Refusal } from './refusal.ts';
import { VERSION } from './version.ts';

/** stdio: one person's own machine. http: many keys, no files. */
export type Way = 'stdio' | 'http';

export interface Session {
  readonly acuse: Acuse;
  readonly config: Config;
  readonly way: Way;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** Keeps sends of one account one after the other. */
  readonly serial: Serial;
  readonly log: (line: string) => void;
  /** Aborted once the client is gone. */
  readonly gone: AbortSignal | undefined;
  readonly onGoodKey: () => void;
}

/** Sends of this process, whatever connection they come from. */
const SERIAL = new Serial();

export interface SessionOptions {
  readonly apiKey: string | undefined;
  readonly config: Config;
  readonly way: Way;
  /** In place of a client of its own: for tests. */
  readonly acuse?: Acuse;
  readonly clock?: () => number;
  readonly log?: (line: string) => void;
  readonly gone?: AbortSignal | undefined;
  readonly onGoodKey?: () => void;
}

/** Throws ConfigurationError for a key or an address that cannot work. */
export function openSession(options: SessionOptions): Session {
  const { apiKey = '', config, way, acuse, clock, log, gone, onGoodKey = () => {} } = options;
  const appInfo = `acuse-mcp/${VERSION}`;
  return {
    acuse: acuse ?? new Acuse({ apiKey, baseUrl: config.baseUrl, appInfo }),
    config,
    way,
    clock: clock ?? Date.now,
    serial: SERIAL,
    log: log ?? ((line) => process.stderr.write(`acuse-mcp: ${line}\n`)),
    gone,
    onGoodKey,
  };
}

/** Rights of the key. */
export interface Rights {
  readonly read: boolean;
  readonly render: boolean;
  readonly send: boolean;
}

export const NO_RIGHTS: Rights = { read: false, render: false, send: false };

/** Sending needs both scopes: what is sent is counted from the list of messages. */
export function rightsOf(account: Account, config: Config): Rights {
  const scopes = account.api_key?.scopes ?? [];
  const read = scopes.includes('evidence:read');
  const render = scopes.includes('messages:send');
  return { read, render, send: read && render && isWalled(account, config) };
}

/** Mail of a sandbox goes nowhere but its own mailbox; elsewhere somebody must have named the recipients. */
export function isWalled(account: Account, config: Config): boolean {
  return account.sandbox || config.recipients !== null;
}

/** The account and the id of the calling key. Asked each time: what it says may have changed. */
export async function callingAccount(session: Session): Promise<{ account: Account; keyId: string }> {
  const account = await session.acuse.account.get({ signal: session.gone });
  if (account.api_key === null)
    throw new Refusal('unauthorized', 'This is not an API key.', 'Report this to the person who set it up.');
  // RFC 8707 §2: a token for another server is none here, however good it is there.
  const { resource } = account.api_key;
  if (resource !== undefined && resource !== session.config.url)
    throw new Refusal(
      'unauthorized',
      'This token is for another MCP server.',
      'Report this to the person who set it up.',
    );
  session.onGoodKey();
  return { account, keyId: account.api_key.id };
}
