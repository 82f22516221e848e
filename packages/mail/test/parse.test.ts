import { describe, expect, it } from 'vitest';
import { mailboxesOf } from '../src/address-list.ts';
import { createAttachment } from '../src/attachment.ts';
import { compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { bodyText, subjectText } from '../src/header-text.ts';
import { parseMailbox } from '../src/mailbox.ts';
import { parseMessage } from '../src/parse.ts';
import { composeInput } from './support/factories.ts';
import { HEADER, message, multipart, outcome, texts, withFrom } from './support/written.ts';

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
    expect(parsed.warnings.map(({ code, field }) => [code, field])).toEqual([
      ['header_dropped', 'DKIM-Signature'],
      ['header_dropped', 'Service-Evidence'],
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
    ["filename*=utf-8''a%0D%0AX%3A%20y", 'aX: y'],
    ["filename*=utf-8''exe%E2%80%AEgpj.txt", 'exegpj.txt'],
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
