/**
 * What a browser may do with the pages of the web applications: load from and talk to this server alone. Of
 * Trusted Types there is one policy, which lets through the address of our own worker and nothing else.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types acuse";

/** For a year, subdomains left alone: they may be somebody else's. */
const HSTS = 'max-age=31536000';

/** Header fields of each answer that a web application is made of. */
export function webHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': HSTS }),
  };
}
