import { inflateSync } from 'node:zlib';
import { MAX_BUNDLE_BYTES } from '@acuse/evidence/bundle-entries';
import { CommandError, EXIT } from './command.ts';

/** The pages and the PDF's structure, besides a bundle of the largest size. */
export const MAX_PDF_BYTES = MAX_BUNDLE_BYTES + 32 * 1024 * 1024;

const START = Buffer.from('%PDF-');
const EMBEDDED = Buffer.from('/Type /EmbeddedFile');
/** A dictionary such as ours has some hundred bytes. */
const DICTIONARY_MAX_BYTES = 4096;

export function isPdf(bytes: Uint8Array): boolean {
  return START.equals(bytes.subarray(0, START.length));
}

/**
 * The bundle attached to a PDF as Acuse writes it: one embedded file in a stream of its own. Other PDFs are
 * refused, also ours once another program has rewritten it: any reader can save attachments.
 */
export function bundleOfPdf(file: string, bytes: Uint8Array): Uint8Array {
  const pdf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = pdf.indexOf(EMBEDDED);
  if (at < 0) throw refused(file, 'has no attached bundle that can be found');
  if (pdf.indexOf(EMBEDDED, at + 1) >= 0) throw refused(file, 'has more than one attachment');
  const head = pdf.subarray(at, at + DICTIONARY_MAX_BYTES).toString('latin1');
  const [dictionary] = /^.*?>>\s*stream\r?\n/s.exec(head) ?? [];
  const [, digits] = /\/Length (\d{1,10})(?!\d| \d)/.exec(dictionary ?? '') ?? [];
  const filters = /\/Filter\s?(\S{0,64})/.exec(dictionary ?? '')?.[1];
  if (dictionary === undefined || digits === undefined)
    throw refused(file, 'has an attachment whose place cannot be read');
  const start = at + dictionary.length;
  const length = Number(digits);
  if (start + length > pdf.length) throw refused(file, 'ends within its attachment');
  const stream = pdf.subarray(start, start + length);
  if (filters === undefined) return stream;
  if (filters !== '/FlateDecode') throw refused(file, 'has an attachment that is encoded in another way');
  try {
    return inflateSync(stream, { maxOutputLength: MAX_BUNDLE_BYTES });
  } catch {
    throw refused(file, 'has an attachment that does not unpack, or is larger than a bundle may be');
  }
}

function refused(file: string, why: string): CommandError {
  return new CommandError(
    EXIT.usage,
    'not_a_bundle',
    `${file} is not a proof bundle: a PDF that ${why}. Nothing was verified. Save the attached proof bundle (.zip) with a PDF reader, and verify that.`,
  );
}
