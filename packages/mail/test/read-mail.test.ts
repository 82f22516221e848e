import { EvidenceError } from '@acuse/evidence/errors';
import { leafParts } from '@acuse/evidence/mime-parts';
import { toCrlf } from '@acuse/evidence/relaxed';
import { describe, expect, it } from 'vitest';
import { isBodyText, readMail, readPartOf } from '../src/read-mail.ts';
import { findReferences } from '../src/references.ts';
import { corpusFiles } from './support/corpus.ts';

const mail = (lines: string[]) => Buffer.from(lines.join('\r\n'));

const MIXED = mail([
  'Subject: =?utf-8?Q?Factura_n=C2=BA_7?=',
  'X-Folded: one',
  ' two',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: multipart/related; boundary=r',
  '',
  '--r',
  'Content-Type: text/html; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>a=F1o <img src=3D"cid:logo">',
  '--r',
  'Content-Type: image/png',
  'Content-Disposition: inline',
  'Content-ID: <logo@x>',
  'Content-Transfer-Encoding: base64',
  '',
  'AAEC',
  '--r--',
  '--m',
  'Content-Type: text/plain; name=notes.txt',
  'Content-Disposition: weird',
  '',
  'kept \r',
  '--m--',
]);

describe('a message is shown', () => {
  it('with its header decoded and its leaves in the order of the evidence', () => {
    const { header, parts } = readMail(MIXED);
    expect(header.slice(0, 2)).toEqual([
      { name: 'Subject', value: 'Factura nº 7' },
      { name: 'X-Folded', value: 'one two' },
    ]);
    expect(
      parts.map(({ content, ...part }) => ({ ...part, content: Buffer.from(content).toString('latin1') })),
    ).toEqual([
      {
        mediaType: 'text/html',
        filename: null,
        disposition: null,
        contentId: null,
        content: '<p>a\u00c3\u00b1o <img src="cid:logo">',
      },
      {
        mediaType: 'image/png',
        filename: null,
        disposition: 'inline',
        contentId: 'logo@x',
        content: '\0\u0001\u0002',
      },
      {
        mediaType: 'text/plain',
        filename: 'notes.txt',
        disposition: 'attachment',
        contentId: null,
        content: 'kept \r',
      },
    ]);
    expect(parts.map(isBodyText)).toEqual([true, false, false]);
    expect(parts.map(({ content }) => content)).toEqual(leafParts(MIXED).map(({ content }) => content));
  });

  it('part by part; there are no others', () => {
    expect(readPartOf(MIXED, 1)).toEqual(readMail(MIXED).parts[1]);
    expect(readPartOf(MIXED, 3)).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['no header', '\r\nx'],
    ['no body', 'Subject: x'],
    ['lines without a colon', 'x\r\ny z\r\n\r\nz'],
    ['bare line feeds', 'Subject: x\nContent-Type: text/html\n\n<p>'],
    ['a multipart without a boundary', 'Content-Type: multipart/mixed\r\n\r\n--x\r\n'],
    ['a boundary that never comes', 'Content-Type: multipart/mixed; boundary=x\r\n\r\n'],
    ['octets that are no text', 'Content-Type: text/plain; charset=utf-8\r\n\r\n\x80\xff'],
    ['an unknown charset', 'Content-Type: text/plain; charset=none\r\n\r\nx'],
    ['base64 that is none', 'Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%='],
  ])('though it is broken: %s', (_, text) => {
    expect(() => readMail(Buffer.from(text, 'latin1'))).not.toThrow();
  });

  for (const folder of ['messages', 'bounces']) {
    const files = corpusFiles(folder);
    it.skipIf(files === null)(`whatever is among the ${folder} (skipped without ACUSE_CORPORA)`, () => {
      let refused = 0;
      for (const { name, raw } of files ?? []) {
        const message = toCrlf(raw);
        try {
          const { parts } = readMail(message);
          expect(parts.length, name).toBeGreaterThanOrEqual(0);
          const texts = parts.filter(isBodyText).map(({ mediaType, content }, index) => ({
            index,
            mediaType,
            text: Buffer.from(content).toString(),
          }));
          expect(() => findReferences(texts), name).not.toThrow();
        } catch (error) {
          if (!(error instanceof EvidenceError)) throw error;
          refused++;
        }
      }
      expect(refused).toBeLessThanOrEqual((files ?? []).length / 20);
    });
  }
});
