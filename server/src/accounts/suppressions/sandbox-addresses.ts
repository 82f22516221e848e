/**
 * What suppression means at sandbox.test, the domain whose addresses behave as their local part says: an
 * automatic entry (a bounce, a complaint) is recorded and refuses nothing, so that `bounced` and `complained`
 * work every time; `suppressed` is refused always. Pure.
 */

export const SANDBOX_DOMAIN = 'sandbox.test';

/** The address whose mail is always refused as suppressed. */
export const SUPPRESSED_NAME = 'suppressed';

const AT_SANDBOX = `@${SANDBOX_DOMAIN}`;
const TAGGED = `${SUPPRESSED_NAME}+`;

/** `address`: as suppression lists compare it. */
export function isAlwaysSuppressed(address: string): boolean {
  if (!address.endsWith(AT_SANDBOX) || !address.startsWith(SUPPRESSED_NAME)) return false;
  return address.length === SUPPRESSED_NAME.length + AT_SANDBOX.length || address.startsWith(TAGGED);
}
