/**
 * At sandbox.test, automatic entries are recorded without effect, so that `bounced` and `complained` work
 * every time; `suppressed` is always refused. Pure.
 */

export const SANDBOX_DOMAIN = 'sandbox.test';

export const SUPPRESSED_NAME = 'suppressed';

const AT_SANDBOX = `@${SANDBOX_DOMAIN}`;
const TAGGED = `${SUPPRESSED_NAME}+`;

export function isAlwaysSuppressed(address: string): boolean {
  if (!address.endsWith(AT_SANDBOX) || !address.startsWith(SUPPRESSED_NAME)) return false;
  return address.length === SUPPRESSED_NAME.length + AT_SANDBOX.length || address.startsWith(TAGGED);
}
