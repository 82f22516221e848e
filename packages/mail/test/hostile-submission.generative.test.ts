import { leafParts } from '@acuse/evidence/mime-parts';
import fc from '@acuse/testkit/properties';
import PostalMime, { decodeWords } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { mailboxesOf } from '../src/address-list.ts';
import { createAttachment } from '../src/attachment.ts';
import { type ComposedMessage, type ComposedPart, type ComposeInput, compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { bodyText, subjectText } from '../src/header-text.ts';
import { MailInputError } from '../src/input-error.ts';
import { type Mailbox, parseMailbox } from '../src/mailbox.ts';
import { trimmedText } from '../src/transfer-encoding.ts';
import { composeInput } from './support/factories.ts';
import { headerLikeText, hostileText } from './support/hostile.ts';
import { hasPython, readWithPython } from './support/python-mail.ts';
import { expectTransitProof } from './support/transit.ts';

/** A send as it comes in: nothing in it has been checked. */
type Submission = {
  fromName: string;
  toName: string;
  subject: string;
  text: string | undefined;
  html: string | undefined;
  headerValue: string | undefined;
  attachments: {
    filename: string;
    contentType: string;
    content: Uint8Array;
    contentId: string | undefined;
  }[];
};

/** As hostile, but with what names may never hold cut out most of the time. */
const nameLike = fc.oneof(
  { weight: 1, arbitrary: headerLikeText },
  { weight: 9, arbitrary: headerLikeText.map((text) => text.replace(/[@()<>[\]:;"\\/\p{Cf}\p{Cs}]/gu, '')) },
);

const submission: fc.Arbitrary<Submission> = fc.record({
  fromName: nameLike,
  toName: nameLike,
  subject: headerLikeText,
  text: fc.option(hostileText, { nil: undefined, freq: 6 }),
  html: fc.option(hostileText, { nil: undefined, freq: 2 }),
  headerValue: fc.option(headerLikeText, { nil: undefined }),
  attachments: fc.array(
    fc.record({
      filename: nameLike,
      contentType: fc.oneof(
        {
          weight: 9,
          arbitrary: fc.constantFrom('application/pdf', 'text/csv; charset=utf-8', 'message/rfc822'),
        },
        { weight: 1, arbitrary: hostileText },
      ),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        hostileText.map((text) => Buffer.from(text)),
      ),
      contentId: fc.option(fc.constantFrom('a', 'b@c', 'c', 'x>\r\ny'), { nil: undefined }),
    }),
    { maxLength: 2 },
  ),
});

/** Null where it is refused, which must be by our own error. */
function accept(source: Submission): ComposeInput | null {
  try {
    return composeInput({
      headerFrom: parseMailbox(`"${source.fromName.replace(/["\\]/g, '\\$&')}" <billing@example.com>`),
      headerTo: [parseMailbox(`${source.toName} <ana@example.org>`)],
      subject: subjectText(source.subject),
      text: source.text === undefined ? undefined : bodyText(source.text, 'text'),
      html: source.html === undefined ? undefined : bodyText(source.html, 'html'),
      headers: createCustomHeaders(
        source.headerValue === undefined ? [] : [['X-Custom', source.headerValue]],
      ),
      attachments: source.attachments.map((it, i) => createAttachment(it, `attachments[${i}]`)),
    });
  } catch (error) {
    expect(error).toBeInstanceOf(MailInputError);
    return null;
  }
}

function composeOrRefuse(source: Submission): { input: ComposeInput; composed: ComposedMessage } | null {
  const input = accept(source);
  if (input === null) return null;
  try {
    return { input, composed: compose(input) };
  } catch (error) {
    expect(error).toBeInstanceOf(MailInputError);
    return null;
  }
}

function ourHeaders(input: ComposeInput): string[] {
  const custom = (input.headers ?? []).map((header) => header.name.toLowerCase());
  const files = input.attachments ?? [];
  const bodies = [input.text, input.html].filter((body) => body !== undefined).length;
  const encoding = bodies + files.length === 1 ? ['content-transfer-encoding'] : [];
  // A file alone is the message.
  if (bodies === 0 && files.length === 1) {
    encoding.push('content-disposition');
    if (files[0]!.contentId !== undefined) encoding.push('content-id');
  }
  return [
    'service-evidence',
    'from',
    'to',
    'subject',
    'date',
    'message-id',
    ...custom,
    'mime-version',
    'content-type',
    ...encoding,
  ];
}

function comparable({ mediaType, filename, content }: ComposedPart) {
  return { mediaType, filename, content: Buffer.from(content).toString('latin1') };
}

/** Python's email.utils.unquote takes angle brackets around a file's name for quotes. */
function unquotedByPython(filename: string): string {
  return /^<.*>$/s.test(filename) ? filename.slice(1, -1) : filename;
}

/** Any reader may change the kind and number of line ends at the end. */
function essence(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/**
 * A reader may take a text as it is, or without one byte order mark at its start, which decoders
 * drop.
 */
function readings(text: string): string[] {
  return [essence(text), essence(text.replace(/^\ufeff/, ''))];
}

function nameAndAddress(mailbox: Mailbox) {
  return { name: mailbox.displayName ?? '', address: mailbox.address };
}

/**
 * Python before 3.13 shows the fold between two encoded-words of a name as a space (python/cpython#92081).
 */
function spaceless({ name, address }: { name: string; address: string }) {
  return { name: name.replace(/\s/g, ''), address };
}

describe('whatever is submitted', () => {
  it('is refused, or postal-mime reads our headers and the same content', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(submission, async (source) => {
        const result = composeOrRefuse(source);
        if (result === null) return;
        accepted++;
        const { input, composed } = result;
        expectTransitProof(composed.raw);
        expect(leafParts(composed.raw).map(comparable)).toEqual(composed.parts.map(comparable));
        const email = await PostalMime.parse(composed.raw, { forceRfc822Attachments: true });
        expect(email.headers.map((header) => header.key)).toEqual(ourHeaders(input));
        expect(email.from?.address).toBe(input.headerFrom.address);
        expect(email.to?.map((it) => it.address)).toEqual(
          mailboxesOf(input.headerTo).map((it) => it.address),
        );
        expect(email.subject ?? '').toBe(input.subject);
        if (input.headers?.[0] !== undefined) {
          expect(decodeWords(email.headers.find((it) => it.key === 'x-custom')!.value)).toBe(
            input.headers[0].value,
          );
        }
        if (input.text !== undefined) expect(readings(input.text)).toContain(essence(email.text ?? ''));
        if (input.html !== undefined) expect(readings(input.html)).toContain(essence(email.html ?? ''));
        const files = composed.parts.filter((part) => part.filename !== null);
        expect(email.attachments.map((it) => it.mimeType)).toEqual(files.map((part) => part.mediaType));
        for (const [i, it] of email.attachments.entries()) {
          expect(Buffer.from(it.content as ArrayBuffer).equals(files[i]!.content)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(150);
  });

  it.skipIf(!hasPython)('is refused, or Python reads our headers and the same parts', () => {
    const results = fc
      .sample(submission, 1000)
      .map(composeOrRefuse)
      .filter((it) => it !== null);
    expect(results.length).toBeGreaterThan(100);
    const readings = readWithPython(results.map(({ composed }) => composed.raw));
    for (const [i, { input, composed }] of results.entries()) {
      const reading = readings[i]!;
      expect(reading.names.map((name) => name.toLowerCase())).toEqual(ourHeaders(input));
      expect(reading.defects).toEqual([]);
      expect(reading.subject).toBe(input.subject);
      expect(reading.from.map(spaceless)).toEqual([spaceless(nameAndAddress(input.headerFrom))]);
      expect(reading.to.map(spaceless)).toEqual([spaceless(nameAndAddress(mailboxesOf(input.headerTo)[0]!))]);
      const parts = reading.parts.map((part) => ({ mediaType: part.type, filename: part.filename }));
      const written = composed.parts.map(({ mediaType, filename }) => ({
        mediaType,
        filename: filename && unquotedByPython(filename),
      }));
      expect(parts).toEqual(written);
      for (const [j, part] of reading.parts.entries()) {
        const text = () => Buffer.from(part.content).toString('latin1').replaceAll('\r\n', '\n');
        const content = part.filename === null ? trimmedText(Buffer.from(text(), 'latin1')) : part.content;
        expect(Buffer.from(content).equals(composed.parts[j]!.content)).toBe(true);
      }
    }
  });
});

describe('in transit', () => {
  const relays: Record<string, (message: string) => string> = {
    'stuffs dots and never undoes it': (it) => it.replace(/^\./gm, '..'),
    'undoes dots that were never stuffed': (it) => it.replace(/^\.(?=.)/gm, ''),
    'escapes From': (it) => it.replace(/^From /gm, '>From '),
    'cuts white space at line ends': (it) => it.replace(/[ \t]+$/gm, ''),
    'ends lines in LF': (it) => it.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'),
    'cuts the eighth bit': (it) =>
      Buffer.from(it.split('').map((char) => char.charCodeAt(0) & 0x7f)).toString('latin1'),
    'cuts lines at 78': (it) => it.replace(/(?<=\r\n\r\n[\s\S]*)^(.{78})(?=.)/gm, '$1\r\n'),
    'stops at a lonely dot': (it) => it.split('\r\n.\r\n')[0]!,
  };
  it.each(Object.entries(relays))('a relay that %s changes no byte', (_, relay) => {
    fc.assert(
      fc.property(submission, (source) => {
        const result = composeOrRefuse(source);
        if (result === null) return;
        const message = Buffer.from(result.composed.raw).toString('latin1');
        expect(relay(message)).toBe(message);
      }),
      { numRuns: 200 },
    );
  });
});
