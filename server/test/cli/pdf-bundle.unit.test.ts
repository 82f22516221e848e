import { deflateSync } from 'node:zlib';
import { MAX_BUNDLE_BYTES } from '@acuse/evidence/bundle-entries';
import { expect, test } from 'vitest';
import { bundleOfPdf, isPdf } from '../../src/cli/pdf-bundle.ts';

const ZIP = Buffer.from('PK the bundle');
const embedded = (content: Buffer, more = '', length = String(content.length)) =>
  Buffer.concat([
    Buffer.from(
      `7 0 obj\n<<\n/Type /EmbeddedFile\n/Params <<\n/Size 13\n>>\n/Length ${length}\n${more}>>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
const pdf = (...parts: Buffer[]) =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts, Buffer.from('%%EOF\n')]);
const FLATE = '/Filter /FlateDecode\n';

test('the attached file is found, packed or not', () => {
  expect(isPdf(pdf())).toBe(true);
  expect(isPdf(ZIP)).toBe(false);
  for (const one of [embedded(ZIP), embedded(deflateSync(ZIP), FLATE)])
    expect(Buffer.from(bundleOfPdf('x.pdf', pdf(one))).equals(ZIP)).toBe(true);
});

test.each<[string, Buffer, RegExp]>([
  ['nothing attached', pdf(), /no attached bundle/],
  ['two attachments', pdf(embedded(ZIP), embedded(ZIP)), /more than one attachment/],
  ['a length elsewhere', pdf(embedded(ZIP, '', '8 0 R')), /place cannot be read/],
  ['a length beyond the end', pdf(embedded(ZIP, '', '9999999')), /ends within/],
  [
    'a dictionary without an end',
    pdf(Buffer.from('/Type /EmbeddedFile << '.repeat(1) + '<'.repeat(1e6))),
    /place cannot be read/,
  ],
  ['another filter', pdf(embedded(ZIP, '/Filter [/FlateDecode /FlateDecode]\n')), /another way/],
  ['what is not packed', pdf(embedded(ZIP, FLATE)), /does not unpack/],
  [
    'what unpacks without end',
    pdf(embedded(deflateSync(Buffer.alloc(MAX_BUNDLE_BYTES + 1)), FLATE)),
    /larger than a bundle/,
  ],
])('%s is a clear refusal', (_, bytes, why) => {
  expect(() => bundleOfPdf('x.pdf', bytes)).toThrow(why);
});
