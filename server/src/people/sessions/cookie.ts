/** The one cookie of a session. RFC 6265 §4 */
export interface SessionCookie {
  readonly name: string;
  /** The token in a request's Cookie field; null when there is none, or more than one. */
  read(header: string | undefined): string | null;
  /** Set-Cookie that gives the browser a token. `maxAgeSeconds`: null until the browser is closed. */
  set(token: string, maxAgeSeconds: number | null): string;
  /** Set-Cookie that takes it away. */
  clear(): string;
}

/** Cookies ignore ports: two consoles of one host need two names. */
type CookieBase = 'acuse_portal' | 'acuse_admin';

const COOKIES_MAX_CHARS = 16_384;

/**
 * `secure`: under https, with the prefix by which no other host and no other path can set it. Over http on
 * loopback without it, and not Secure, because Safari drops Secure cookies there.
 */
export function createSessionCookie(base: CookieBase, secure: boolean): SessionCookie {
  const name = secure ? `__Host-${base}` : base;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    name,
    read(header) {
      if (header === undefined || header.length > COOKIES_MAX_CHARS) return null;
      let found: string | null = null;
      for (const pair of header.split(';')) {
        const at = pair.indexOf('=');
        if (at < 0 || pair.slice(0, at).trim() !== name) continue;
        // Another program of this host may have set one for a longer path: nobody knows which is ours.
        if (found !== null) return null;
        found = pair.slice(at + 1).trim();
      }
      return found;
    },
    set: (token, maxAgeSeconds) =>
      `${name}=${token}; ${attributes}${maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
