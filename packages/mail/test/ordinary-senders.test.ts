import { describe, expect, it } from 'vitest';
import { isGroup } from '../src/address-list.ts';
import { compose } from '../src/compose.ts';
import type { MessageId } from '../src/header-text.ts';
import { type ParsedMessage, parseMessage } from '../src/parse.ts';
import { corpusFiles } from './support/corpus.ts';

/** Mail of programs in use, however odd, is taken, and says what people meant. */

const FROM = 'From: S <s@sender.test>';
const TO = 'To: ana@plain.test';

function message(lines: readonly string[], body: string | Uint8Array = 'x'): Uint8Array {
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

function sent(parsed: ParsedMessage): string {
  const { raw } = compose({
    ...parsed,
    messageId: 'a@sender.test' as MessageId,
    dateMs: 0,
    evidence: null,
    boundarySeed: '0123456789abcdef',
  });
  return Buffer.from(raw).toString('latin1');
}

const codes = ({ warnings }: ParsedMessage) => warnings.map(({ code, field }) => `${code} ${field}`);
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('names with an @ in them', () => {
  it.each([
    ['"ana@cliente.test via Tienda" <s@sender.test>', 'ana via Tienda', true],
    ['"\'ana@cliente.test\' via Tienda" <s@sender.test>', "'ana' via Tienda", true],
    ['ana@cliente.test via Tienda <s@sender.test>', 'ana via Tienda', true],
    ['=?utf-8?Q?ana=40cliente=2Etest_v=C3=ADa_Tienda?= <s@sender.test>', 'ana vía Tienda', true],
    ['"Tienda (ana@cliente.test)" <s@sender.test>', 'Tienda (ana)', true],
    ['"Tienda <ana@cliente.test>" <s@sender.test>', 'Tienda <ana>', true],
    [utf8('"ceo＠bank。example" <s@sender.test>'), 'ceo', true],
    ['"ceo@bank.example." <s@sender.test>', 'ceo', true],
    ['"a@x.test, b@y.test" <s@sender.test>', 'a, b', true],
    ['"ventas@sender.test" <s@sender.test>', 'ventas@sender.test', false],
    ['"Ventas (ventas@SENDER.test)" <s@sender.test>', 'Ventas (ventas@SENDER.test)', false],
    ['"@tienda" <s@sender.test>', '@tienda', false],
    ['"Caf\xe9 @ Centro" <s@sender.test>', 'Café @ Centro', false],
    ['"s@sender.test" <s@sender.test>', undefined, false],
    ['s@sender.test (Tienda)', 'Tienda', false],
    ['s@sender.test (=?utf-8?Q?Caf=C3=A9?= Centro)', 'Café Centro', false],
    ['<s@sender.test> (Tienda)', 'Tienda', false],
    ['s@sender.test ()', undefined, false],
    ['Tienda (Ventas, Norte) <s@sender.test>', 'Tienda (Ventas, Norte)', false],
    ['Tienda <s@sender.test> (Ventas)', 'Tienda (Ventas)', false],
    ['s@sender.test (ceo@bank.example)', 'ceo', true],
    ['"@bank.example" <s@sender.test>', '@bank.example', false],
  ])('From: %s', (from, name, changed) => {
    const parsed = parseMessage(message([`From: ${from}`, TO]));
    expect(parsed.headerFrom.address).toBe('s@sender.test');
    expect(parsed.headerFrom.displayName).toBe(name);
    expect(codes(parsed).includes('name_changed from')).toBe(changed);
    // Read again it is the same, and nothing is left to change.
    const again = parseMessage(Buffer.from(sent(parsed), 'latin1'));
    expect(again.headerFrom).toEqual(parsed.headerFrom);
    expect(again.warnings).toEqual([]);
  });

  it.each([
    ['"Ana (ana@plain.test)" <ana@plain.test>', 'To: "Ana (ana@plain.test)" <ana@plain.test>\r\n'],
    ['"x@evil.example" <ana@plain.test>', 'To: "x@evil.example" <ana@plain.test>\r\n'],
    ['=?utf-8?Q?ana=40plain=2Etest?= <ana@plain.test>', 'To: ana@plain.test\r\n'],
    ['ana@plain.test (G\xf3mez, Ana)', /^To: =\?UTF-8\?/m],
    // Characters at which careless readers cut, a comma or a bracket, are encoded.
    ['"a <x@evil.example>, b" <ana@plain.test>', /^To: =\?UTF-8\?[QB]\?[^?]+\?=\r?\n? <ana@plain\.test>\r$/m],
    ['"G\xf3mez, Ana (ana@plain.test)" <ana@plain.test>', /^To: =\?UTF-8\?/m],
  ])('To: %s', (to, written) => {
    for (const name of ['To', 'Cc', 'Reply-To']) {
      const lines = name === 'To' ? [FROM, `To: ${to}`] : [FROM, TO, `${name}: ${to}`];
      const parsed = parseMessage(message(lines));
      const list = { To: parsed.headerTo, Cc: parsed.headerCc, 'Reply-To': parsed.replyTo }[name]!;
      expect(list).toMatchObject([{ address: 'ana@plain.test' }]);
      if (name === 'To') expect(sent(parsed)).toMatch(written);
    }
  });
});

it('commas in parentheses separate no addresses, and many of these cost little', () => {
  const listed = parseMessage(message([FROM, 'To: ana@plain.test (G, A), Beto (x, y) <beto@plain.test>']));
  expect(listed.headerTo).toMatchObject([
    { address: 'ana@plain.test', displayName: 'G, A' },
    { address: 'beto@plain.test', displayName: 'Beto (x, y)' },
  ]);
  expect(() => parseMessage(message([FROM, `To: ${'('.repeat(60_000)}`]))).toThrow();
});

describe('encoded-words', () => {
  it.each([
    ['=?utf-8?B?w7HDs8M=?=\r\n =?utf-8?B?scOz?=', 'ñóñó'],
    ['=?UTF-8?B?w7HDs8M=?= =?utf-8?Q?=B1=C3=B3?=', 'ñóñó'],
    ['=?utf-8?Q?=C3?= =?utf-8?Q?=B1?=', 'ñ'],
    ['=?utf-8?B?8J8=?= =?utf-8?B?mIA=?=', '😀'],
    ['=?utf-8?B?w7HDs?= =?utf-8?B?8OxwQ==?=', null],
    ['=?utf-8?B?w7HDs?= =?utf-8?B?8OxwrE=?=', 'ñóñ±'],
    ['=?utf-8?Q?documentaci=C3=B3n_?= =?utf-8?Q?adicional?=', 'documentación adicional'],
    ['=?utf-8?Q?documentaci=C3=B3n?= =?utf-8?Q?_adicional_?=', 'documentación adicional'],
    ['"=?utf-8?Q?Jos=C3=A9?="', 'José'],
    ['"=?utf-8?Q?Jos=C3=A9?= P=?utf-8?Q?=C3=A9?=rez"', 'José Pérez'],
    ['=?iso-8859-1?Q?Jos=E9?= =?utf-8?Q?_P=C3=A9rez?=', 'José Pérez'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['=?iso-2022-jp?B?GyRCRnwbKEI=?=\r\n =?ISO-2022-JP?B?GyRCS1wbKEI=?=', '日本'],
    ['=?iso-2022-jp?B?GyRCRnwbKEo=?= =?iso-2022-jp?B?GyRCS1wbKEJhYg==?=', '日本ab'],
    ['=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?S1wbKEI=?=', '日本'],
    ['=?utf-8*es?Q?Jos=C3=A9?=', 'José'],
    ['=?utf-8?Q?Jos=C3=A9 P=C3=A9rez?=', 'José Pérez'],
    ['=?unknown-8bit?Q?Jos=E9?=', 'José'],
    ['=?x-unknown?Q?Jos=C3=A9?=', 'José'],
  ])('%s in every header', (word, text) => {
    const lines = (from: string, subject: string) => [
      `From: ${from} <s@sender.test>`,
      `To: ${from} <a@b.test>`,
      subject,
    ];
    const read = () => parseMessage(message(lines(word, `Subject: ${word.replaceAll('"', '')}`)));
    if (text === null) return expect(read).toThrow(/not valid in its charset/);
    const parsed = read();
    expect(parsed.headerFrom.displayName).toBe(text);
    expect(parsed.headerTo).toMatchObject([{ displayName: text }]);
    expect(parsed.subject.trim()).toBe(text);
    expect(sent(parsed)).not.toMatch(/=EF=BF=BD|77\+9/);
    expect(parseMessage(Buffer.from(sent(parsed), 'latin1')).headerFrom.displayName).toBe(text);
  });
});

describe('headers', () => {
  const CARRIED = [
    'Importance: high',
    'Priority: urgent',
    'Sensitivity: Company-Confidential',
    'Precedence: bulk',
    'Content-Class: urn:content-classes:message',
    'Organization: Caf=?utf-8?Q?=C3=A9?=',
    'Keywords: factura, noviembre',
    'Comments: c',
    'Thread-Topic: x',
    'Thread-Index: AdpX==',
    'Reply-By: Thu, 26 Nov 2099 10:00:00 +0000',
    'Expires: Thu, 26 Nov 2099 10:00:00 +0000',
    'BIMI-Selector: v=BIMI1; s=a',
    'Autocrypt: addr=s@sender.test; keydata=AA==',
    'Disposition-Notification-To: "S, Ventas" <s@sender.test>',
    'Mail-Followup-To: s@sender.test',
    'TLS-Required: No',
  ];
  const DROPPED = [
    'Errors-To: s@sender.test',
    'Approved: x',
    'Return-Receipt-To: s@sender.test',
    'Content-MD5: x',
  ];

  it('that are harmless are sent, and every other is named', () => {
    const parsed = parseMessage(
      message([FROM, 'Sender: s@sender.test', TO, ...CARRIED, ...DROPPED, 'Received: x']),
    );
    const out = sent(parsed);
    for (const line of CARRIED.filter((each) => !each.startsWith('Organization')))
      expect(out).toContain(`${line}\r\n`);
    expect(out).toContain('Organization: =?UTF-8?B?Q2Fmw6k=?=\r\n');
    expect(codes(parsed)).toEqual(
      ['Sender', 'Errors-To', 'Approved', 'Return-Receipt-To', 'Content-MD5'].map(
        (it) => `header_dropped ${it}`,
      ),
    );
  });

  it.each([
    'TLS-Required: Yes',
    'Disposition-Notification-To: nobody',
    `Disposition-Notification-To: ${utf8('josé@sender.test')}`,
    `Importance: ${utf8('muy')}${utf8('é')}`,
  ])('that cannot be written are named, and refuse nothing: %s', (line) => {
    const parsed = parseMessage(message([FROM, TO, line]));
    expect(codes(parsed)).toEqual([`header_dropped ${line.split(':')[0]}`]);
    expect(sent(parsed)).not.toContain(line.split(':')[0]);
  });

  it('of a part that are not sent are named, if they say anything about it', () => {
    const part = '--b\r\nContent-MD5: x\r\nX-Attachment-Id: f\r\nContent-Language: es\r\n\r\nx\r\n--b--';
    const parsed = parseMessage(message([FROM, TO, 'Content-Type: multipart/mixed; boundary=b'], part));
    expect(codes(parsed)).toEqual(['header_dropped Content-MD5']);
    expect(sent(parsed)).toContain('Content-Language: es\r\n');
  });

  it('take no room from those that were always sent', () => {
    const many = Array.from({ length: 50 }, (_, at) => `X-${at}: v`);
    const parsed = parseMessage(message([FROM, TO, 'Importance: high', ...many]));
    expect(parsed.headers).toHaveLength(50);
    expect(codes(parsed)).toEqual(['header_dropped Importance']);
  });
});

describe('charsets that are none', () => {
  const LATIN = Buffer.from('a\xf1o 100 \x80', 'latin1');
  it.each<[string, Uint8Array, string, string, boolean]>([
    ['text/plain', LATIN, 'año 100 €', 'windows-1252', true],
    ['text/plain; charset=us-ascii', LATIN, 'año 100 €', 'windows-1252', true],
    ['text/plain; charset=unknown-8bit', LATIN, 'año 100 €', 'windows-1252', true],
    ['text/plain; charset=x-unknown', LATIN, 'año 100 €', 'windows-1252', true],
    ['text/plain; charset=default', Buffer.from('año'), 'año', 'utf-8', true],
    ['text/plain; charset=""', LATIN, 'año 100 €', 'windows-1252', true],
    ['text/plain; charset=ansi', LATIN, 'año 100 €', 'windows-1252', true],
    ["text/plain; charset='utf-8'", Buffer.from('año'), 'año', 'utf-8', false],
    ["text/plain; charset='utf-8'", Buffer.from('ano'), 'ano', 'utf-8', false],
    ['text/plain; charset=utf_8', Buffer.from('año'), 'año', 'utf-8', false],
    ['text/plain; charset=utf8mb4', Buffer.from('año'), 'año', 'utf-8', false],
    ['text/plain; charset=latin-1', LATIN, 'año 100 €', 'windows-1252', false],
    ['text/plain; charset=iso_8859-1', Buffer.from([0xf1]), 'ñ', 'iso_8859-1', false],
    ['text/plain; charset=8859-15', Buffer.from([0xa4]), '€', 'iso-8859-15', false],
    ['text/plain; charset=x-unknown', Buffer.from('ano'), 'ano', 'us-ascii', false],
    ['text/plain', Buffer.from('año'), 'año', 'utf-8', false],
  ])('%s over %s', (type, body, text, charset, guessed) => {
    const parsed = parseMessage(message([FROM, TO, `Content-Type: ${type}`], body));
    expect(parsed.text).toBe(text);
    expect(codes(parsed)).toEqual(guessed ? ['charset_guessed body'] : []);
    const out = sent(parsed);
    expect(out).toMatch(new RegExp(`^Content-Type: text/plain; charset="?${charset}"?\r$`, 'm'));
    // Its octets are those that were given.
    expect(parseMessage(Buffer.from(out, 'latin1')).text?.trim()).toBe(text);
  });

  it('in a header', () => {
    const parsed = parseMessage(message([FROM, TO, 'Subject: Facturaci\xf3n']));
    expect(parsed.subject).toBe('Facturación');
    expect(codes(parsed)).toEqual(['charset_guessed header']);
  });

  it('in a part that is no body', () => {
    const csv = '--b\r\n\r\nx\r\n--b\r\nContent-Type: text/csv\r\n\r\na\xf1o;1\r\n--b--';
    const raw = message([FROM, TO, 'Content-Type: multipart/mixed; boundary=b'], Buffer.from(csv, 'latin1'));
    expect(sent(parseMessage(raw))).toContain('Content-Type: text/csv; charset=windows-1252\r\n');
  });

  it('are refused where they exist and do not hold the text, with the part and the fix', () => {
    const raw = message([FROM, TO, 'Content-Type: text/plain; charset=utf-8'], LATIN);
    expect(() => parseMessage(raw)).toThrow(
      'the part of 9 bytes (text/plain; charset=utf-8) is not valid in its charset: write it in that charset, name the charset that it is in, or name none',
    );
  });
});

describe('file names', () => {
  it.each([
    ['filename="C:\\Temp\\nuevo.pdf"', 'nuevo.pdf'],
    ['filename="C:\\Temp\\"; name="x.pdf"', null],
    ['filename="\\\\servidor\\c\\nuevo.pdf"', 'nuevo.pdf'],
    ['filename="C:\\\\Temp\\\\nuevo.pdf"', 'nuevo.pdf'],
    ['filename="a \\"b\\".pdf"', 'a "b".pdf'],
    ['filename="/home/ana/nuevo.pdf"', 'nuevo.pdf'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename=".htaccess"', '.htaccess'],
    ['filename="a\tb.pdf"', 'a b.pdf'],
    ["filename*=utf-8''C%3A%5CTemp%5Ca%C3%B1o.pdf", 'año.pdf'],
  ])('%s', (parameters, name) => {
    const part = `--b\r\n\r\nx\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; ${parameters}\r\n\r\nx\r\n--b--`;
    const read = () => parseMessage(message([FROM, TO, 'Content-Type: multipart/mixed; boundary=b'], part));
    if (name === null) expect(read).toThrow(/Content-Disposition/);
    else expect(read().attachments?.[0]?.filename).toBe(name);
  });
});

describe('names with characters that no name may hold', () => {
  const file = (parameters: string) =>
    message(
      [FROM, TO, 'Content-Type: multipart/mixed; boundary=b'],
      `--b\r\n\r\nx\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; ${parameters}\r\n\r\nx\r\n--b--`,
    );
  it.each([
    ["filename*=utf-8''fac%0Atura.pdf", 'factura.pdf'],
    ["filename*=utf-8''fac%00tura.pdf", 'factura.pdf'],
    ["filename*=utf-8''C%3A%5CTemp%5Cfac%07tura.pdf", 'factura.pdf'],
    ['filename="=?utf-8?Q?fac=0D=0Atura=2Epdf?="', 'factura.pdf'],
    ['filename="fac\x07tura.pdf"', 'factura.pdf'],
    ["filename*=utf-8''gpj%E2%80%AEfdp.pdf", 'gpjfdp.pdf'],
    ["filename*=utf-8''fac%E2%80%8Btura.pdf", 'factura.pdf'],
  ])('of a file go out without them: %s', (parameters, name) => {
    const parsed = parseMessage(file(parameters));
    expect(parsed.attachments?.[0]?.filename).toBe(name);
    expect(parsed.warnings).toEqual([
      { code: 'name_changed', field: 'filename', message: expect.stringContaining(`"${name}"`) },
    ]);
    const again = parseMessage(Buffer.from(sent(parsed), 'latin1'));
    expect([again.attachments?.[0]?.filename, again.warnings]).toEqual([name, []]);
  });

  it.each(["filename*=utf-8''%07%0A", "filename*=utf-8''..%07", `filename="${'a'.repeat(256)}.pdf"`])(
    'of a file are left out where no name is left, with a warning: %s',
    (parameters) => {
      const parsed = parseMessage(file(parameters));
      expect(parsed.attachments?.[0]?.filename).toBe('part-1.pdf');
      expect(codes(parsed)).toEqual(['name_changed filename']);
    },
  );

  it.each([
    ['=?utf-8?B?4oCOQW5h4oCO?= <a@plain.test>', 'Ana'],
    ['"\u202eAna" <a@plain.test>', 'Ana'],
    ['=?utf-8?B?4oCO?= <a@plain.test>', undefined],
  ])('of a person go out without what is invisible: %s', (value, name) => {
    for (const key of ['from', 'to', 'cc', 'reply-to']) {
      const others = [...(key === 'from' ? [] : [FROM]), ...(key === 'to' ? [] : [TO])];
      const parsed = parseMessage(message([...others, `${key}: ${utf8(value)}`]));
      const read = { from: [parsed.headerFrom], to: parsed.headerTo, cc: parsed.headerCc }[key];
      expect(read ?? parsed.replyTo).toEqual([expect.objectContaining({ address: 'a@plain.test' })]);
      const names = (read ?? parsed.replyTo ?? []).map((it) => (isGroup(it) ? it : it.displayName));
      expect(names).toEqual([name]);
      expect(codes(parsed)).toEqual([`name_changed ${key}`]);
    }
  });
});

describe('names split or listed in any header', () => {
  const SPLIT = '=?utf-8?B?w7HDs8M=?= =?utf-8?B?scOz?=';
  it.each(['Cc', 'Reply-To', 'Organization', 'Keywords'])('%s', (name) => {
    const value = name === 'Cc' || name === 'Reply-To' ? `${SPLIT} <b@x.test>` : SPLIT;
    const parsed = parseMessage(message([FROM, TO, `${name}: ${value}`]));
    expect(sent(parsed)).toMatch(new RegExp(`^${name}: =\\?UTF-8\\?B\\?w7HDs8Oxw7M=\\?=`, 'm'));
    expect(parsed.warnings).toEqual([]);
  });

  it.each(['Equipo: ana@plain.test, "B, C" <b@plain.test>;', 'undisclosed-recipients:;', '"a b"@plain.test'])(
    'To: %s',
    (to) => {
      const parsed = parseMessage(message([FROM, `To: ${to}`, 'Cc: ana@plain.test']));
      expect(sent(parsed)).toContain(`To: ${to}\r\n`);
    },
  );
});

const CASES = corpusFiles('cases/mail') ?? [];
it.skipIf(CASES.length === 0)('every case of the corpus is taken and keeps what it says', () => {
  const said: Record<string, RegExp> = {
    'charset-unknown-8bit': /charset=windows-1252\r\n[\s\S]*hola =F1/,
    'display-ew-in-quotes': /^From: =\?UTF-8\?B\?Sm9zw6k=\?= <s@sender\.test>\r$/m,
    'filename-win-path': /filename=nuevo\.pdf/,
    'i-csv-no-charset-latin1': /YfFvOzEKYjsyCg==/,
    'i-from-via': /^From: ana via Tienda <s@sender\.test>\r$/m,
    'i-to-exch-paren-addr': /^To: "Ana \(ana@plain\.test\)" <ana@plain\.test>\r$/m,
    'k-from-split-b': /^From: =\?UTF-8\?B\?w7HDs8Oxw7M=\?= <s@sender\.test>\r$/m,
    'k-importance': /^Importance: high\r$[\s\S]*^TLS-Required: No\r$/m,
    'unsub-oneclick': /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
  };
  for (const { name, raw } of CASES) {
    const expected = said[name.replace(/^.*\/|\.eml$/g, '')];
    expect([name, sent(parseMessage(raw))]).toEqual([name, expect.stringMatching(expected ?? /From:/)]);
  }
});
