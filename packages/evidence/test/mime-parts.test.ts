import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { leastCost } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../src/bytes.ts';
import { EvidenceError } from '../src/errors.ts';
import { textDecoder } from '../src/mime-header.ts';
import { leafParts, MAX_ENTITIES, MAX_NESTING } from '../src/mime-parts.ts';
import { toCrlf } from '../src/relaxed.ts';
import { corpus, expectRefusal } from './support.ts';

const message = (text: string) => new Uint8Array(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'));
const parts = (text: string) =>
  leafParts(message(text)).map(({ mediaType, filename, content }) => [
    mediaType,
    filename,
    Buffer.from(content).toString('utf8'),
  ]);

test('a multipart in a multipart: leaves in document order, preamble and epilogue left out', () => {
  expect(
    parts(`Content-Type: multipart/mixed; boundary="o u t"

preamble
--o u t
Content-Type: multipart/alternative; boundary=in

--in
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Hola, Jos=C3=A9 =
y Ana  \t
--in not a delimiter
--inner
=20

--in \t
Content-Type: TEXT/HTML; charset="iso-8859-1"

<p>a\xf1o</p>
--in--
ignored
--o u t
Content-Type: application/pdf; name="other.pdf"
Content-Disposition: attachment;
 filename="a \\"b\\".pdf"
Content-Transfer-Encoding: BASE64

AAEC
/w==
--o u t
Content-Type: message/rfc822

Content-Type: multipart/mixed; boundary=x

--x
--o u t--
epilogue
--o u t
`),
  ).toEqual([
    ['text/plain', null, 'Hola, José y Ana\n--in not a delimiter\n--inner'],
    ['text/html', null, '<p>año</p>'],
    ['application/pdf', 'a "b".pdf', '\x00\x01\x02\ufffd'],
    ['message/rfc822', null, 'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x'],
  ]);
});

test('text loses line-end white space, attached text keeps its bytes', () => {
  const body = 'a \t\n\n b\n \n\n';
  expect(parts(`Content-Type: text/plain\n\n${body}`)).toEqual([['text/plain', null, 'a\n\n b']]);
  expect(parts(`Content-Type: text/csv; name=t.csv\n\n${body}`)).toEqual([
    ['text/csv', 't.csv', body.replaceAll('\n', '\r\n')],
  ]);
});

test('transfer encodings carry the same text alike', () => {
  const body = 'línea uno\n\nlínea dos\n';
  const encode = (encoding: string, content: string) =>
    leafParts(
      utf8(
        `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}`,
      ),
    );
  const plain = encode('8bit', body.replaceAll('\n', '\r\n'));
  expect(encode('base64', Buffer.from(body).toString('base64'))).toEqual(plain);
  expect(encode('quoted-printable', 'l=C3=ADnea uno=\r\n\r\n\r\nl=c3=adnea dos\r\n\r\n')).toEqual(plain);
});

describe('file names', () => {
  test.each([
    ['filename=plain.txt', 'plain.txt'],
    ['filename = "with; semicolon = x"', 'with; semicolon = x'],
    ["filename*=UTF-8''a%C3%B1o.pdf", 'año.pdf'],
    ["filename=fallback.pdf; filename*=utf-8'es'a%C3%B1o.pdf", 'año.pdf'],
    ["filename*=iso-8859-1''a%F1o.pdf", 'año.pdf'],
    ['filename*0*=UTF-8\'\'a%C3; filename*1*=%B1o; filename*2=".pdf"', 'año.pdf'],
    ['filename*0="long"; filename*1=" name"', 'long name'],
    ['filename="=?utf-8?B?YcOxbw==?= =?iso-8859-1?q?_=F1?="', 'año ñ'],
    ['filename="=?unknown?B?YQ==?="', 'a'],
    ["filename*=unknown''%61", 'a'],
    ["filename*=utf-8''%zz%", '%zz%'],
    ['filename="unclosed', 'unclosed'],
    ['filename=a; filename=b', 'a'],
    ['filename=""', ''],
    ['(a comment) filename=a (b)', 'a'],
    ['no parameter', null],
    ['filename', null],
    ["filename*=utf-8''%ED%A0%80", '\ufffd\ufffd\ufffd'],
  ])('%s', (parameter, want) => {
    const [part] = leafParts(utf8(`Content-Disposition: attachment; ${parameter}\r\n\r\n`));
    expect(part!.filename).toBe(want);
  });
});

test.each([
  ['', [['text/plain', null, '']]],
  ['\nbody', [['text/plain', null, 'body']]],
  ['Content-Type: nonsense\n\nb', [['text/plain', null, 'b']]],
  ['Content-Type: multipart/mixed\n\nb', [['multipart/mixed', null, 'b']]],
  ['Content-Type: multipart/mixed; boundary=a\n\nno delimiter', []],
  ['Content-Type: multipart/mixed; boundary=a\n\n--a\n\ncut', [['text/plain', null, 'cut']]],
  ['Content-Type: multipart/mixed; boundary=a\n\n--a', [['text/plain', null, '']]],
  ['Content-Type: multipart/mixed; boundary=a\n\n--a\n--a--', [['text/plain', null, '']]],
  ['Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: a/b\n\n--a--', [['a/b', null, '']]],
  ['Content-Transfer-Encoding: base64\n\nYQ==Yg==', [['text/plain', null, 'a']]],
  ['Content-Transfer-Encoding: base64\n\nY!Q', [['text/plain', null, 'a']]],
  ['Content-Transfer-Encoding: quoted-printable\n\n=zz=4=', [['text/plain', null, '=zz=4']]],
])('broken message %j', (text, want) => expect(parts(text)).toEqual(want));

/** The most that a message of 25 MiB may cost, in plain readings of as much. */
const COST_MAX = 50;

describe('hostile messages', () => {
  const nested = (levels: number) =>
    Array.from(
      { length: levels },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join('');

  test('too many parts, too deep', () => {
    expect(parts(`${nested(MAX_NESTING)}\nx`)).toEqual([['text/plain', null, 'x']]);
    expectRefusal(() => parts(`${nested(MAX_NESTING + 1)}\nx`), 'parts', /deeper/);
    const many = (count: number) => `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\n'.repeat(count)}`;
    expect(parts(many(MAX_ENTITIES - 1))).toHaveLength(MAX_ENTITIES - 1);
    for (const count of [MAX_ENTITIES, 200_000])
      expectRefusal(() => parts(many(count)), 'parts', /more than/);
  });

  test.each([
    ['dashes', '-'],
    ['delimiter-like lines', '\r\n--b19x'],
    ['empty lines', '\r\n'],
    ['white space', ' '],
    ['soft breaks', '= '],
  ])('25 MiB of %s under twenty multiparts cost few plain readings', (_, filler) => {
    const head = message(nested(MAX_NESTING));
    const bytes = new Uint8Array(25 * 1024 * 1024);
    bytes.set(head);
    const pattern = utf8(filler);
    for (let i = head.length; i < bytes.length; i++) bytes[i] = pattern[i % pattern.length]!;
    const cost = leastCost(COST_MAX, () => {
      try {
        leafParts(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(EvidenceError);
      }
    });
    expect(cost).toBeLessThan(COST_MAX);
  });

  test('bytes at random', () => {
    const pieces = [
      'Content-Type: multipart/mixed; boundary=b',
      'Content-Type: text/plain; charset=utf-16',
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      '=',
      '=?',
      '"',
      '(',
      ';',
      '*0*=',
      'Content-Disposition: x; filename',
      '\xff',
      '\0',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (chunks) => {
        const found = leafParts(message(chunks.join('')));
        for (const { filename } of found) expect(filename?.isWellFormed?.() ?? true).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  const folder = corpus('messages');
  test.skipIf(folder === undefined)(`every message of the corpora${folder ? '' : ' (not here)'}`, () => {
    const files = readdirSync(folder!, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const file of files) {
      const bytes = readFileSync(resolve(file.parentPath, file.name));
      expect(leafParts(toCrlf(bytes))).toBeInstanceOf(Array);
    }
  });
});

test('the charsets are those of docs/evidence-format.md, whatever else the platform decodes', () => {
  const pinned = [
    ...['utf-8', 'utf-16le', 'utf-16be', 'ibm866', 'koi8-r', 'koi8-u', 'macintosh', 'x-mac-cyrillic'],
    ...['iso-8859-2', 'iso-8859-8-i', 'iso-8859-15', 'windows-874', 'windows-1250', 'windows-1252'],
    ...['windows-1258', 'latin1', 'iso-8859-1', 'us-ascii', 'gbk', 'gb18030', 'big5', 'euc-jp'],
    ...['iso-2022-jp', 'shift_jis', 'euc-kr', 'sjis', 'cp1252'],
  ];
  expect(pinned.filter((label) => textDecoder(label) === undefined)).toEqual([]);
  const others = [
    'iso-8859-16',
    'x-user-defined',
    'replacement',
    'iso-8859-12',
    'utf-7',
    'utf-32',
    'cp850',
    '',
  ];
  expect(others.filter((label) => textDecoder(label) !== undefined)).toEqual([]);
  expect(parts('Content-Type: text/plain; charset=iso-8859-16\n\na\xf1o')).toEqual([
    ['text/plain', null, Buffer.from('a\xf1o', 'latin1').toString('utf8')],
  ]);
});
