import { leastCost } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import PostalMime, { type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { mailboxesOf } from '../src/address-list.ts';
import { createAttachment } from '../src/attachment.ts';
import type { BodyPart } from '../src/body-tree.ts';
import { compose } from '../src/compose.ts';
import { bodyText } from '../src/header-text.ts';
import { MailInputError } from '../src/input-error.ts';
import { type ParsedMessage, parseMessage } from '../src/parse.ts';
import { corpusFiles } from './support/corpus.ts';
import { composeInput } from './support/factories.ts';
import { hasPython, readWithPython } from './support/python-mail.ts';
import { expectTransitProof } from './support/transit.ts';
import { outcome } from './support/written.ts';

const MIB = 1024 * 1024;
/** The most that a message may cost, in plain readings of 25 MiB. */
const COST_MAX = 50;

/** Null for a refusal; anything but our own error, or a stall, fails. */
function parseOrRefuse(raw: Uint8Array): ParsedMessage | null {
  let parsed: ParsedMessage | null = null;
  const cost = leastCost(COST_MAX, () => {
    try {
      parsed = parseMessage(raw);
    } catch (error) {
      if (!(error instanceof MailInputError)) throw error;
    }
  });
  expect(cost).toBeLessThan(COST_MAX);
  return parsed;
}

const HEADER = 'From: a@example.com\r\nTo: b@example.org\r\n';

/** As much of a repeated pattern as a message may hold. */
function fill(head: string, pattern: string, tail = ''): Uint8Array {
  const size = 25 * MIB - head.length - tail.length;
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(size - (size % pattern.length), pattern),
    Buffer.from(tail),
  ]);
}

function nested(depth: number): Uint8Array {
  let body = 'Content-Type: text/plain\r\n\r\nx\r\n';
  for (let i = 0; i < depth; i++)
    body = `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n${body}\r\n--b${i}--\r\n`;
  return Buffer.from(HEADER + body);
}

const encoded = (type: string, encoding: string) =>
  `${HEADER}Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
const mixed = (boundary: string) => `${HEADER}Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;

describe('bombs', () => {
  it.each<[string, Uint8Array, string]>([
    ['26 MiB', Buffer.alloc(26 * MIB, 'x'), 'size too_large'],
    ['line feeds', fill(`${HEADER}\r\n`, '\n'), 'body no_content'],
    ['carriage returns', fill(`${HEADER}\r\nx`, '\r'), 'accepted'],
    ['one line', fill(`${HEADER}\r\n`, 'x'), 'accepted'],
    ['one header line', fill('From: a@example.com', 'x'), 'body header_too_large'],
    ['header lines', fill(HEADER, 'X: y\r\n'), 'body header_too_large'],
    ['short header lines', Buffer.from(`${HEADER}${'X: y\r\n'.repeat(2000)}\r\nx`), 'body too_many_headers'],
    ['folds', Buffer.from(`${HEADER}Subject: x${'\r\n x'.repeat(60_000)}\r\n\r\nx`), 'body too_long'],
    [
      'parentheses in a type',
      Buffer.from(`${HEADER}Content-Type: text/plain; x=${'('.repeat(200_000)}\r\n\r\nx`),
      'body content_type',
    ],
    [
      'quotes in a type',
      Buffer.from(`${HEADER}Content-Type: text/plain; x=${'"\\'.repeat(4000)}\r\n\r\nx`),
      'body content_type',
    ],
    [
      'sections of a name',
      Buffer.from(
        `${HEADER}Content-Type: text/plain${Array.from({ length: 400 }, (_, i) => `; n*${i}=x`).join('')}\r\n\r\nx`,
      ),
      'body content_type',
    ],
    [
      'encoded-words',
      Buffer.from(`${HEADER}Subject: ${'=?utf-8?q?x?= '.repeat(15_000)}\r\n\r\nx`),
      'body too_long',
    ],
    [
      'half encoded-words',
      Buffer.from(`${HEADER}X-A: ${'=?utf-8?q?'.repeat(20_000)}\r\n\r\nx`),
      'body too_long',
    ],
    ['mailboxes', Buffer.from(`From: ${'a@example.com, '.repeat(15_000)}\r\n\r\nx`), 'address too_long'],
    ['nested groups', Buffer.from(`From: ${'a:'.repeat(700)}\r\n\r\nx`), 'address group'],
    ['message ids', Buffer.from(`${HEADER}References: ${'<a@b> '.repeat(40_000)}\r\n\r\nx`), 'accepted'],
    ['parts', fill(mixed('b'), '--b\r\n'), 'body too_many_parts'],
    ['101 parts', Buffer.from(`${mixed('b')}${'--b\r\n\r\nx\r\n'.repeat(100)}`), 'body too_many_parts'],
    ['nesting 20 deep', nested(20), 'accepted'],
    ['nesting 21 deep', nested(21), 'body too_deep'],
    [
      'nesting without end',
      fill(HEADER, 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'),
      'body too_many_parts',
    ],
    ['boundary look-alikes', fill(mixed('b'), '--bx\n'), 'body boundary'],
    ['dashes', fill(mixed('-'), '-'), 'body boundary'],
    ['blanks after a boundary', fill(`${mixed('b')}--b`, ' '), 'body no_content'],
    ['quoted-printable', fill(encoded('text/plain', 'quoted-printable'), '=41'), 'accepted'],
    ['soft line breaks', fill(encoded('text/plain', 'quoted-printable'), '=\r\n'), 'body no_content'],
    ['blanks in quoted-printable', fill(encoded('text/plain', 'quoted-printable'), ' ', 'x'), 'accepted'],
    ['equals signs', fill(encoded('text/plain', 'quoted-printable'), '= '), 'accepted'],
    ['base64', fill(encoded('text/plain', 'base64'), 'QUFB'), 'accepted'],
    ['padding', fill(encoded('text/plain', 'base64'), '='), 'body no_content'],
    [
      'shift states',
      fill(encoded('text/plain; charset=iso-2022-jp', '7bit'), '\u001b(B\u001b$B'),
      'body text_encoding',
    ],
    ['double bytes', fill(encoded('text/plain; charset=shift_jis', '8bit'), 'AA'), 'accepted'],
  ])('%s', (_, raw, result) => {
    const cost = leastCost(COST_MAX, () => expect(outcome(raw)).toBe(result));
    expect(cost).toBeLessThan(COST_MAX);
  });

  it.each([
    ['line feeds', fill(`${HEADER}\r\nx`, '\n')],
    ['zeros in base64', fill(encoded('text/plain', 'base64'), 'QUFB')],
    ['bytes that grow', fill(`${HEADER}\r\n`, '=')],
  ])('composing %s anew ends in a message or a refusal, soon', (_, raw) => {
    const parsed = parseMessage(raw);
    const cost = leastCost(COST_MAX, () => {
      try {
        compose({ ...composeInput(), ...parsed });
      } catch (error) {
        expect(error).toBeInstanceOf(MailInputError);
      }
    });
    expect(cost).toBeLessThan(COST_MAX);
  });
});

const template = compose(
  composeInput({
    html: bodyText('<p>hi</p><img src="cid:a">', 'html'),
    attachments: [
      createAttachment(
        { filename: 'año.txt', contentType: 'text/plain; charset=utf-8', content: Buffer.from('x') },
        'a',
      ),
      createAttachment(
        { filename: 'b.png', contentType: 'image/png', content: Buffer.from('y'), contentId: 'a' },
        'a',
      ),
    ],
  }),
).raw;

function filenames(message: ParsedMessage) {
  return message.attachments?.map((it) => it.filename).sort();
}

/** As postal-mime reads a list, groups flattened. */
function addressesOf(list: Email['to']): (string | undefined)[] {
  return (list ?? []).flatMap((it) => (it.group === undefined ? [it.address] : addressesOf(it.group)));
}

/** Holds lines that go out as they are. */
function hasVerbatim({ content }: BodyPart): boolean {
  if (content.kind === 'parts')
    return content.preamble.length + content.epilogue.length > 0 || content.parts.some(hasVerbatim);
  return content.kind === 'message' || content.kind === 'verbatim';
}

/** Not the seed of any boundary in what is submitted: each message has one of its own. */
const fresh = composeInput({ boundarySeed: '0192f4a1-7b2c-7d3e-8f40-fedcba987654' });

/** Parses again, by us and by postal-mime, and says the same. */
async function expectStable(parsed: ParsedMessage): Promise<Uint8Array | null> {
  const to = mailboxesOf(parsed.headerTo);
  let raw: Uint8Array;
  try {
    raw = compose({ ...fresh, ...parsed }).raw;
  } catch (error) {
    expect(error).toBeInstanceOf(MailInputError);
    return null;
  }
  expectTransitProof(raw, {
    verbatim: hasVerbatim(parsed.tree),
    utf8Header: parsed.headerFrom.needsSmtputf8 || to.some((it) => it.needsSmtputf8),
  });
  const again = parseMessage(raw);
  expect(again.headerFrom).toEqual(parsed.headerFrom);
  expect(again.headerTo).toEqual(parsed.headerTo);
  expect(again.headerCc).toEqual(parsed.headerCc);
  expect(again.subject).toBe(parsed.subject);
  // Files that the html refers to come first.
  expect(filenames(again)).toEqual(filenames(parsed));
  expect(Buffer.from(compose({ ...fresh, ...again }).raw).toString('latin1')).toBe(
    Buffer.from(raw).toString('latin1'),
  );
  const email = await PostalMime.parse(raw);
  expect(email.headers.filter((it) => it.key === 'from')).toHaveLength(1);
  expect(email.from?.address).toBe(parsed.headerFrom.address);
  expect(addressesOf(email.to)).toEqual(to.map((it) => it.address));
  expect(addressesOf(email.cc)).toEqual(mailboxesOf(parsed.headerCc).map((it) => it.address));
  expect(email.bcc).toBeUndefined();
  return raw;
}

it('a mutated message is refused, or written anew is stable', async () => {
  const inserts = [
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    ':',
    ';',
    '"',
    '\\',
    '(',
    '<',
    '@',
    ',',
    '=?utf-8?q?=0A?=',
    '--',
    '=',
    '\u00ff',
    'From: x@example.net\r\n',
    'Content-Type: multipart/mixed; boundary=b\r\n',
    '\r\n\r\n',
  ];
  const mutation = fc.record({
    at: fc.nat(template.length),
    cut: fc.oneof(fc.constant(0), fc.nat(30)),
    insert: fc.constantFrom('', ...inserts),
  });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      let raw: Buffer = Buffer.from(template);
      for (const { at, cut, insert } of mutations) {
        raw = Buffer.concat([raw.subarray(0, at), Buffer.from(insert, 'latin1'), raw.subarray(at + cut)]);
      }
      const parsed = parseOrRefuse(raw);
      if (parsed === null) return;
      accepted++;
      await expectStable(parsed);
    }),
    { numRuns: 1500 },
  );
  expect(accepted).toBeGreaterThan(100);
});

describe('real and broken messages of others', () => {
  const corpus = ['messages', 'bounces'].map((folder) => [folder, corpusFiles(folder)] as const);
  for (const [folder, files] of corpus) {
    it.skipIf(files === null)(
      `${folder}: read or refused, and stable when written anew (skipped without ACUSE_CORPORA)`,
      async () => {
        const written: Uint8Array[] = [];
        for (const { raw } of files ?? []) {
          const parsed = parseOrRefuse(raw);
          const anew = parsed === null ? null : await expectStable(parsed);
          if (anew !== null) written.push(anew);
        }
        // Nearly half of the messages have one sender, one recipient and a text, and break no rule that
        // matters.
        expect(written.length).toBeGreaterThan((files ?? []).length / 3);
        if (!hasPython) return;
        // Python reads no raw UTF-8 in addresses.
        const ascii = written.filter((raw) => raw.every((byte) => byte < 0x80));
        for (const [i, reading] of readWithPython(ascii).entries()) {
          // Those of a message inside are not ours to mend.
          if (!hasVerbatim(parseMessage(ascii[i]!).tree)) expect(reading.defects).toEqual([]);
          expect(reading.from.map((it) => it.address)).toEqual([parseMessage(ascii[i]!).headerFrom.address]);
        }
      },
    );
  }
});
