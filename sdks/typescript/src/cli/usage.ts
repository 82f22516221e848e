/** The command line cannot be run. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
