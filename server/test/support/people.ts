import { issueLink } from '../../src/people/sessions/operator-issued-link.ts';
import type { MemberRole } from '../../src/people/sessions/roles.ts';
import type { Answer, CallOptions, TestService } from './service.ts';

/** A browser of one person: it keeps the cookie that it is given, and says where its requests come from. */
export interface Browser {
  /** The value of its cookie; null without one. */
  token: string | null;
  /** Of `/session`: behind the portal's door. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface BrowserOptions {
  /** The address that it comes from. */
  from?: string;
}

/** The name of the cookie over http on loopback. */
export const COOKIE = 'acuse_portal';

export function openBrowser(service: TestService, { from = '127.0.0.1' }: BrowserOptions = {}): Browser {
  const browser: Browser = {
    token: null,
    async call(method, path, body, headers = {}) {
      const options: CallOptions = {
        key: null,
        headers: {
          host: 'localhost:8025',
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': from,
          ...(browser.token !== null && { cookie: `${COOKIE}=${browser.token}` }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      };
      const answer = await service.call(method, `/v1/portal${path}`, options);
      const set = [answer.headers['set-cookie'] ?? []].flat().map(String);
      for (const each of set) browser.token = /^acuse_portal=([^;]*)/.exec(each)?.[1] || null;
      return answer;
    },
  };
  return browser;
}

/** The secret that follows the # of a link. */
export function secretOf(url: string): string {
  return new URL(url).hash.slice(1);
}

const OPERATOR = { kind: 'operator', id: null, name: 'test', clientAddress: null, requestId: null } as const;

/** The secret of a link for a person of this role, who may be new. */
export async function linkFor(
  service: TestService,
  email: string,
  membership: { tenantId: string; role: MemberRole } | null,
): Promise<{ userId: string; secret: string }> {
  const { user, link } = await issueLink(service.http.portal.sessions, { email, membership }, OPERATOR);
  return { userId: user.personId, secret: secretOf(link.url) };
}

export interface Person extends Browser {
  readonly userId: string;
  readonly email: string;
}

let people = 0;

/** Somebody of an account, signed in by a link. */
export async function signedIn(
  service: TestService,
  tenantId: string,
  role: MemberRole,
  options: BrowserOptions & { email?: string } = {},
): Promise<Person> {
  const { email = `person${++people}@people.test` } = options;
  const { userId, secret } = await linkFor(service, email, { tenantId, role });
  const browser = openBrowser(service, options);
  const answer = await browser.call('POST', '/session', { link: secret });
  if (answer.status !== 200) throw new Error(`signing in failed: ${answer.status} ${answer.raw}`);
  return Object.assign(browser, { userId, email });
}

/** Good, and the same for everybody: each is hashed anew all the same. */
export const PASSWORD = 'cuatro gatos verdes';

export async function givePassword(person: Browser, password = PASSWORD): Promise<void> {
  const answer = await person.call('PUT', '/password', { password });
  if (answer.status !== 204) throw new Error(`no password was set: ${answer.status} ${answer.raw}`);
}
