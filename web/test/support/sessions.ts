import type { BrowserContext } from 'playwright-core';

/** A session, as a browser is given it. */
export type Cookies = Parameters<BrowserContext['addCookies']>[0];

/** Header fields that a page of ours sends with a request of its own. */
export function ownHeaders(base: string): Record<string, string> {
  return { origin: base, 'sec-fetch-site': 'same-origin' };
}

/** Signs in by a one-time link, as its page does: of the portal, or of the console. */
export async function openSession(link: string): Promise<Cookies> {
  const { origin, pathname, hash } = new URL(link);
  const door = pathname.startsWith('/portal/') ? 'portal' : 'admin';
  const answer = await fetch(`${origin}/v1/${door}/session`, {
    method: 'POST',
    headers: { ...ownHeaders(origin), 'content-type': 'application/json' },
    body: JSON.stringify({ link: decodeURIComponent(hash.slice(1)) }),
  });
  if (!answer.ok) throw new Error(`the link was refused: ${await answer.text()}`);
  return answer.headers.getSetCookie().map((line) => {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    return {
      ...{ name: name!, value: value!, domain: new URL(origin).hostname, path: '/' },
      ...{ httpOnly: true, sameSite: 'Strict' as const },
    };
  });
}

/** A request with somebody's session; throws where it is refused. */
export async function askWith(cookies: Cookies, url: string, method = 'GET', data?: object) {
  const answer = await fetch(url, {
    method,
    headers: {
      ...ownHeaders(new URL(url).origin),
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      ...(data !== undefined && { 'content-type': 'application/json' }),
    },
    ...(data !== undefined && { body: JSON.stringify(data) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return (await answer.json().catch(() => null)) as any;
}
