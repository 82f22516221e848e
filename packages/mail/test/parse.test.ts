import { describe, expect, it } from 'vitest';
import { mailboxesOf } from '../src/address-list.ts';
import { createAttachment } from '../src/attachment.ts';
import { compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { bodyText, subjectText } from '../src/header-text.ts';
import { MailInputError } from '../src/input-error.ts';
import { parseMailbox } from '../src/mailbox.ts';
import { type ParsedMessage, parseMessage } from '../src/parse.ts';
import { composeInput } from './support/factories.ts';

const HEADER = ['From: Acme <billing@example.com>', 'To: ana@example.org', 'Subject: Hi'];

function message(lines: readonly string[], body: string | Uint8Array = 'Hello\r\n'): Uint8Array {
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body as string)]);
}

/** A message with one line of the header replaced or left out. */
function withFrom(...lines: string[]): Uint8Array {
  return message([...lines, 'To: ana@example.org', 'Subject: Hi']);
}

function outcome(raw: Uint8Array): string {
  try {
    parseMessage(raw);
  } catch (error) {
    if (error instanceof MailInputError) return `${error.about} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

function texts(parsed: ParsedMessage) {
  return { text: parsed.text, html: parsed.html, files: parsed.attachments?.map((it) => it.filename) };
}

function multipart(type: string, parts: readonly string[], boundary = 'b'): Uint8Array {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return message([...HEADER, `Content-Type: ${type}; boundary="${boundary}"`], `${body}--${boundary}--\r\n`);
}

describe('reading', () => {
  it('takes what a message says, and what it says of itself', () => {
    const raw = message([
      ...HEADER,
      'Reply-To: =?utf-8?q?Jos=C3=A9?= <help@example.com>',
      'Date: Thu, 20 Nov 2025 09:40:00 +0000',
      'Message-ID: <m1@example.com>',
      'In-Reply-To: <m0@example.org>',
      'References: <x> <m0@example.org>\r\n\t<m00@example.org>',
      'X-Campaign: =?utf-8?q?oto=C3=B1o?=',
      'X-Campaign: second',
      'List-Unsubscribe: <https://example.com/u>',
      'Bcc: hidden@example.net',
      'Received: from a by b',
      'DKIM-Signature: v=1; b=x',
      'Service-Evidence: v=1; id=forged; log=x',
      'Return-Path: <x@example.net>',
    ]);
    const parsed = parseMessage(raw);
    expect(parsed.headerFrom.address).toBe('billing@example.com');
    expect(mailboxesOf(parsed.headerTo)[0]!.address).toBe('ana@example.org');
    expect(parsed.replyTo).toMatchObject([{ displayName: 'José', address: 'help@example.com' }]);
    expect(parsed.subject).toBe('Hi');
    expect(parsed.text).toBe('Hello\r\n');
    expect(parsed.submittedMessageId).toBe('m1@example.com');
    expect(parsed.submittedDateMs).toBe(Date.UTC(2025, 10, 20, 9, 40));
    expect(parsed.headers?.map(({ name, value }) => [name, value])).toEqual([
      ['In-Reply-To', '<m0@example.org>'],
      ['References', '<m0@example.org> <m00@example.org>'],
      ['X-Campaign', 'otoño'],
      ['List-Unsubscribe', '<https://example.com/u>'],
    ]);
    expect(parsed.droppedHeaders).toEqual([
      'Bcc',
      'Received',
      'DKIM-Signature',
      'Service-Evidence',
      'Return-Path',
    ]);
  });

  it.each([
    ['LF line ends', Buffer.from(`${HEADER.join('\n')}\n\nHello\n`)],
    [
      'the line of a mailbox file',
      Buffer.from(`From a@b.example Thu Nov 20 09:40:00 2025\n${HEADER.join('\n')}\n\nHello\n`),
    ],
    ['a Sender that is the From', message([...HEADER, 'Sender: billing@EXAMPLE.com'])],
    ['an empty Cc', message([...HEADER, 'Cc:'])],
    ['a name that is the address', withFrom('From: "billing@example.com" <billing@example.com>')],
    ['a folded From', withFrom('From: Acme\r\n <billing@example.com>')],
    ['a quoted local part', withFrom('From: "billing dept"@example.com')],
    ['UTF-8 in the header', withFrom('From: Añil <billing@example.com>')],
  ])('accepts %s', (_, raw) => {
    expect(outcome(raw)).toBe('accepted');
  });

  it.each<[string, string, string, string]>([
    ['charset=iso-8859-1', '8bit', 'señor', 'señor'],
    ['charset=us-ascii', '8bit', Buffer.from('señor').toString('latin1'), 'señor'],
    ['charset="shift_jis"', 'base64', 'k/qWe4zq', '日本語'],
    ['charset=utf-8', 'quoted-printable', 'se=C3=B1or = =\r\nx  \r\ny', 'señor = x\r\ny'],
    ['charset=utf-8', 'base64', 'aGVs\r\nbG8=\r\n', 'hello'],
    ['charset=utf-16le', 'base64', 'aABpAA==', 'hi'],
  ])('decodes %s in %s', (charset, encoding, body, text) => {
    const raw = message(
      [...HEADER, `Content-Type: text/plain; ${charset}`, `Content-Transfer-Encoding: ${encoding}`],
      Buffer.from(body, 'latin1'),
    );
    expect(parseMessage(raw).text).toBe(text);
  });
});

describe('structure', () => {
  const plain = 'Content-Type: text/plain\r\n\r\nplain';
  const html = 'Content-Type: text/html\r\n\r\n<p>html</p>';
  const pdf =
    'Content-Type: application/pdf; name="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==';

  it('takes the two forms of an alternative as one body', () => {
    expect(texts(parseMessage(multipart('multipart/alternative', [plain, html])))).toEqual({
      text: 'plain',
      html: '<p>html</p>',
      files: [],
    });
  });

  it('keeps texts that are no alternatives of each other as attachments', () => {
    expect(texts(parseMessage(multipart('multipart/mixed', [plain, html, pdf, plain])))).toEqual({
      text: 'plain',
      html: undefined,
      files: ['part-1.html', 'a.pdf', 'part-3.txt'],
    });
  });

  it('keeps content ids inside related only', () => {
    const image =
      'Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=l.png\r\n\r\nx';
    expect(parseMessage(multipart('multipart/related', [html, image])).attachments?.[0]?.contentId).toBe(
      'logo',
    );
    expect(
      parseMessage(multipart('multipart/mixed', [html, image])).attachments?.[0]?.contentId,
    ).toBeUndefined();
  });

  it('keeps an attached message whole, and format=flowed', () => {
    const attached = `Content-Type: message/rfc822\r\n\r\n${HEADER.join('\r\n')}\r\n\r\ninner`;
    const parsed = parseMessage(
      multipart('multipart/mixed', [
        'Content-Type: text/plain; format=flowed; DelSp=yes\r\n\r\na \r\nb',
        attached,
      ]),
    );
    expect(parsed.flowed).toBe('flowed-delsp');
    expect(texts(parsed).files).toEqual(['part-1.eml']);
    expect(Buffer.from(parsed.attachments![0]!.content).toString()).toBe(
      `${HEADER.join('\r\n')}\r\n\r\ninner`,
    );
  });

  it.each([
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\dir\\\\a.txt"', 'a.txt'],
    ["filename*=utf-8''a%0D%0AX%3A%20y", 'part-1.bin'],
    ["filename*=utf-8''exe%E2%80%AEgpj.txt", 'part-1.bin'],
    ['filename="=?utf-8?q?a=C3=B1o.pdf?="', 'año.pdf'],
    ["filename*0*=utf-8''a%C3; filename*1*=%B1o; filename*2=.pdf", 'año.pdf'],
    ["filename=plain.txt; filename*=utf-8''%C3%A1.txt", 'á.txt'],
    ['filename=my file.pdf', 'my file.pdf'],
    ['filename=Invoice(1).pdf', 'Invoice(1).pdf'],
  ])('an attachment with %s is named %s', (parameter, filename) => {
    const part = `Content-Type: application/x-thing\r\nContent-Disposition: attachment; ${parameter}\r\n\r\nx`;
    expect(texts(parseMessage(multipart('multipart/mixed', [plain, part]))).files).toEqual([filename]);
  });
});

function withTo(to: string) {
  return message(['From: billing@example.com', `To: ${to}`]);
}

describe('a disposition', () => {
  it.each([
    ['inline', false],
    ['attachment', true],
    // Malformed and unknown ones, the same to whoever reads the message written anew. RFC 2183 §2.8
    ["filename*=utf-8''a.txt", true],
    ['; size=1', true],
    ['form-data', true],
  ])('%s: attached %s', (disposition, attached) => {
    const lines = [...HEADER, 'Content-Type: text/plain', `Content-Disposition: ${disposition}`];
    const parsed = parseMessage(message(lines, 'Hello'));
    expect(parsed.text === undefined).toBe(attached);
    const again = parseMessage(compose({ ...composeInput(), ...parsed }).raw);
    expect(again.attachments?.length).toBe(parsed.attachments?.length);
  });
});

describe('To and Cc', () => {
  it.each([
    ['none', [], '', ''],
    ['several', ['To: Ana <ana@example.org>, b@example.org', 'Cc: c@example.org'], 'ana@ b@', 'c@'],
    ['a comma in a quoted name', ['To: "Gómez, Ana" <ana@example.org>, b@example.org'], 'ana@ b@', ''],
    ['an encoded name', ['To: =?utf-8?q?Jos=C3=A9?= <jose@example.org>,', ' b@example.org'], 'jose@ b@', ''],
    ['a quoted local part with a comma', ['To: "a,b"@example.org, b@example.org'], '"a,b"@ b@', ''],
    ['empty items', ['To: , a@example.org, ,b@example.org,'], 'a@ b@', ''],
    ['nobody named', ['To: undisclosed-recipients:;'], '', ''],
    [
      'a group beside others',
      ['To: x@example.org, Team: a@example.org, b@example.org;, y@example.org'],
      'x@ a@ b@ y@',
      '',
    ],
    ['a group of a name to encode', ['Cc: =?utf-8?q?Direcci=C3=B3n?=: a@example.org;'], '', 'a@'],
  ])('%s: read, and written as they were', (_name, lines, to, cc) => {
    const parsed = parseMessage(message(['From: billing@example.com', ...lines]));
    const short = (items: typeof parsed.headerTo) =>
      mailboxesOf(items)
        .map((it) => it.address.replace(/example\.org$/, ''))
        .join(' ');
    expect([short(parsed.headerTo), short(parsed.headerCc)]).toEqual([to, cc]);
    const again = parseMessage(compose({ ...composeInput(), ...parsed }).raw);
    expect([again.headerTo, again.headerCc]).toEqual([parsed.headerTo, parsed.headerCc]);
  });
});

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
      'an address as the name',
      withFrom('From: ceo@bank.example <billing@example.com>'),
      'address display_name',
    ],
    [
      'a quoted address as the name',
      withFrom('From: "ceo@bank.example" <billing@example.com>'),
      'address display_name',
    ],
    [
      'an encoded address as the name',
      withFrom('From: =?utf-8?q?ceo=40bank.example?= <billing@example.com>'),
      'address display_name',
    ],
    [
      'an address in wide letters as the name',
      withFrom('From: ceo＠bank.example <billing@example.com>'),
      'address display_name',
    ],
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
    ['a comment', withFrom('From: billing@example.com (ceo@bank.example)'), 'address comment'],
    ['a comment inside', withFrom('From: billing(ceo@bank.example)@example.com'), 'address comment'],
    ['a route', withFrom('From: <@bank.example:billing@example.com>'), 'address route'],
    ['an address literal', withFrom('From: billing@[192.0.2.1]'), 'address address_literal'],
    [
      'a direction override in the name',
      withFrom('From: A\u202eecmA <billing@example.com>'),
      'address invisible',
    ],
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
    ['an address hidden in a name', withTo('"x@evil.example" <a@example.org>'), 'address display_name'],
    [
      'a list that two readers split apart',
      withTo('"a <x@evil.example>, b" <a@example.org>'),
      'address display_name',
    ],
    ['501 addresses', withTo(Array(501).fill('a@example.org').join(',')), 'address list'],
    ['two subjects', message([...HEADER, 'Subject: other']), 'body duplicate_header'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([
        Buffer.from('From: '),
        Buffer.from([0xe9]),
        Buffer.from(' <billing@example.com>\r\n\r\nx'),
      ]),
      'body header_encoding',
    ],
  ];
  it.each(table)('%s', (_, raw, result) => {
    expect(outcome(raw)).toBe(result);
  });

  it('a look-alike domain is another domain', () => {
    expect(parseMessage(withFrom('From: billing@ехample.com')).headerFrom.domain).toMatch(/^xn--/);
    expect(parseMessage(withFrom('From: billing@EXAMPLE。com')).headerFrom.domain).toBe('example.com');
  });
});

describe('messages without text', () => {
  const file = (type: string, name: string) =>
    `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx`;
  const calendar = 'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR';
  it.each<[string, Uint8Array, string[], boolean]>([
    [
      'a PDF from a scanner',
      multipart('multipart/mixed', [file('application/pdf', 'scan.pdf')]),
      ['scan.pdf'],
      false,
    ],
    [
      'a PDF that is the whole body',
      message([...HEADER, 'Content-Type: application/pdf', 'Content-Transfer-Encoding: base64'], 'JVBERg=='),
      ['part-1.pdf'],
      false,
    ],
    [
      'images only',
      multipart('multipart/mixed', [file('image/png', 'a.png'), file('image/jpeg', 'b.jpg')]),
      ['a.png', 'b.jpg'],
      false,
    ],
    ['an invitation', multipart('multipart/mixed', [calendar]), ['part-1.ics'], false],
    [
      'a message alone',
      multipart('multipart/mixed', ['Content-Type: message/rfc822\r\n\r\nFrom: a@b.example\r\n\r\nx']),
      ['part-1.eml'],
      false,
    ],
    [
      'an empty text beside a file',
      multipart('multipart/mixed', ['\r\n', file('application/pdf', 'a.pdf')]),
      ['a.pdf'],
      true,
    ],
  ])('%s is taken, and goes out', (_, raw, names, hasText) => {
    const parsed = parseMessage(raw);
    expect([texts(parsed).files, parsed.text !== undefined]).toEqual([names, hasText]);
    const { raw: written } = compose({ ...composeInput({ text: undefined }), ...parsed });
    expect(texts(parseMessage(written)).files).toEqual(names);
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
    ['an unknown charset', single('text/plain; charset=x-unknown', '8bit'), 'body charset'],
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
      '51 X headers',
      message([...HEADER, ...Array.from({ length: 51 }, (_, i) => `X-${i}: v`)]),
      'body too_many',
    ],
  ])('%s', (_, raw, result) => {
    expect(outcome(raw)).toBe(result);
  });
});

it('reads back what compose wrote, to the same bytes', () => {
  const content = new TextEncoder().encode('%PDF');
  const input = composeInput({
    headerFrom: parseMailbox('"Acme, Inc." <billing@example.com>'),
    headerTo: [parseMailbox('José <josé@münchen.example>')],
    replyTo: [parseMailbox('help@example.com')],
    subject: subjectText('Año  nuevo '),
    text: bodyText('Hola\n\nFrom here \n.\n', 'text'),
    html: bodyText('<img src="cid:logo">\n', 'html'),
    headers: createCustomHeaders([
      ['X-A', 'año'],
      ['References', '<a@example.com> <b@example.com>'],
    ]),
    attachments: [
      createAttachment({ filename: 'año.pdf', contentType: 'application/pdf', content }, 'a'),
      createAttachment({ filename: 'logo.png', contentType: 'image/png', content, contentId: 'logo' }, 'a'),
    ],
  });
  const raw = compose(input).raw;
  const parsed = parseMessage(raw);
  const again = compose({ ...input, ...parsed });
  expect(Buffer.from(again.raw).toString()).toBe(Buffer.from(raw).toString());
});
