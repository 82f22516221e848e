import { describe, expect, test } from 'vitest';
import { linkUrl } from '../../../src/people/sessions/one-time-link.ts';
import { assertStrong } from '../../../src/people/sessions/password-rules.ts';
import { type Asker, createPasswords, HASHES_WAITING_MAX } from '../../../src/people/sessions/passwords.ts';
import { newRecoveryCodes, recoveryCodeSha256 } from '../../../src/people/sessions/recovery-codes.ts';
import { newToken, tokenSha256 } from '../../../src/people/sessions/tokens.ts';
import { newTotpSecret, totpEnrolment, totpStep } from '../../../src/people/sessions/totp.ts';

const here: Asker = {
  address: '127.0.0.1',
  known: true,
  get gone() {
    return new AbortController().signal;
  },
};
const CHEAP = `$scrypt$ln=04,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

describe('a password', () => {
  test('is kept as a PHC string, fits in any normalization, and nobody costs the same work', async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash('contraseña de María', here);
    expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await passwords.fits('contraseña de María'.normalize('NFD'), stored, here)).toBe(true);
    expect(await passwords.fits('contraseña de Maria', stored, here)).toBe(false);
    expect(await passwords.fits('contraseña de María', null, here)).toBe(false);
  });

  test.each([
    ['a string of another kind', '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaA'],
    ['one that asks for 1 TiB', `$scrypt$ln=30,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`],
    ['one that asks for 99 rounds', `$scrypt$ln=17,r=8,p=99$${'A'.repeat(22)}$${'A'.repeat(43)}`],
  ])('stored as %s is a fault, never a match', async (_what, stored) => {
    await expect(createPasswords().fits('x', stored, here)).rejects.toThrow(/stored password/);
  });

  test.each([
    'elevenchars',
    'x'.repeat(257),
    'qwertyuiop123',
    'QWERTY123456',
    'Password2026!!',
    '!!!dragon!!!!',
    'aaaaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'ana.lopez@example.com',
    'ana.lopez12345',
  ])('may not be %s', async (password) => {
    await expect(assertStrong(password, ['ana.lopez@example.com'])).rejects.toMatchObject({
      code: 'weak_password',
    });
  });

  test.each([
    'correct horse battery',
    'una llave muy larga',
    'ñandú-ñandú-sol',
    'gI8#kd!Qm2&x',
    `${'😀'.repeat(5)}ab c d e`,
  ])('may be %s', async (password) => {
    await expect(assertStrong(password, ['ana@example.com'])).resolves.toBeUndefined();
  });
});

describe('the turns of hashes', () => {
  /** The outcome of each that asks: in the order in which it does. */
  function askers() {
    const passwords = createPasswords();
    const ends: string[] = [];
    const ask = (name: string, from: Partial<Asker> = {}) =>
      passwords.fits('x', CHEAP, { ...here, known: false, ...from }).then(
        () => void ends.push(name),
        (error: { code?: string; name: string }) => void ends.push(`${name}: ${error.code ?? error.name}`),
      );
    return { ask, ends };
  }

  test('two are made at a time, one of them for askers who are not known; past so many that wait one is refused', async () => {
    const { ask, ends } = askers();
    const asked = Array.from({ length: 60 }, () => ask('stranger'));
    asked.push(ask('owner', { known: true }));
    await Promise.all(asked);
    expect(ends.filter((end) => end === 'stranger: unavailable')).toHaveLength(60 - HASHES_WAITING_MAX);
    expect(ends.filter((end) => !end.includes(':')).slice(0, 4)).toContain('owner');
    // The places of those that ended are free again.
    await ask('after');
    expect(ends.at(-1)).toBe('after');
  });

  test.each([
    ['an IPv6 /48', (n: number) => `2001:db8:1:${n.toString(16)}::1`],
    ['an IPv4 /24', (n: number) => `198.51.100.${n}`],
  ])('%s that asks without end keeps nobody else out, known or not', async (_, addressOf) => {
    const { ask, ends } = askers();
    const asked = Array.from({ length: 200 }, (_unused, n) => ask('attack', { address: addressOf(n) }));
    for (let n = 0; n < 5; n++) asked.push(ask('stranger', { address: '203.0.113.1' }));
    for (let n = 0; n < 24; n++) asked.push(ask('owner', { address: '192.0.2.1', known: true }));
    await Promise.all(asked);
    const count = (end: string) => ends.filter((each) => each === end).length;
    expect([count('owner'), count('stranger')]).toEqual([24, 5]);
    expect(count('attack') + count('attack: unavailable')).toBe(200);
  });

  test('who goes away while waiting costs no hash, and who is gone already neither', async () => {
    const { ask, ends } = askers();
    const client = new AbortController();
    const asked = Array.from({ length: 8 }, () => ask('gone', { gone: client.signal }));
    const last = ask('last', { address: '203.0.113.1' });
    client.abort();
    asked.push(ask('gone', { gone: client.signal }));
    await Promise.all([...asked, last]);
    expect(ends.filter((end) => end === 'gone: ClientGone')).toHaveLength(8);
    expect(ends.filter((end) => end === 'gone')).toHaveLength(1);
    expect(ends).toContain('last');
  });
});

describe('a code of an authenticator app', () => {
  const secret = Buffer.from('12345678901234567890');

  // RFC 6238 §B, SHA-1: the last six of its eight digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i s is %s', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    const at = (shift: number) => new Date((seconds + shift) * 1000);
    expect(totpStep(secret, code, at(0))).toBe(step);
    expect(totpStep(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, at(0))).toBe(step);
    // One step early or late names its own step, so that each is spent once.
    expect(totpStep(secret, code, at(30))).toBe(step);
    expect(totpStep(secret, code, at(-30))).toBe(step);
    expect(totpStep(secret, code, at(90))).toBeNull();
  });

  test.each(['', '12345', '1234567', '12345a', '١٢٣٤٥٦', '-12345', '1e5678'])('is not %j', (typed) => {
    expect(totpStep(secret, typed, new Date(59_000))).toBeNull();
  });

  test('is set up by an address that names the issuer and the person, and by its picture', () => {
    const enrolment = totpEnrolment(secret, 'Acuse', 'ana@example.com');
    expect(enrolment.secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    const uri = new URL(enrolment.uri);
    expect(decodeURIComponent(uri.pathname)).toContain('Acuse:ana@example.com');
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({
      secret: enrolment.secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(enrolment.qrSvg).toMatch(/^<svg /);
    expect(enrolment.qrSvg).not.toMatch(/script|style=/);
    expect(newTotpSecret()).toHaveLength(20);
  });
});

test('a recovery code is found however it is typed, and nothing else is one', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes.map(({ code }) => code)).size).toBe(10);
  for (const { code, sha256 } of codes) {
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    const spoken = code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'L');
    expect(recoveryCodeSha256(spoken)).toEqual(sha256);
  }
  for (const wrong of ['', 'u'.repeat(16), 'a'.repeat(15), 'a'.repeat(17), '-'.repeat(1000)])
    expect(recoveryCodeSha256(wrong)).toBeNull();
});

test('a token has 256 bits and is known by its hash alone', () => {
  const { token, sha256 } = newToken();
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(tokenSha256(token)).toEqual(sha256);
  expect(newToken().token).not.toBe(token);
  for (const wrong of ['', token.slice(1), `${token}A`, `${token.slice(1)}=`, `${token.slice(1)}\n`])
    expect(tokenSha256(wrong)).toBeNull();
});

test('a link carries its secret in the fragment, which no server sees', () => {
  const url = new URL(linkUrl('https://mail.example.com/acuse/', '/portal/link', 'tok'));
  expect(url.pathname).toBe('/acuse/portal/link');
  expect(url.search).toBe('');
  expect(url.hash).toBe('#tok');
});
