import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { hideToken, TokenHider } from '../src/hide-token.ts';
import { xtext } from '../src/smtp/commands.ts';
import { TokenScan } from '../src/token-scan.ts';
import { makeReturnPath, tokenOf } from '../src/verp.ts';

const address = makeReturnPath({
  messageId: '0197b1a0-0000-7000-8000-000000000001',
  expiresAt: new Date('2026-04-01T00:00:00Z'),
  secret: Buffer.alloc(32, 7),
  domain: 'bounce.sender.example',
});
const token = tokenOf(address)!;
const hider = new TokenHider();
hider.add(address);

const swap = (text: string) =>
  [...text].map((c, i) => (i % 2 === 0 ? c.toUpperCase() : c.toLowerCase())).join('');
const hex = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const every = (text: string, sign: string) =>
  [...text].map((c) => `${sign}${c.charCodeAt(0).toString(16)}`).join('');

describe('no spelling of the token is shown', () => {
  test.each<[string, string]>([
    ['as sent', `MAIL FROM:<${address}> SIZE=100`],
    ['echoed', `2.1.0 <${address}>... Sender ok`],
    ['in capitals', `2.1.0 <${address.toUpperCase()}> ok`],
    ['in both cases', `2.1.0 ${swap(address)} ok`],
    ['as a quoted string', `2.1.0 <"${address.replace('@', '"@')}> ok`],
    ['with quoted pairs', `2.1.0 ${[...address].map((c) => `\\${c}`).join('')}`],
    ['in xtext', `ORCPT=rfc822;${xtext(address)}`],
    ['in xtext, every octet', every(address, '+')],
    ['per cent', `https://mx.example/why?from=${encodeURIComponent(address)}`],
    ['per cent, every octet', `see https://mx.example/?f=${every(address, '%')}`],
    ['quoted-printable', every(address, '=')],
    ['hex', `id ${hex(address)}`],
    ['hex from half an octet', `a${hex(address)}`],
    ['base64', `id=${base64(address)}`],
    ['base64 of a text around it', base64(`Return-Path: <${address}>`)],
    ['base64url', Buffer.from(address).toString('base64url')],
    ['the signature alone', `2.0.0 queued as ${token.slice(27)}`],
    ['cut short', `2.1.0 <b+${token.slice(0, 40)}... ok`],
    ['in two words', `2.1.0 b+${token.slice(0, 22)} ${token.slice(22)}`],
    ['letter by letter', [...token].join(' ')],
    ['rewritten by SRS', `SRS0=HHH=TT=bounce.sender.example=${address.split('@')[0]}@fwd.example`],
    ['tagged by BATV', `prvs=0123abcdef=${address}`],
    ['two of them', `${address} ${address}`],
  ])('%s', (_, text) => {
    const shown = hider.hide(text);
    expect(shown).toContain('redacted');
    const bare = shown.toLowerCase().replaceAll('redacted', '');
    for (let at = 0; at + 15 <= token.length; at++) {
      const piece = token.slice(at, at + 15);
      expect(bare.replace(/[^a-z2-7]/g, '')).not.toContain(piece);
      expect(bare).not.toContain(hex(piece));
    }
  });

  test('what stands beside it is left', () => {
    expect(hider.hide(`250 2.1.0 <${address}>... Sender ok`)).toBe(
      '250 2.1.0 <b+redacted@bounce.sender.example>... Sender ok',
    );
    expect(hideToken(address)).toBe('b+redacted@bounce.sender.example');
    expect(hideToken(address.toUpperCase())).toBe('B+redacted@BOUNCE.SENDER.EXAMPLE');
    expect(hideToken('someone@example.com')).toBe('someone@example.com');
  });

  test('every earlier return path of the session is hidden, and nothing else', () => {
    const other = makeReturnPath({
      messageId: '0197b1a0-0000-7000-8000-000000000002',
      expiresAt: new Date('2026-04-01T00:00:00Z'),
      secret: Buffer.alloc(32, 8),
      domain: 'bounce.sender.example',
    });
    const two = new TokenHider();
    const line = `${address} ${other} 0197b1a0-0000-7000-8000-000000000001 CAKm8mJw_GfQpNvXl4ZzA7@mail.example`;
    expect(two.hide(line)).toBe(line);
    two.add('sender@example.com');
    two.add(address);
    two.add(other);
    expect(two.hide(line)).toBe(
      'b+redacted@bounce.sender.example b+redacted@bounce.sender.example ' +
        '0197b1a0-0000-7000-8000-000000000001 CAKm8mJw_GfQpNvXl4ZzA7@mail.example',
    );
  });
});

test('a mail is left as it is but for the token, byte for byte', () => {
  const octets = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0xfe]);
  const mail = Buffer.concat([octets, Buffer.from(`To: <${address}>\r\nX: y\r\n`), octets]);
  const shown = Buffer.from(hider.hideInMail(mail));
  expect(shown.equals(mail)).toBe(false);
  expect(shown.equals(Buffer.from(mail.toString('latin1').replace(token, 'redacted'), 'latin1'))).toBe(true);
  expect(hider.hideInMail(octets)).toBe(octets);
});

test('a mail whose lines are base64 of any length does not tell it', () => {
  for (const width of [76, 75, 60, 37]) {
    const body = base64(`${'x'.repeat(40)} Return-Path: <${address}> and more`);
    const lines = body.match(new RegExp(`.{1,${width}}`, 'g'))!.join('\r\n');
    const shown = Buffer.from(hider.hideInMail(Buffer.from(lines))).toString();
    const joined = Buffer.from(shown.replaceAll('redacted', '').replace(/\s/g, ''), 'base64').toString(
      'latin1',
    );
    expect(joined.toLowerCase()).not.toContain(token.slice(27, 42));
  }
});

describe('only what may hold a token is looked at closely', () => {
  const scan = new TokenScan();
  scan.add(token);

  test.each([
    'MAIL FROM:<b+redacted@bounce.sender.example> SIZE=4321 BODY=8BITMIME SMTPUTF8',
    'RCPT TO:<ana.maria-lopez_de_la_cruz.1984@receiver.example> NOTIFY=NEVER ORCPT=rfc822;ana+2Btag@receiver.example',
    'mx.google.com ESMTP d9443c01a7336-1ce1234567890sor12345plb.123 - gsmtp',
    '2.0.0 OK  1700000000 d9443c01a7336-1ce1234567890sor12345plb.123 - gsmtp',
    '2.6.0 <0197b1a0-0000-7000-8000-000000000001@sender.example> [InternalId=12345678901234, Hostname=DB7PR04MB4567.eurprd04.prod.outlook.com] 8765 bytes in 0.123, 71.234 KB/sec Queued mail for delivery',
    '2.0.0 Ok: queued as 4Qx7Yz1ABCDz9Xw',
    'ok 5f2b6c0e9d8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c',
  ])('not %s', (line) => {
    expect(scan.mayHold(line)).toBe(false);
    expect(hider.hide(line)).toBe(line);
  });

  const word = fc.stringMatching(/^[ -~]{0,40}$/);
  const escaped = (sign: string) => (text: string) => every(text, sign);
  const spellings: readonly ((text: string) => string)[] = [
    (text) => text,
    swap,
    hex,
    (text) => hex(text).toUpperCase(),
    base64,
    (text) => Buffer.from(text).toString('base64url'),
    escaped('%'),
    escaped('+'),
    escaped('='),
    (text) => [...text].join(' '),
    (text) => [...text].map((c) => `\\${c}`).join(''),
    (text) => `${text.slice(0, 7)}%${text.charCodeAt(7).toString(16)}${text.slice(8)}`,
    (text) => text.replaceAll('k', '\u212a'),
  ];
  test('any 15 characters of it, in each spelling, in any text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: token.length - 15 }),
        fc.constantFrom(...spellings),
        word,
        word,
        (at, spell, before, after) => {
          const piece = spell(token.slice(at, at + 15));
          // Beside a character of its own alphabet an encoded piece is part of something longer; blanks set
          // it apart.
          expect(scan.mayHold(`${before} ${piece} ${after}`)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('of a thousand tokens each is found, and what holds none passes', () => {
    const many = new TokenScan();
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567');
    const tokens = fc.sample(fc.string({ unit: letter, minLength: 45, maxLength: 45 }), {
      numRuns: 1_000,
      seed: 7,
    });
    for (const each of [...tokens, ...tokens]) many.add(each);
    for (const [at, each] of tokens.entries())
      expect(many.mayHold(`queued ${each.slice(at % 30, (at % 30) + 15)} 2.0.0`)).toBe(true);
    expect(many.mayHold('2.0.0 Ok: queued as 4Qx7Yz1ABCDz9Xw')).toBe(false);
  });

  test('where base64 and hex begin in the middle of a run', () => {
    for (let at = 0; at + 15 <= token.length; at++)
      for (const lead of ['', 'x', 'xx', 'xxx']) {
        const around = `${lead}${token.slice(at, at + 15)}xx`;
        expect(scan.mayHold(base64(around))).toBe(true);
        expect(scan.mayHold(`${lead}${hex(token.slice(at, at + 15))}`)).toBe(true);
        expect(scan.mayHold(`${lead}${base64(token.slice(at, at + 15))}`)).toBe(true);
      }
  });
});
