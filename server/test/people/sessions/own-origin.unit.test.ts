import { describe, expect, test } from 'vitest';
import { createSessionCookie } from '../../../src/people/sessions/cookie.ts';
import { createOwnOrigin } from '../../../src/people/sessions/own-origin.ts';

type Headers = Record<string, string | undefined>;

function verdict(publicUrl: string, method: string, headers: Headers): string {
  try {
    createOwnOrigin(publicUrl).assertOwn({ method, headers } as never);
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const LOCAL = 'http://localhost:8025';
const PUBLIC = 'https://mail.example.com';
const REFUSED = 'cross_origin_refused';

describe('a console answers under its own name alone', () => {
  test.each([
    [LOCAL, 'localhost:8025', 'ok'],
    [LOCAL, 'LOCALHOST:8025', 'ok'],
    [LOCAL, '127.0.0.1:8025', 'ok'],
    [LOCAL, '127.8.8.8', 'ok'],
    [LOCAL, '[::1]:8025', 'ok'],
    [LOCAL, 'portal.localhost:8025', 'ok'],
    [LOCAL, 'evil.test', REFUSED],
    [LOCAL, 'evil.test:8025', REFUSED],
    [LOCAL, 'localhost.evil.test', REFUSED],
    [LOCAL, '127.0.0.1.evil.test', REFUSED],
    [LOCAL, '192.168.1.5:8025', REFUSED],
    [LOCAL, '0.0.0.0:8025', REFUSED],
    [LOCAL, '[::ffff:192.0.2.1]:8025', REFUSED],
    [LOCAL, 'localhost:8025@evil.test', REFUSED],
    [LOCAL, '', REFUSED],
    [LOCAL, undefined, REFUSED],
    [LOCAL, 'x'.repeat(5000), REFUSED],
    [PUBLIC, 'mail.example.com', 'ok'],
    [PUBLIC, 'mail.example.com:443', 'ok'],
    [PUBLIC, '127.0.0.1:8025', 'ok'],
    [PUBLIC, 'mail.example.com.', REFUSED],
    [PUBLIC, 'api.example.com', REFUSED],
  ])('%s asked as %s: %s', (publicUrl, host, expected) => {
    expect(verdict(publicUrl, 'GET', { host })).toBe(expected);
  });

  test('and over http to another machine says what to put in front of it', () => {
    const own = createOwnOrigin('http://mail.example.com');
    expect(() => own.assertOwn({ method: 'GET', headers: { host: 'mail.example.com' } })).toThrow(
      /put TLS in front of it/,
    );
  });
});

describe('a change comes from a page of the console', () => {
  test.each<[string, string, Headers, string]>([
    ['a browser on our page', PUBLIC, { 'sec-fetch-site': 'same-origin', origin: PUBLIC }, 'ok'],
    ['the same without a referrer', PUBLIC, { 'sec-fetch-site': 'same-origin', origin: 'null' }, 'ok'],
    ['an older browser', PUBLIC, { origin: PUBLIC }, 'ok'],
    [
      'another port of the host',
      PUBLIC,
      { 'sec-fetch-site': 'same-site', origin: `${PUBLIC}:8030` },
      REFUSED,
    ],
    ['another site', PUBLIC, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }, REFUSED],
    ['an address typed in', PUBLIC, { 'sec-fetch-site': 'none' }, REFUSED],
    ['a foreign origin alone', PUBLIC, { origin: 'https://evil.test' }, REFUSED],
    ['our name over http', PUBLIC, { origin: 'http://mail.example.com' }, REFUSED],
    [
      'contradicting fields',
      PUBLIC,
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' },
      REFUSED,
    ],
    ['neither field', PUBLIC, {}, REFUSED],
    ['null alone', PUBLIC, { origin: 'null' }, REFUSED],
    ['an unknown word', PUBLIC, { 'sec-fetch-site': 'SAME-ORIGIN' }, REFUSED],
  ])('%s', (_what, publicUrl, headers, expected) => {
    expect(verdict(publicUrl, 'POST', { host: 'mail.example.com', ...headers })).toBe(expected);
  });

  test.each<[string, Headers, string]>([
    ['the same loopback name and port', { host: '127.0.0.1:8025', origin: 'http://127.0.0.1:8025' }, 'ok'],
    ['the public name', { host: '127.0.0.1:8025', origin: LOCAL }, 'ok'],
    ['the admin console beside it', { host: 'localhost:8025', origin: 'http://localhost:8030' }, REFUSED],
  ])('on loopback: %s', (_what, headers, expected) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(verdict(LOCAL, method, headers)).toBe(expected);
  });
});

describe('the cookie of a session', () => {
  test('is Secure and bound to the host under https, plain on loopback', () => {
    expect(createSessionCookie('acuse_portal', true).set('tok', 60)).toBe(
      '__Host-acuse_portal=tok; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=60',
    );
    expect(createSessionCookie('acuse_admin', false).set('tok', null)).toBe(
      'acuse_admin=tok; Path=/; HttpOnly; SameSite=Strict',
    );
    expect(createSessionCookie('acuse_portal', false).clear()).toContain('Max-Age=0');
  });

  test.each<[string | undefined, string | null]>([
    ['acuse_portal=a', 'a'],
    ['other=1; acuse_portal=a; more=2', 'a'],
    ['acuse_portal=', ''],
    ['acuse_portal=a=b', 'a=b'],
    [undefined, null],
    ['', null],
    ['acuse_portal', null],
    ['xacuse_portal=a', null],
    ['__Host-acuse_portal=a', null],
    ['acuse_portal=a; acuse_portal=b', null],
    ['acuse_portal=a; acuse_portal=a', null],
    [`acuse_portal=a; ${'x'.repeat(17_000)}`, null],
    [';;;=;= ;acuse_portal=a', 'a'],
  ])('of %j is %j', (header, token) => {
    expect(createSessionCookie('acuse_portal', false).read(header)).toBe(token);
  });
});

describe('passkeys belong to', () => {
  /** RP ID and origin, or what the refusal says. */
  function party(publicUrl: string, host: string | undefined): string {
    try {
      const { id, origin } = createOwnOrigin(publicUrl).relyingParty(host);
      return `${id} ${origin}`;
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
  }

  test.each([
    [PUBLIC, 'mail.example.com', 'mail.example.com https://mail.example.com'],
    [
      'https://mail.example.com:8443',
      'mail.example.com:8443',
      'mail.example.com https://mail.example.com:8443',
    ],
    [LOCAL, 'localhost:8025', 'localhost http://localhost:8025'],
    [LOCAL, 'LOCALHOST:9000', 'localhost http://localhost:9000'],
    ['http://127.0.0.1:8025', 'localhost:8025', 'localhost http://localhost:8025'],
  ])('the public name: %s asked as %s', (publicUrl, host, expected) => {
    expect(party(publicUrl, host)).toBe(expected);
  });

  test.each([
    [LOCAL, '127.0.0.1:8025', 'open http://localhost:8025'],
    [LOCAL, undefined, 'open http://localhost:8025'],
    [LOCAL, 'portal.localhost:8025', 'open http://localhost:8025'],
    [PUBLIC, 'localhost:8025', 'open https://mail.example.com'],
    [PUBLIC, 'evil.test', 'open https://mail.example.com'],
    ['https://192.0.2.1', '192.0.2.1', 'need a domain name'],
    ['https://[2001:db8::1]', '[2001:db8::1]', 'need a domain name'],
    ['http://mail.example.com', 'mail.example.com', 'put TLS in front of mail.example.com'],
    ['http://mail.example.com', 'localhost:8025', 'put TLS in front of mail.example.com'],
  ])('nobody else, and the refusal says why: %s asked as %s', (publicUrl, host, says) => {
    const refusal = party(publicUrl, host);
    expect(refusal).toContain('conflict: ');
    expect(refusal).toContain(says);
  });
});
