/**
 * Refused: the database and this code do not belong together, or the login may not do what is needed. The
 * message says what to do.
 */
export class MigrationError extends Error {
  override name = 'MigrationError';
}
