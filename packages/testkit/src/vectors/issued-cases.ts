/**
 * Documents that an authority issued with its tokens: no verdict depends on their bytes, but their entries
 * must belong to the bundle.
 */
import { assembleBundle } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { MAX_ISSUED_BYTES } from '@acuse/evidence/bundle-entries';
import { utf8 } from '@acuse/evidence/bytes';
import { type Authority, READ_AT, sha256 } from './authority.ts';
import { renewed, sealedEvidence, wholeEvidence } from './bundles.ts';
import type { LineCases } from './line-cases.ts';
import { change } from './tamper.ts';

const PDF = utf8('%PDF-1.7\nConstancia de conservación\n%%EOF\n');
const CMS = Uint8Array.of(0x30, 0x80, 0x06, 0x09);

export async function issuedCases(authority: Authority): Promise<LineCases> {
  const whole = await renewed(authority, await wholeEvidence(authority), 1);
  const [sent, ...others] = whole.deliveries!;
  const everywhere = assembleBundle(
    {
      ...whole,
      constancia: { ...whole.constancia, issued: PDF },
      messageConstancia: { ...whole.messageConstancia!, issued: CMS },
      renewals: whole.renewals!.map((renewal) => ({ ...renewal, issued: utf8('?') })),
      deliveries: [{ ...sent!, constancia: { ...sent!.constancia!, issued: PDF } }, ...others],
    },
    sha256,
  );
  const sealed = await sealedEvidence(authority);
  const small = assembleBundle({ ...sealed, constancia: { ...sealed.constancia, issued: PDF } }, sha256);
  const name = 'issued/constancia.bin';
  const beside = (why: string, bundle: Bundle, now = READ_AT) => ({ why, bundle, now });
  const raw = (entry: string, content: Uint8Array) => new Map(small).set(entry, content);
  return new Map([
    [
      'good/issued',
      beside('a document beside each time-stamp', everywhere, new Date('2028-01-01T00:00:00Z')),
    ],
    ['good/issued-replaced', beside('another document, which nobody signed', change(small, name, CMS))],
    ['good/issued-empty', beside('a document without a byte', change(small, name, ''))],
    ['broken/issued-changed', beside('another document, the sums left', raw(name, CMS))],
    [
      'broken/issued-without-token',
      beside('a document whose time-stamp is not there', change(small, 'issued/delivery-01.bin', PDF)),
    ],
    ['broken/issued-other-name', beside('a document under another name', raw('issued/constancia.pdf', PDF))],
    [
      'broken/issued-too-large',
      beside('a document of a byte more than there may be', raw(name, new Uint8Array(MAX_ISSUED_BYTES + 1))),
    ],
  ]);
}
