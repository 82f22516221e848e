/** The outbox: messages that are written in the caller's own transaction and sent afterwards, each once. */
import { jsonText } from './body.ts';
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { AcuseError, ApiError, CancelledError, ConfigurationError } from './errors.ts';
import { readIdempotencyKey } from './keys.ts';
import type { CallOptions } from './options.ts';
import { ACCEPTED, ADD, CLAIM, RECORD, REFUSED } from './outbox-generated.ts';
import type { Message, Send } from './types-generated.ts';

/** Messages of a call, unless the caller says otherwise. */
const LIMIT = 100;
/** Characters of an error that the table keeps. */
const ERROR_MAX_CHARS = 1_000;

/** The part of a connection that the outbox needs: a Client, PoolClient or Pool of `pg` is one. */
export interface OutboxConnection {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>;
}

/** Options of `sendOutbox`. */
export interface OutboxOptions extends CallOptions {
  /** The most messages that the call takes on. Default: 100. */
  readonly limit?: number | undefined;
}

/**
 * Writes a message and its key into the outbox, in the transaction that `connection` is in: if that is rolled
 * back, nothing is sent. False: the key is in the outbox already, and nothing was written.
 */
export async function addToOutbox(
  connection: OutboxConnection,
  message: Send,
  idempotencyKey: string,
): Promise<boolean> {
  if (idempotencyKey === undefined) throw new ConfigurationError('A message of the outbox needs a key.');
  const values = [readIdempotencyKey(idempotencyKey), jsonText(message)];
  return (await connection.query(ADD, values)).rowCount === 1;
}

interface Claimed {
  readonly id: string;
  readonly idempotency_key: string;
  readonly message: string;
  readonly attempts: number;
}

/** The outcome of an attempt, as RECORD takes it: state, message id, error, seconds to wait. */
type Came = readonly ['sent' | 'waiting' | 'refused', string | null, string | null, number];

/** Sends what is due. Answers how many messages came to their end: sent or refused. */
export async function sendDue(
  calls: Calls,
  connection: OutboxConnection,
  { limit = LIMIT, ...options }: OutboxOptions,
): Promise<number> {
  for (let ended = 0; ended < limit; ended++) {
    const [row] = (await connection.query(CLAIM, [])).rows as Claimed[];
    if (row === undefined) return ended;
    const came = await attempt(calls, row, options);
    await connection.query(RECORD, [...came, row.id, row.attempts]);
    // A cause such as a service that is down would make the next wait too.
    if (came[0] === 'waiting') return ended;
  }
  return limit;
}

/** The bytes are those of the row: whoever sends it again, in whatever language, sends the same. */
async function attempt(calls: Calls, row: Claimed, options: CallOptions): Promise<Came> {
  const { idempotency_key: idempotencyKey, message } = row;
  const body = new TextEncoder().encode(message);
  try {
    const { value } = await calls.run(OPERATIONS['messages.send'], { body, idempotencyKey, options });
    return ['sent', (value as Message).id, null, 0];
  } catch (error) {
    if (!(error instanceof AcuseError) || error instanceof CancelledError) throw error;
    if (error instanceof ApiError && error.code === ACCEPTED) return ['sent', null, null, 0];
    const text = error.message.slice(0, ERROR_MAX_CHARS);
    if (!(error instanceof ApiError)) return ['waiting', null, text, 0];
    const isRefused = REFUSED.includes(error.status) && !error.code.startsWith('http_');
    return [isRefused ? 'refused' : 'waiting', null, `${error.code}: ${text}`, error.retryAfter ?? 0];
  }
}
