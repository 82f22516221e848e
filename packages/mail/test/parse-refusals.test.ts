import { describe, expect, it } from 'vitest';
import { parseMessage } from '../src/parse.ts';
import { HEADER, message, multipart, outcome, withFrom } from './support/written.ts';

const withTo = (to: string) => message(['From: billing@example.com', `To: ${to}`]);

describe('spoofing', () => {
  const table: [name: string, raw: Uint8Array, result: string][] = [
    ['no From', message(['To: ana@example.org']), 'address empty'],
    ['an empty From', withFrom('From:'), 'address empty'],
    ['two From', withFrom('From: billing@example.com', 'From: ceo@bank.example'), 'address duplicate_header'],
    [
      'two From in other case',
      withFrom('From: billing@example.com', 'fRoM: ceo@bank.example'),
      'address duplicate_header',
    ],
    [
      'From with a space before the colon',
      withFrom('From : ceo@bank.example', 'From: billing@example.com'),
      'body header_syntax',
    ],
    [
      'From after a tab',
      withFrom('Subject: x', '\tFrom: ceo@bank.example', 'From: billing@example.com'),
      'body duplicate_header',
    ],
    [
      'From with U+00A0 before it',
      withFrom('\u00a0From: ceo@bank.example', 'From: billing@example.com'),
      'body header_syntax',
    ],
    [
      'From with U+FEFF before it',
      withFrom('\ufeffFrom: ceo@bank.example', 'From: billing@example.com'),
      'body header_syntax',
    ],
    [
      'From behind a bare CR',
      withFrom('X-A: b\rFrom: ceo@bank.example', 'From: billing@example.com'),
      'body header_syntax',
    ],
    [
      'From behind a NUL',
      withFrom('X-A: b\0\nFrom: ceo@bank.example', 'From: billing@example.com'),
      'body header_syntax',
    ],
    [
      'From behind a line of blanks',
      withFrom('From: billing@example.com', '  ', 'From: ceo@bank.example'),
      'body header_syntax',
    ],
    [
      'a line without a colon',
      withFrom('From: billing@example.com', 'ceo@bank.example'),
      'body header_syntax',
    ],
    ['a continuation first', Buffer.from(' x\r\nFrom: a@b.example\r\n\r\nx'), 'body header_syntax'],
    ['two mailboxes', withFrom('From: billing@example.com, ceo@bank.example'), 'address list'],
    [
      'two mailboxes with names',
      withFrom('From: A <billing@example.com>, B <ceo@bank.example>'),
      'address list',
    ],
    ['two addresses and no comma', withFrom('From: billing@example.com ceo@bank.example'), 'address syntax'],
    ['two angle addresses', withFrom('From: <ceo@bank.example> <billing@example.com>'), 'address syntax'],
    [
      'an encoded-word with an address inside',
      withFrom('From: =?utf-8?q?=3Cceo=40bank.example=3E?='),
      'address syntax',
    ],
    [
      'an encoded-word in the address',
      withFrom('From: <=?utf-8?q?ceo?=@example.com>'),
      'address encoded_word',
    ],
    [
      'an encoded-word that is the address',
      withFrom('From: =?utf-8?b?Y2VvQGJhbmsuZXhhbXBsZQ==?='),
      'address syntax',
    ],
    [
      'an encoded line break in the name',
      withFrom('From: =?utf-8?q?A=0D=0AFrom=3A_ceo?= <billing@example.com>'),
      'address control',
    ],
    ['an @ in a quoted local part', withFrom('From: "ceo@bank.example"@example.com'), 'address local_part'],
    [
      'an @ in a quoted local part in brackets',
      withFrom('From: <"ceo@bank.example> x"@example.com>'),
      'address local_part',
    ],
    ['a group', withFrom('From: Team: billing@example.com;'), 'address group'],
    [
      'a group with names',
      withFrom('From: Team: A <billing@example.com>, B <ceo@bank.example>;'),
      'address group',
    ],
    ['an open comment', withFrom('From: billing@example.com (ceo@bank.example'), 'address comment'],
    ['a comment inside', withFrom('From: billing(ceo@bank.example)@example.com'), 'address comment'],
    ['a route', withFrom('From: <@bank.example:billing@example.com>'), 'address route'],
    ['an address literal', withFrom('From: billing@[192.0.2.1]'), 'address address_literal'],
    ['a direction override in the name', withFrom('From: A\u202eecmA <billing@example.com>'), 'accepted'],
    ['a zero-width space in the domain', withFrom('From: billing@exam\u200bple.com'), 'address domain'],
    ['a Sender of another address', message([...HEADER, 'Sender: ceo@bank.example']), 'address sender'],
    ['a Sender that cannot be read', message([...HEADER, 'Sender: ceo']), 'address syntax'],
    [
      'two Senders',
      message([...HEADER, 'Sender: billing@example.com', 'Sender: billing@example.com']),
      'address duplicate_header',
    ],
    ['Resent-From', message([...HEADER, 'Resent-From: ceo@bank.example']), 'address resent'],
    ['Resent-Sender', message([...HEADER, 'resent-sender: ceo@bank.example']), 'address resent'],
    ['two Reply-To mailboxes', message([...HEADER, 'Reply-To: a@example.com, b@example.com']), 'accepted'],
    ['a Reply-To group', message([...HEADER, 'Reply-To: Us: a@example.com;']), 'accepted'],
    ['a Reply-To that is no address', message([...HEADER, 'Reply-To: a@example.com, b']), 'address syntax'],
    ['two To', message([...HEADER, 'To: b@example.org']), 'address duplicate_header'],
    ['two Cc', message([...HEADER, 'Cc: b@example.org', 'Cc: c@example.org']), 'address duplicate_header'],
    ['a group in a group', withTo('a: b: c@example.org;;'), 'address group'],
    ['a group without an end', withTo('a: c@example.org'), 'address group'],
    ['a group without a name', withTo(': c@example.org;'), 'address group'],
    ['two addresses without a comma', withTo('a@example.org b@example.org'), 'address syntax'],
    ['501 addresses', withTo(Array(501).fill('a@example.org').join(',')), 'address list'],
    ['two subjects', message([...HEADER, 'Subject: other']), 'body duplicate_header'],
  ];
  it.each(table)('%s', (_, raw, result) => {
    expect(outcome(raw)).toBe(result);
  });

  it('a look-alike domain is another domain', () => {
    expect(parseMessage(withFrom('From: billing@ехample.com')).headerFrom.domain).toMatch(/^xn--/);
    expect(parseMessage(withFrom('From: billing@EXAMPLE。com')).headerFrom.domain).toBe('example.com');
  });
});

describe('bodies that are refused', () => {
  const part = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\nx`;
  const single = (type: string, encoding: string, body: string | Uint8Array = 'x') =>
    message([...HEADER, `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`], body);
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'body no_content'],
    ['a bad address and no body', message(['From: x', 'To: y'], ''), 'body no_content'],
    ['no body', message(HEADER, ''), 'body no_content'],
    ['blanks', message(HEADER, ' \r\n\r\n'), 'body no_content'],
    ['nothing right', message(['Subject: x']), 'address empty'],
    ['an unknown encoding', single('text/plain', 'x-uuencode'), 'body transfer_encoding'],
    ['broken base64', single('text/plain', 'base64', 'aGVsbG8=\r\n-- \r\nfooter'), 'body base64'],
    ['a charset that cannot be read', single('text/plain; charset=utf-7', '8bit'), 'body charset'],
    ['another', single('text/plain; charset=cp850', '8bit'), 'body charset'],
    [
      'bytes outside the charset',
      single('text/plain; charset=utf-8', '8bit', Buffer.from([0x61, 0xff])),
      'body text_encoding',
    ],
    ['NUL', single('text/plain', '8bit', 'a\0b'), 'body control'],
    [
      'an encoded multipart',
      message(
        [...HEADER, 'Content-Type: multipart/mixed; boundary=b', 'Content-Transfer-Encoding: base64'],
        '--b\r\n\r\nx\r\n--b--',
      ),
      'body transfer_encoding',
    ],
    ['a multipart without boundary', single('multipart/mixed', '7bit'), 'body boundary'],
    ['a multipart without parts', single('multipart/mixed; boundary=b', '7bit'), 'body boundary'],
    [
      'a name that is half quoted',
      multipart('multipart/mixed', [part('Content-Disposition: attachment; filename="..".txt')]),
      'body content_disposition',
    ],
    ['two boundaries', single('multipart/mixed; boundary=a; boundary=b', '7bit'), 'body content_type'],
    ['no type', single('nonsense', '7bit'), 'body content_type'],
    [
      'two content types',
      message([...HEADER, 'Content-Type: text/plain', 'Content-Type: text/html']),
      'body duplicate_header',
    ],
    [
      'two encodings in a part',
      multipart('multipart/mixed', [
        part('Content-Transfer-Encoding: 7bit', 'Content-Transfer-Encoding: base64'),
      ]),
      'body duplicate_header',
    ],
    [
      'signed MIME in eight bits',
      multipart('multipart/signed', [part('Content-Type: text/plain', 'X-A: é')]),
      'body signed_or_encrypted',
    ],
    [
      'encrypted MIME in eight bits',
      multipart('multipart/encrypted', [part('Content-Type: text/plain', 'X-A: é')]),
      'body signed_or_encrypted',
    ],
    [
      'a long subject',
      message(['From: a@example.com', 'To: b@example.org', `Subject: ${'x'.repeat(999)}`]),
      'body too_long',
    ],
    [
      'a line break encoded into the subject',
      message(['From: a@example.com', 'To: b@example.org', 'Subject: =?utf-8?q?a=0D=0ABcc:_x?=']),
      'body control',
    ],
    [
      'a line break encoded into an X header',
      message([...HEADER, 'X-A: =?utf-8?b?YQ0KQmNjOiB4?=']),
      'body control',
    ],
    [
      'a subject outside its charset',
      message(['From: a@example.com', 'To: b@example.org', 'Subject: =?utf-8?q?=FF?=']),
      'body text_encoding',
    ],
    [
      'a name outside its charset',
      message(['From: =?utf-8?q?Jos=E9?= <a@example.com>', 'To: b@example.org']),
      'body text_encoding',
    ],
    [
      '51 X headers',
      message([...HEADER, ...Array.from({ length: 51 }, (_, i) => `X-${i}: v`)]),
      'body too_many',
    ],
  ])('%s', (_, raw, result) => {
    expect(outcome(raw)).toBe(result);
  });
});
