import { describe, expect, test } from 'vitest';
import { checkDkim } from '../src/authentication/dkim-check.ts';
import { checkSpf } from '../src/authentication/spf.ts';
import { expandMacros } from '../src/authentication/spf-macros.ts';
import { authenticateReport } from '../src/authentication/vouch.ts';
import { createDkimSigner, dkimSignatures } from '../src/dkim.ts';
import { dkimPublicKey, dkimRecord, generateDkimKey } from '../src/dkim-keys.ts';
import type { MailResolver } from '../src/routing/resolver.ts';

const NOW = new Date('2026-11-22T00:00:00Z');

/** A resolver that knows these records alone, `TYPE name` to values; `!` fails. Counts what it is asked. */
function dns(zone: Readonly<Record<string, readonly unknown[] | '!'>>): MailResolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async lookup(name: string, type: string) {
      const key = `${type} ${name.toLowerCase()}`;
      asked.push(key);
      const records = zone[key];
      if (records === '!') return { kind: 'servfail', detail: 'down' } as never;
      if (records === undefined) return { kind: 'nxdomain', authenticated: false } as never;
      return { kind: 'found', records, authenticated: false } as never;
    },
  };
}

describe('SPF', () => {
  const zone = {
    'TXT four.test': ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all', 'something else'],
    'TXT hosts.test': ['v=spf1 a mx/28 a:other.test//64 ~all'],
    'A hosts.test': ['198.51.100.1'],
    'MX hosts.test': [{ preference: 1, exchange: 'mx.hosts.test' }],
    'A mx.hosts.test': ['198.51.100.33'],
    'AAAA other.test': ['2001:db8:1:2::9'],
    'TXT incl.test': ['v=spf1 include:four.test ?all'],
    'TXT red.test': ['v=spf1 redirect=four.test'],
    'TXT macro.test': ['v=spf1 exists:%{ir}.%{l}.%{d2}.list.test -all'],
    'A 7.2.0.192.ana.macro.test.list.test': ['127.0.0.2'],
    'TXT two.test': ['v=spf1 -all', 'v=spf1 +all'],
    'TXT open.test': ['v=spf1'],
    'TXT loop.test': ['v=spf1 include:loop.test -all'],
    'TXT bad.test': ['v=spf1 ipv4:1.2.3.4 -all'],
    'TXT badnet.test': ['v=spf1 ip4:1.2.3.4/99 -all'],
    'TXT void.test': ['v=spf1 a:x1.test a:x2.test a:x3.test +all'],
    'TXT down.test': '!',
    'TXT ptr.test': ['v=spf1 ptr +all'],
    'TXT none.test': ['v=spf10 +all'],
    'TXT gone.test': ['v=spf1 include:nowhere.test +all'],
  } as const;
  test.each([
    ['four.test', '192.0.2.7', 'pass'],
    ['four.test', '192.0.3.7', 'fail'],
    ['four.test', '2001:db8:ffff::1', 'pass'],
    ['four.test', '2001:db9::1', 'fail'],
    ['hosts.test', '198.51.100.1', 'pass'],
    ['hosts.test', '198.51.100.40', 'pass'],
    ['hosts.test', '198.51.100.50', 'softfail'],
    ['hosts.test', '2001:db8:1:2:ffff::1', 'pass'],
    ['incl.test', '192.0.2.7', 'pass'],
    ['incl.test', '192.0.9.7', 'neutral'],
    ['red.test', '192.0.9.7', 'fail'],
    ['macro.test', '192.0.2.7', 'pass'],
    ['macro.test', '192.0.2.8', 'fail'],
    ['two.test', '192.0.2.7', 'permerror'],
    ['open.test', '192.0.2.7', 'neutral'],
    ['loop.test', '192.0.2.7', 'permerror'],
    ['bad.test', '192.0.2.7', 'permerror'],
    ['badnet.test', '192.0.2.7', 'permerror'],
    ['void.test', '192.0.2.7', 'permerror'],
    ['down.test', '192.0.2.7', 'temperror'],
    ['ptr.test', '192.0.2.7', 'pass'],
    ['none.test', '192.0.2.7', 'none'],
    ['gone.test', '192.0.2.7', 'permerror'],
    ['unknown.test', '192.0.2.7', 'none'],
    ['localhost', '192.0.2.7', 'none'],
    ['four.test', 'not an address', 'none'],
  ])('%s from %s: %s', async (domain, ip, result) => {
    const sender = `ana@${domain}`;
    expect(await checkSpf(dns(zone), domain, { ip, sender, helo: 'helo.test' })).toBe(result);
  });

  test('asks no more than ten terms, however a record is nested', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `TXT n${i}.test`,
        [`v=spf1 include:n${i * 2 + 1}.test include:n${i * 2 + 2}.test -all`],
      ]),
    );
    const resolver = dns(wide);
    expect(
      await checkSpf(resolver, 'n0.test', { ip: '192.0.2.1', sender: 'a@n0.test', helo: 'h.test' }),
    ).toBe('permerror');
    expect(resolver.asked.length).toBeLessThanOrEqual(11);
  });

  // RFC 7208 §7.4
  const example = { ip: '192.0.2.3', sender: 'strong-bad@email.example.com', helo: 'mail.example.com' };
  test.each([
    ['%{s}', 'strong-bad@email.example.com'],
    ['%{o}', 'email.example.com'],
    ['%{d}', 'email.example.com'],
    ['%{d4}', 'email.example.com'],
    ['%{d1}', 'com'],
    ['%{dr}', 'com.example.email'],
    ['%{d2r}', 'example.email'],
    ['%{l}', 'strong-bad'],
    ['%{l-}', 'strong.bad'],
    ['%{lr-}', 'bad.strong'],
    ['%{l1r-}', 'strong'],
    ['%{ir}.%{v}._spf.%{d2}', '3.2.0.192.in-addr._spf.example.com'],
    ['%{lr-}.lp.%{ir}.%{v}._spf.%{d2}', 'bad.strong.lp.3.2.0.192.in-addr._spf.example.com'],
    ['100%%.test', '100%.test'],
    ['%{x}', null],
    ['%(d)', null],
  ])('the macro %s', (text, expanded) => {
    expect(expandMacros(text, example, 'email.example.com')).toBe(expanded);
  });

  test('an IPv6 address is written in nibbles', () => {
    const text = expandMacros('%{ir}.%{v}', { ...example, ip: '2001:db8::cb01' }, 'x.test');
    expect(text).toBe('1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6');
  });
});

const privateKey = await generateDkimKey('rsa-sha256');
const key = { domain: 'receiver.test', selector: 's1', algorithm: 'rsa-sha256', privateKey } as const;
const published = dkimRecord('rsa-sha256', dkimPublicKey(privateKey));
const MESSAGE = Buffer.from(
  'From: mailer-daemon@receiver.test\r\nSubject: Undeliverable\r\n\r\nNo such user.\r\n',
);
const signed = Buffer.concat([
  await dkimSignatures([createDkimSigner(key)], MESSAGE, NOW.getTime()),
  MESSAGE,
]);

describe('DKIM of what comes in', () => {
  const at = 'TXT s1._domainkey.receiver.test';
  test.each<[string, Record<string, string[] | '!'>, Buffer, string]>([
    ['holds under the published key', { [at]: [published] }, signed, 'pass'],
    [
      'fails when the body was changed',
      { [at]: [published] },
      changed('No such user', 'No such luck'),
      'fail',
    ],
    ['fails when a signed field was', { [at]: [published] }, changed('Undeliverable', 'Delivered'), 'fail'],
    ['fails without a key', {}, signed, 'fail'],
    ['fails under a withdrawn key', { [at]: ['v=DKIM1; p='] }, signed, 'fail'],
    ['fails under a key in test', { [at]: [`${published}; t=y`] }, signed, 'fail'],
    ['fails with two records', { [at]: [published, published] }, signed, 'fail'],
    ['is not known while the DNS is down', { [at]: '!' }, signed, 'temperror'],
    ['is none without a signature', {}, MESSAGE, 'none'],
    ['fails after it expired', { [at]: [published] }, changed('v=1;', 'v=1; x=100;'), 'fail'],
  ])('%s', async (_, zone, message, result) => {
    const checked = await checkDkim(dns(zone), message, NOW);
    expect(checked).toMatchObject({ result, domains: result === 'pass' ? ['receiver.test'] : [] });
  });

  test('asks for three keys at most', async () => {
    const one = signed.subarray(0, signed.indexOf('From: mailer'));
    const resolver = dns({});
    await checkDkim(resolver, Buffer.concat([...Array.from({ length: 50 }, () => one), MESSAGE]), NOW);
    expect(resolver.asked).toHaveLength(3);
  });

  function changed(from: string, to: string): Buffer {
    return Buffer.from(signed.toString('latin1').replace(from, to), 'latin1');
  }
});

describe('what ties a report to the servers that had the message', () => {
  const expected = {
    handedTo: [{ host: 'mx1.hosted.test', address: '192.0.2.25' }],
    recipientDomain: 'receiver.test',
  };
  const zone = {
    'TXT receiver.test': ['v=spf1 ip4:203.0.113.0/24 -all'],
    'TXT s1._domainkey.receiver.test': [published],
    'A out.hosted.test': ['198.51.100.7'],
    'TXT helo.hosted.test': ['v=spf1 ip4:198.51.100.8 -all'],
    'A stranger.test': ['198.51.100.9'],
    'TXT stranger.test': ['v=spf1 +all'],
  };
  test.each<[string, string, string, { raw?: Buffer; from?: string }, string | null]>([
    ['the host that took it', '192.0.2.25', 'x', {}, 'network'],
    ['its neighbour', '192.0.2.99', 'x', {}, 'network'],
    ['a host that the recipient’s domain names', '203.0.113.5', 'x', {}, 'spf'],
    ['a signature of the recipient’s domain', '198.51.100.99', 'x', { raw: signed }, 'dkim'],
    ['the provider, by a name that leads back', '198.51.100.7', 'out.hosted.test', {}, 'helo'],
    ['the provider, by the SPF of its name', '198.51.100.8', 'helo.hosted.test', {}, 'helo'],
    ['a stranger with his papers in order', '198.51.100.9', 'stranger.test', {}, null],
    ['a stranger by the name of the provider', '198.51.100.9', 'out.hosted.test', {}, null],
    ['a stranger by the name of the server', '198.51.100.9', 'mx1.hosted.test', {}, null],
    ['a user of the provider, by an address', '192.0.2.25', 'x', { from: 'eve@receiver.test' }, null],
    ['a signed mail of such a user', '198.51.100.9', 'x', { raw: signed, from: 'eve@receiver.test' }, null],
  ])('%s', async (_, ip, helo, { raw = MESSAGE, from = '' }, vouched) => {
    const report = { raw, reversePath: from, peer: { ip, helo } };
    const told = await authenticateReport(dns(zone), report, expected, NOW);
    expect(told.vouched_by).toBe(vouched);
  });

  test('without look-ups the network alone counts, and the rest is called not checked', async () => {
    const from = (ip: string) =>
      authenticateReport(
        null,
        { raw: signed, reversePath: '', peer: { ip, helo: 'mx1.hosted.test' } },
        expected,
        NOW,
      );
    expect(await from('192.0.2.30')).toEqual({
      dkim: { result: 'not_checked', domains: [] },
      spf: { result: 'not_checked', domain: 'mx1.hosted.test' },
      vouched_by: 'network',
    });
    expect((await from('203.0.113.5')).vouched_by).toBeNull();
  });
});
