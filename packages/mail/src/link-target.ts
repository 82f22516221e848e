/** Facts about an address in a message, and how it is read. */

/** Characters of an address; longer ones are cut. Browsers take more, and no server does. */
export const URL_MAX_CHARS = 8_192;

/** Collects what readers of text find. */
export interface Findings {
  link(url: string, text: string): void;
  remote(url: string): void;
  /** True: enough was found, so that reading on is useless. */
  readonly full: boolean;
}

/**
 * The address that a browser opens: white space and line breaks out, host in A-labels, relative ones resolved
 * where the message says against what. Null for a place in the message itself. URL Standard, "basic URL
 * parser".
 */
export function targetOf(given: string, base: string | null): string | null {
  const text = given
    .slice(0, URL_MAX_CHARS)
    .replace(/[\t\n\r]/g, '')
    .trim();
  if (text === '' || text.startsWith('#')) return null;
  // Without a page around it there is no scheme to take over.
  const whole = text.startsWith('//') && base === null ? `https:${text}` : text;
  try {
    return (base === null ? new URL(whole) : new URL(whole, base)).href;
  } catch {
    return whole.toWellFormed();
  }
}
