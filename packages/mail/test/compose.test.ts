import { leafParts } from '@acuse/evidence/mime-parts';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { type AttachmentSource, createAttachment } from '../src/attachment.ts';
import { type ComposedPart, type ComposeInput, compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { bodyText, subjectText } from '../src/header-text.ts';
import { MailInputError } from '../src/input-error.ts';
import { parseMailbox } from '../src/mailbox.ts';
import { asText, composeInput, SEED } from './support/factories.ts';
import { hasPython, readWithPython } from './support/python-mail.ts';
import { expectTransitProof } from './support/transit.ts';

const html = bodyText('<p>Thank you.</p><img src="cid:logo">', 'html');
const bytes = (text: string) => new TextEncoder().encode(text);

function file(changes: Partial<AttachmentSource> = {}) {
  const source = {
    filename: 'receipt.pdf',
    contentType: 'application/pdf',
    content: bytes('%PDF-1.7'),
    ...changes,
  };
  return createAttachment(source, 'attachments[0]');
}

function reasonOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof MailInputError) return `${error.about} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

/** Read by postal-mime, which must never see a header that is not ours. */
async function read(input: ComposeInput): Promise<Email> {
  const { raw } = compose(input);
  expectTransitProof(raw);
  return PostalMime.parse(raw);
}

describe('the bytes', () => {
  it('are these for a small message', () => {
    expect(
      asText(compose(composeInput({ text: bodyText('Hola, señora.\r\nFrom here\n.\nend \rx', 'text') })).raw),
    ).toBe(
      [
        `Service-Evidence: v=1; id=${SEED};`,
        ' log=log.example.com/acuse',
        'From: Acme <billing@example.com>',
        'To: ana@example.org',
        'Subject: Your receipt',
        'Date: Thu, 20 Nov 2025 09:40:00 +0000',
        `Message-ID: <${SEED}@example.com>`,
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Hola, se=C3=B1ora.',
        '=46rom here',
        '=2E',
        'end=20',
        'x',
        '',
      ].join('\r\n'),
    );
  });

  it('are the same again for the same input', () => {
    const input = () => composeInput({ html, attachments: [file()] });
    expect(compose(input()).raw).toEqual(compose(input()).raw);
  });

  it('keep an empty subject, an empty text and an empty file', async () => {
    const input = composeInput({
      subject: subjectText(''),
      text: bodyText('', 'text'),
      attachments: [file({ content: bytes('') })],
    });
    const email = await read(input);
    expect(asText(compose(input).raw)).toContain('\r\nSubject:\r\n');
    expect(email.attachments).toHaveLength(1);
    expect(new Uint8Array(email.attachments[0]!.content as ArrayBuffer)).toHaveLength(0);
  });

  it('hold raw UTF-8 in the header for an address that needs it, and say so', () => {
    const composed = compose(
      composeInput({ headerTo: [parseMailbox('José Gómez Ibarra <josé@example.org>')] }),
    );
    expect(composed.needsSmtputf8).toBe(true);
    expect(asText(composed.raw)).toContain(
      'To: =?UTF-8?Q?Jos=C3=A9_G=C3=B3mez_Ibarra?= <josé@example.org>\r\n',
    );
    expectTransitProof(composed.raw, { utf8Header: true });
  });
});

describe('the structure', () => {
  const logo = () => file({ filename: 'logo.png', contentType: 'image/png', contentId: 'logo' });
  const table: [name: string, changes: Partial<ComposeInput>, types: string[]][] = [
    ['text', {}, ['text/plain']],
    ['html', { text: undefined, html }, ['text/html']],
    ['both', { html }, ['multipart/alternative', 'text/plain', 'text/html']],
    ['text and a file', { attachments: [file()] }, ['multipart/mixed', 'text/plain', 'application/pdf']],
    [
      'html and an image in it',
      { text: undefined, html, attachments: [logo()] },
      ['multipart/related', 'text/html', 'image/png'],
    ],
    [
      'everything',
      { html, attachments: [file(), logo()] },
      [
        'multipart/mixed',
        'multipart/alternative',
        'text/plain',
        'multipart/related',
        'text/html',
        'image/png',
        'application/pdf',
      ],
    ],
    ['an image without html', { attachments: [logo()] }, ['multipart/mixed', 'text/plain', 'image/png']],
  ];

  it.each(table)('of %s', async (_, changes, types) => {
    const input = composeInput(changes);
    const composed = compose(input);
    expectTransitProof(composed.raw);
    const leaves = types.filter((type) => !type.startsWith('multipart/'));
    expect(composed.parts.map((part) => part.mediaType)).toEqual(leaves);
    const found = asText(composed.raw).match(/(?<=^Content-Type: )[a-z]+\/[a-z]+/gm);
    expect(found).toEqual(types);
    const email = await PostalMime.parse(composed.raw);
    expect(email.attachments.map((it) => it.mimeType)).toEqual(
      leaves.filter((type) => !type.startsWith('text/')),
    );
  });

  it.skipIf(!hasPython)('is what Python reads, without a defect', () => {
    const messages = table.map(([, changes]) => compose(composeInput(changes)));
    const readings = readWithPython(messages.map((message) => message.raw));
    for (const [i, reading] of readings.entries()) {
      expect(reading.types).toEqual(table[i]![2]);
      expect(reading.defects).toEqual([]);
    }
  });

  it('says what the evidence commits to in each leaf', () => {
    const { parts } = compose(composeInput({ text: bodyText('a \r\nñ', 'text'), attachments: [file()] }));
    expect(parts).toEqual([
      { mediaType: 'text/plain', filename: null, content: bytes('a\nñ') },
      { mediaType: 'application/pdf', filename: 'receipt.pdf', content: bytes('%PDF-1.7') },
    ]);
  });

  it('keeps format=flowed', () => {
    const { raw } = compose(composeInput({ text: bodyText('a \nb', 'text'), flowed: 'flowed-delsp' }));
    expect(asText(raw)).toContain('Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n');
    expectTransitProof(raw);
  });
});

describe('attachments', () => {
  it.each([
    ['message/rfc822', 'application/octet-stream'],
    ['message/global', 'application/octet-stream'],
    ['multipart/mixed; boundary=x', 'application/octet-stream'],
    ['Application/PDF; name=x.pdf', 'application/pdf'],
    ['text/calendar; method=REQUEST; charset=utf-8', 'text/calendar'],
  ])('%s goes out as %s', async (contentType, type) => {
    const attachment = file({ contentType });
    expect(attachment.mediaType.type).toBe(type);
    const email = await read(composeInput({ attachments: [attachment] }));
    expect(email.attachments[0]!.mimeType).toBe(type);
  });

  it('keeps the parameters of a type', async () => {
    const invite = file({
      filename: 'invite.ics',
      contentType: 'text/calendar; method=REQUEST',
      content: bytes('BEGIN:VCALENDAR\n'),
    });
    const email = await read(composeInput({ attachments: [invite] }));
    expect(email.attachments[0]!.method).toBe('REQUEST');
  });

  const invitation = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:Reunión\r\nEND:VCALENDAR\r\n';
  it('have an invitation as the last alternative and as a file that is none', () => {
    const invite = file({
      filename: 'cita.ics',
      contentType: 'text/calendar; charset=UTF-8; method=REQUEST',
      content: bytes(invitation),
    });
    const composed = compose(composeInput({ text: bodyText('Cita', 'text'), html, attachments: [invite] }));
    expectTransitProof(composed.raw);
    const types = asText(composed.raw).match(/^Content-Type: [^\r]+/gm);
    expect(types).toEqual([
      expect.stringContaining('multipart/mixed'),
      expect.stringContaining('multipart/alternative'),
      'Content-Type: text/plain; charset=utf-8',
      'Content-Type: text/html; charset=utf-8',
      'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
      'Content-Type: application/ics; charset=UTF-8',
    ]);
    // A reader finds what the evidence commits to.
    const plain = (parts: readonly ComposedPart[]) =>
      parts.map((it) => ({ ...it, content: Buffer.from(it.content).toString('latin1') }));
    expect(plain(leafParts(composed.raw))).toEqual(plain(composed.parts));
  });

  it.each([
    ['no method', { contentType: 'text/calendar' }],
    ['a method that is no token', { contentType: 'text/calendar; method="RE QUEST"' }],
    ['another charset', { contentType: 'text/calendar; method=REQUEST; charset=iso-8859-1' }],
    ['octets that are not UTF-8', { content: Buffer.from(invitation, 'latin1') }],
    ['no calendar in it', { content: bytes('%PDF-1.7') }],
    ['an id, as html shows it', { contentId: 'cita' }],
  ])('leave a calendar a file that has %s', (_, changes) => {
    const source = { contentType: 'text/calendar; method=REQUEST', content: bytes(invitation), ...changes };
    const { raw } = compose(composeInput({ html, attachments: [file(source)] }));
    expect(asText(raw)).not.toMatch(/^Content-Type: text\/calendar; charset=utf-8; method/m);
    expect(asText(raw)).toMatch(/^Content-Type: text\/calendar/m);
  });

  const names = [
    'a.txt',
    'with space.txt',
    'quote".txt',
    "it's (1); final=.txt",
    '=?utf-8?q?x?=.txt',
    'año — résumé.pdf',
    '請求書.pdf',
    '👩‍💻.png',
    `${'long-'.repeat(30)}.txt`,
    `${'ñ'.repeat(120)}.txt`,
    "utf-8''%41.txt",
    '100%.txt',
  ];
  it.each(names)('are named %s', async (filename) => {
    const email = await read(composeInput({ attachments: [file({ filename })] }));
    expect(email.attachments[0]!.filename).toBe(
      decodeWords(filename) === filename ? filename : email.attachments[0]!.filename,
    );
  });

  it.skipIf(!hasPython)('are named the same by Python', () => {
    const messages = names.map(
      (filename) => compose(composeInput({ attachments: [file({ filename })] })).raw,
    );
    expect(readWithPython(messages).map((message) => message.parts[1]!.filename)).toEqual(names);
  });

  it.each<[Partial<AttachmentSource>, string]>([
    [{ filename: '' }, 'body filename'],
    [{ filename: '  ' }, 'body filename'],
    [{ filename: '..' }, 'body filename'],
    [{ filename: '../etc/passwd' }, 'body filename'],
    [{ filename: 'C:\\x' }, 'body filename'],
    [{ filename: 'a\r\nX: y' }, 'body control'],
    [{ filename: 'a\0' }, 'body control'],
    [{ filename: 'exe\u202egpj.' }, 'body invisible'],
    [{ filename: 'x'.repeat(256) }, 'body too_long'],
    [{ contentType: '' }, 'body media_type'],
    [{ contentType: 'pdf' }, 'body media_type'],
    [{ contentType: 'a/b/c' }, 'body media_type'],
    [{ contentType: 'text/plain\r\nX-Evil: 1' }, 'body media_type'],
    [{ contentType: 'text/plain; charset="a\r\nX-Evil: 1"' }, 'body control'],
    [{ contentType: 'text/plain; a=1; a=2' }, 'body media_type'],
    [{ contentType: `text/plain; ${'x'.repeat(31)}=1` }, 'body media_type'],
    [{ contentId: '' }, 'body content_id'],
    [{ contentId: 'a b' }, 'body content_id'],
    [{ contentId: 'a>\r\nX: y' }, 'body content_id'],
    [{ contentId: 'x'.repeat(129) }, 'body content_id'],
  ])('%j is refused: %s', (changes, reason) => {
    expect(reasonOf(() => file(changes))).toBe(reason);
  });

  it('come back byte for byte', async () => {
    const content = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 7 + (i >> 8)) & 255);
    const email = await read(composeInput({ attachments: [file({ content })] }));
    expect(Buffer.from(email.attachments[0]!.content as ArrayBuffer).equals(content)).toBe(true);
  });
});

describe('header injection', () => {
  const evil = ['\r\n', '\n', '\r', '\0', '\u0001', '\u007f', '\u0085', '\u2028', '\u2029', '\t', '\ud800'];
  const fields: Record<string, (control: string) => unknown> = {
    subject: (it) => subjectText(`a${it}Bcc: v@example.net`),
    from: (it) => parseMailbox(`A${it}Bcc: v@example.net <a@example.com>`),
    'from address': (it) => parseMailbox(`a${it}@example.com`),
    'quoted local part': (it) => parseMailbox(`"a${it}b"@example.com`),
    domain: (it) => parseMailbox(`a@example.com${it}`),
    filename: (it) => file({ filename: `a${it}b` }),
    'content type parameter': (it) => file({ contentType: `text/plain; x="a${it}b"` }),
    'X header': (it) => createCustomHeaders([['X-A', `a${it}Bcc: v@example.net`]]),
    'List header': (it) => createCustomHeaders([['List-Id', `a${it}b`]]),
    References: (it) => createCustomHeaders([['References', `<a@b.example>${it}<c@d.example>`]]),
    'header name': (it) => createCustomHeaders([[`X-A${it}Bcc`, 'b']]),
  };
  for (const [name, make] of Object.entries(fields)) {
    it.each(evil)(`${name} with %j`, (control) => {
      expect(reasonOf(() => make(control))).toMatch(/^(?:address|body) (?:control|header_name)$/);
    });
  }
});

describe('custom headers', () => {
  it.each([
    'Bcc',
    'From',
    'Received',
    'DKIM-Signature',
    'Subject',
    'Content-Type',
    'Resent-From',
    'Sender',
    'X:',
    'X-',
    'X A',
    'X-é',
    '',
    'Xtra',
    `X-${'a'.repeat(39)}`,
    'List',
    'Service-Evidence',
    '__proto__',
  ])('%s is not allowed', (name) => {
    expect(reasonOf(() => createCustomHeaders([[name, 'v']]))).toBe('body header_name');
  });

  it.each<[string, string, string]>([
    ['X-A', '', 'body empty'],
    ['X-A', '   ', 'body empty'],
    ['X-A', 'v'.repeat(995), 'body too_long'],
    ['X-A', 'v '.repeat(2100), 'body too_long'],
    ['References', 'nope', 'body message_id'],
    ['References', '<a@b.example> x', 'body message_id'],
    ['In-Reply-To', '<ñ@b.example>', 'body message_id'],
    ['List-Unsubscribe', '<https://é.example>', 'body not_ascii'],
    ['Feedback-ID', 'é', 'body not_ascii'],
  ])('%s: %s is refused: %s', (name, value, reason) => {
    expect(reasonOf(() => createCustomHeaders([[name, value]]))).toBe(reason);
  });

  it('stand once each and are not too many', () => {
    expect(
      reasonOf(() =>
        createCustomHeaders([
          ['X-A', '1'],
          ['x-a', '2'],
        ]),
      ),
    ).toBe('body duplicate');
    const many = Array.from({ length: 51 }, (_, i): [string, string] => [`X-${i}`, 'v']);
    expect(reasonOf(() => createCustomHeaders(many))).toBe('body too_many');
  });

  it('come back as given', async () => {
    const given: [string, string][] = [
      ['X-Ascii', `one two  three ${'word '.repeat(30)}end`],
      ['X-Unicode', 'año '.repeat(40).trim()],
      ['X-Json', `{"a":"${'b'.repeat(300)}"}`],
      ['X-Looks-Encoded', '=?utf-8?q?x?='],
      ['List-Unsubscribe', `<https://example.com/u/${'x'.repeat(200)}=?y>, <mailto:u@example.com>`],
      ['References', Array.from({ length: 12 }, (_, i) => `<${i}.${SEED}@example.com>`).join(' ')],
    ];
    const email = await read(composeInput({ headers: createCustomHeaders(given) }));
    for (const [name, value] of given) {
      const header = email.headers.find((it) => it.key === name.toLowerCase());
      expect(name === 'List-Unsubscribe' ? header?.value : decodeWords(header!.value)).toBe(value);
    }
  });
});

describe('subjects and names', () => {
  const subjects = [
    'a',
    'ñ',
    ' lead',
    'trail ',
    'a  b',
    `${'word '.repeat(60)}end`,
    'x'.repeat(998),
    'ñ'.repeat(499),
    '👩‍👩‍👧‍👦'.repeat(30),
    '=?utf-8?q?a?=',
    'a =?',
    '_ _',
    '?=',
    '日本語のとても長い件名'.repeat(12),
    `${'x'.repeat(74)} y`,
    'Re: [x] "q" <a@b>',
  ];
  it.each(subjects)('%s', async (subject) => {
    expect((await read(composeInput({ subject: subjectText(subject) }))).subject).toBe(subject);
  });

  it.skipIf(!hasPython)('read the same in Python', () => {
    const messages = subjects.map((subject) => compose(composeInput({ subject: subjectText(subject) })).raw);
    expect(readWithPython(messages).map((message) => message.subject)).toEqual(subjects);
  });

  it.each([
    'Acme',
    'Acme, Inc.',
    'A "B" C',
    'back\\slash',
    'José',
    '日本'.repeat(40),
    'word '.repeat(40).trim(),
    'x'.repeat(256),
    '=?utf-8?q?a?=',
  ])('%s', async (name) => {
    const headerFrom = parseMailbox(`"${name.replace(/["\\]/g, '\\$&')}" <a@example.com>`);
    const email = await read(composeInput({ headerFrom }));
    expect(email.from).toEqual({
      name: decodeWords(name) === name ? name : expect.any(String),
      address: 'a@example.com',
    });
  });

  it('refuses a subject over 998 bytes of UTF-8', () => {
    expect(reasonOf(() => subjectText('ñ'.repeat(500)))).toBe('body too_long');
  });
});

describe('limits', () => {
  it('has a body', () => {
    expect(reasonOf(() => compose(composeInput({ text: undefined })))).toBe('body no_content');
  });

  it('refuses NUL and half characters in bodies', () => {
    expect(reasonOf(() => bodyText('a\0', 'text'))).toBe('body control');
    expect(reasonOf(() => bodyText('a\ud800', 'html'))).toBe('body not_unicode');
  });

  it('takes 100 MIME entities and no more', () => {
    const files = (count: number) =>
      composeInput({ attachments: Array.from({ length: count }, () => file()) });
    expect(compose(files(98)).parts).toHaveLength(99);
    expect(reasonOf(() => compose(files(99)))).toBe('body too_many');
  });

  it('takes 25 MiB after encoding and no more', () => {
    const big = (size: number) => composeInput({ attachments: [file({ content: new Uint8Array(size) })] });
    expect(compose(big(18.2 * 1024 * 1024)).raw.length).toBeLessThanOrEqual(25 * 1024 * 1024);
    expect(reasonOf(() => compose(big(19 * 1024 * 1024)))).toBe('size too_large');
    expect(
      reasonOf(() => compose(composeInput({ text: bodyText('ñ'.repeat(5 * 1024 * 1024), 'text') }))),
    ).toBe('size too_large');
  });

  it('takes only a seed that cannot end the boundary', () => {
    expect(() => compose(composeInput({ boundarySeed: 'x' }))).toThrow(TypeError);
    expect(() => compose(composeInput({ boundarySeed: 'x"\r\n'.repeat(8) }))).toThrow(TypeError);
  });
});
