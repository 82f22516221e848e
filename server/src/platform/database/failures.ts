/** How the database fails: told apart without loading what talks to it. */

/** read_only_sql_transaction: what a standby says to whoever wants to write. */
export const READ_ONLY = '25006';

/**
 * SQLSTATE classes and codes, and socket errors, that mean "the database is not there now", not "the
 * statement is wrong".
 */
const UNAVAILABLE = new Set([
  // Not known to be on the standby: durability.ts.
  '40003',
  // A statement that took too long: the database is there, and has too much to do.
  '57014',
  '57P01',
  '57P02',
  '57P03',
  // We were stopped in the middle of a transaction, for longer than the server waits.
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

/**
 * True when the error says that the database could not be reached or had to give up, so that the same call
 * may succeed later.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && UNAVAILABLE.has(code)) return true;
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|not queryable|the database system is/.test(
    error.message,
  );
}

/** The SQLSTATE of a PostgreSQL error, or null. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** The wait is over, and the database was not there. */
export class DatabaseAway extends Error {
  constructor(waitMs: number, cause: unknown) {
    super(`the database could not be reached within ${waitMs / 1000} s: ${reasonOf(cause)}`, { cause });
    this.name = 'DatabaseAway';
  }
}

/** Several addresses of one name fail together, without a message of their own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
