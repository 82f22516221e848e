/** Kinds of database errors, without loading the driver. */

/** read_only_sql_transaction: a standby's answer to a write. */
export const READ_ONLY = '25006';

/** SQLSTATEs and socket errors that mean "the database is unavailable", not "the statement is wrong". */
const UNAVAILABLE = new Set([
  // CommitInDoubt: see durability.ts.
  '40003',
  // query_canceled: the database is overloaded.
  '57014',
  '57P01',
  '57P02',
  '57P03',
  // idle_in_transaction_session_timeout: this process was stopped inside a transaction.
  '25P03',
  '53300',
  '53100',
  '53200',
  READ_ONLY,
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Citus's errors for a node that it cannot reach, or lost inside a transaction. */
const LOST_NODE =
  /^(?:connection to the remote node (?:[^\s@]{1,80}@)?|could not establish any connections to the node |failure on connection marked as essential: )(\S{1,300}:\d{1,5})/;
/** libpq's words where a node gave no SQLSTATE: Citus passes them on as XX000. */
const LOST_CONNECTION =
  /^(?:server closed the connection unexpectedly|no connection to the server|connection not open|could not (?:receive|send) data|SSL connection has been closed|SSL SYSCALL error|terminating connection due to|$)/;
/** A node that ends, or starts, says so itself. */
const ENDING = new Set(['57P01', '57P02', '57P03']);
const AT_NODE = /while executing command on (\S{1,300}:\d{1,5})/;

/** The node of a distributed database, `host:port`, that cannot be reached; null: another failure. */
export function lostNode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const named = LOST_NODE.exec(error.message)?.[1];
  if (named !== undefined) return named;
  const { code, where } = error as { code?: unknown; where?: unknown };
  if (typeof where !== 'string') return null;
  const isLost =
    (code === 'XX000' && LOST_CONNECTION.test(error.message)) ||
    (typeof code === 'string' && ENDING.has(code));
  return isLost ? (AT_NODE.exec(where)?.[1] ?? null) : null;
}

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (lostNode(error) !== null) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && UNAVAILABLE.has(code)) return true;
  return /Connection terminated|terminating connection due to|Query read timeout|timeout exceeded when trying to connect|timeout expired|not queryable|the database system is/.test(
    error.message,
  );
}

export function sqlState(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** The database could not be reached within the wait. */
export class DatabaseAway extends Error {
  constructor(waitMs: number, cause: unknown) {
    super(`the database could not be reached within ${waitMs / 1000} s: ${reasonOf(cause)}`, { cause });
    this.name = 'DatabaseAway';
  }
}

/** If all addresses of a name fail, the error has no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
