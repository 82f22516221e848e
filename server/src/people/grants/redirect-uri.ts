/** Where answers go back to. Pure. RFC 8252 §7.3 */

export const REDIRECT_URI_MAX_CHARS = 500;
const PRINTABLE = /^[!-[\]-~]+$/;
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** Null: neither https nor http on the person's own machine, or with parts that it must not have. */
function readRedirectUri(text: string): URL | null {
  if (text.length > REDIRECT_URI_MAX_CHARS || !PRINTABLE.test(text) || text.includes('#')) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  return url.protocol === 'https:' || isLoopback(url) ? url : null;
}

export function isRedirectUri(text: string): boolean {
  return readRedirectUri(text) !== null;
}

/** A program on the machine of the person's browser. */
export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.includes(url.hostname);
}

/** Letter for letter, except for the port on loopback: a program takes any free one. RFC 8252 §7.3 */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return isRedirectUri(asked);
  const url = readRedirectUri(asked);
  if (url === null || !isLoopback(url)) return false;
  return registered.some((text) => {
    const known = readRedirectUri(text);
    return known !== null && isLoopback(known) && withoutPort(known) === withoutPort(url);
  });
}

function withoutPort({ hostname, pathname, search }: URL): string {
  return hostname + pathname + search;
}

/** The answer to an authorization request. RFC 6749 §4.1.2, RFC 9207 §2 */
export function answerUrl(
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
  { state, issuer }: { readonly state: string | null; readonly issuer: string },
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  if (state !== null) url.searchParams.append('state', state);
  url.searchParams.append('iss', issuer);
  return url.href;
}
