import { describe, expect, test } from 'vitest';
import { hideToken, TokenHider } from '../src/hide-token.ts';
import { xtext } from '../src/smtp/commands.ts';
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
