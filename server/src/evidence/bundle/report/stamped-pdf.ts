import { createHash } from 'node:crypto';
import type { Bundle } from '@acuse/evidence/bundle';
import { EvidenceError } from '@acuse/evidence/errors';
import type { RevocationKind } from '@acuse/evidence/timestamp/revocation';
import { reportFactsOf } from './add-report.ts';
import type { Doc } from './pages.ts';

/** The report's pages, the bundle attached, and the place of a document time-stamp. ISO 32000-2, 12.8.5 */
export interface UnstampedPdf {
  readonly pdf: Uint8Array<ArrayBuffer>;
  /** SHA-256 of everything but the place. */
  readonly imprint: Uint8Array;
  /** Offset of the token's first digit. */
  readonly at: number;
  /** Number of the object of the document security store, empty until the time-stamp is there. */
  readonly store: number;
}

/** A token has its authority's chain in it, some KiB each; in hex. */
const TOKEN_MAX_BYTES = 32 * 1024;
const HOLE = Buffer.from(`<${'0'.repeat(2 * TOKEN_MAX_BYTES)}>`);
/** Placeholder as long as any range that replaces it. */
const RANGE = [0, 1111111111, 2222222222, 3333333333];
const RANGE_TEXT = Buffer.from(`[${RANGE.join(' ')}]`);

/** Throws EvidenceError for a bundle that does not verify. */
export async function unstampedPdf(
  bundle: Bundle,
  zip: Uint8Array,
  verifyUrl: string,
  now: Date,
): Promise<UnstampedPdf> {
  const facts = await reportFactsOf(bundle, verifyUrl, now);
  if (facts === null)
    throw new EvidenceError('report', 'the bundle does not verify, so that nothing is drawn');
  const sealed = new Date(facts.constancia.genTime);
  let store = 0;
  const { drawReport } = await import('./write-report.ts');
  const drawn = await drawReport(facts, (doc) => {
    doc.file(
      zip as Buffer,
      {
        name: `acuse-${facts.messageId}.zip`,
        type: 'application/zip',
        description: 'Acuse proof bundle',
        relationship: 'Source',
        creationDate: sealed,
        modifiedDate: sealed,
      } as never,
    );
    addStampField(doc);
    store = addSecurityStore(doc);
  });
  return { ...withRange(Buffer.from(drawn)), store };
}

const NOTHING = undefined as never;

/** Missing in PDFKit's types. */
interface Inside {
  readonly page: { readonly dictionary: unknown; readonly annotations: unknown[] };
  readonly _root: { data: Record<string, unknown> };
}

function addStampField(doc: Doc): void {
  const { page, _root: root } = doc as unknown as Inside;
  const value = doc.ref({
    Type: 'DocTimeStamp',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.RFC3161',
    ByteRange: RANGE,
    Contents: Buffer.alloc(TOKEN_MAX_BYTES),
  });
  value.end(NOTHING);
  const field = doc.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    // A string object is what PDFKit writes as text; a plain one is a name.
    T: Object('time-stamp'),
    Rect: [0, 0, 0, 0],
    F: HIDDEN_AND_LOCKED,
    V: value,
    P: page.dictionary,
  });
  field.end(NOTHING);
  page.annotations.push(field);
  doc.font('regular').initForm();
  const form = root.data['AcroForm'] as {
    data: { Fields: unknown[]; SigFlags?: number; NeedAppearances?: boolean };
  };
  form.data.Fields.push(field);
  form.data.SigFlags = SIGNED_APPEND_ONLY;
  // A reader that drew the fields again would change the stamped bytes.
  delete form.data.NeedAppearances;
}

/** Print and Locked. */
const HIDDEN_AND_LOCKED = 132;
const SIGNED_APPEND_ONLY = 3;

function addSecurityStore(doc: Doc): number {
  const store = doc.ref({ Type: 'DSS' });
  store.end(NOTHING);
  (doc as unknown as Inside)._root.data['DSS'] = store;
  return (store as unknown as { readonly id: number }).id;
}

function withRange(pdf: Buffer<ArrayBuffer>): Omit<UnstampedPdf, 'store'> {
  const hole = pdf.lastIndexOf(HOLE);
  const range = pdf.lastIndexOf(RANGE_TEXT, hole);
  if (hole < 0 || range < 0) throw new Error('the drawn PDF has no place for its time-stamp');
  const end = hole + HOLE.length;
  const text = `[0 ${hole} ${end} ${pdf.length - end}]`;
  pdf.write(text.padEnd(RANGE_TEXT.length), range, 'latin1');
  const imprint = createHash('sha256').update(pdf.subarray(0, hole)).update(pdf.subarray(end)).digest();
  return { pdf, imprint: new Uint8Array(imprint), at: hole + 1 };
}

interface PdfStamp {
  /** Without the response around it. */
  readonly token: Uint8Array;
  readonly chain: readonly Uint8Array[];
  /** Revocation data about the chain from after the stamp. */
  readonly told: readonly { readonly kind: RevocationKind; readonly content: Uint8Array }[];
}

/** Puts the token into its place. Data to judge it in later years follows as a revision. */
export function finishPdf(unstamped: UnstampedPdf, { token, chain, told }: PdfStamp): Uint8Array {
  const { pdf, at } = unstamped;
  if (token.length > TOKEN_MAX_BYTES)
    throw new Error(`the time-stamp has ${token.length} bytes, and a PDF's place for one ${TOKEN_MAX_BYTES}`);
  const stamped = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length);
  stamped.write(Buffer.from(token).toString('hex'), at, 'latin1');
  const of = (wanted: RevocationKind) =>
    told.flatMap(({ kind, content }) => (kind === wanted ? [content] : []));
  return Buffer.concat([
    stamped,
    securityRevision(unstamped, { Certs: chain, CRLs: of('crl'), OCSPs: of('ocsp') }),
  ]);
}

/** Longest trailer such as ours. */
const TRAILER_MAX_BYTES = 1024;

/** ETSI EN 319 142-1, 5.4.2; ISO 32000-2, 7.5.6 */
function securityRevision(
  { pdf, store }: UnstampedPdf,
  lists: Readonly<Record<string, readonly Uint8Array[]>>,
): Buffer {
  const tail = Buffer.from(pdf.subarray(-TRAILER_MAX_BYTES)).toString('latin1');
  const trailer = tail.slice(tail.lastIndexOf('trailer\n'));
  const [size, previous] = [numberAfter(trailer, '/Size '), numberAfter(trailer, 'startxref\n')];
  const rest = trailer.slice(trailer.indexOf('/Root '), trailer.indexOf('>>\nstartxref'));
  const parts: Buffer[] = [];
  let written = pdf.length;
  const put = (...pieces: (string | Uint8Array)[]) => {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece);
      parts.push(bytes);
      written += bytes.length;
    }
  };
  put('\n');
  const offsets: number[] = [];
  const references = Object.entries(lists).flatMap(([name, all]) => {
    const numbers = all.map((bytes) => {
      offsets.push(written);
      const number = size + offsets.length - 1;
      put(`${number} 0 obj\n<< /Length ${bytes.length} >>\nstream\n`, bytes, '\nendstream\nendobj\n');
      return `${number} 0 R`;
    });
    return numbers.length === 0 ? [] : [`/${name} [${numbers.join(' ')}]`];
  });
  const storeAt = written;
  put(`${store} 0 obj\n<< /Type /DSS ${references.join(' ')} >>\nendobj\n`);
  const at = written;
  const row = (offset: number) => `${String(offset).padStart(10, '0')} 00000 n \n`;
  put(`xref\n${store} 1\n${row(storeAt)}${size} ${offsets.length}\n${offsets.map(row).join('')}`);
  put(`trailer\n<<\n/Size ${size + offsets.length}\n/Prev ${previous}\n${rest}>>\n`);
  put(`startxref\n${at}\n%%EOF\n`);
  return Buffer.concat(parts);
}

function numberAfter(text: string, word: string): number {
  const [, digits] = /^(\d+)\n/.exec(text.slice(text.indexOf(word) + word.length)) ?? [];
  if (digits === undefined) throw new Error('the drawn PDF does not end as it should');
  return Number(digits);
}
