import { domainToASCII } from 'node:url';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { compose } from '../src/compose.ts';
import { MailInputError } from '../src/input-error.ts';
import { readMimeTree } from '../src/mime-tree.ts';
import { parseMessage } from '../src/parse.ts';
import { corpusFiles } from './support/corpus.ts';
import { composeInput } from './support/factories.ts';

const HEADER = ['From: Acme <billing@example.com>', 'To: ana@example.org', 'Subject: Hi'];

/** The sent form of a submission. */
function sent(raw: Uint8Array): Uint8Array {
  return compose({ ...composeInput(), ...parseMessage(raw) }).raw;
}

function message(lines: readonly string[], body: string): Uint8Array {
  return Buffer.from(`${[...HEADER, ...lines].join('\r\n')}\r\n\r\n${body}`, 'utf8');
}

/** Types by nesting, as our reader has them; `message/rfc822` is one. */
function types(raw: Uint8Array): string {
  const of = (entity: ReturnType<typeof readMimeTree>): string =>
    entity.children.length === 0
      ? entity.type.value
      : `${entity.type.value}(${entity.children.map(of).join(' ')})`;
  return of(readMimeTree(raw));
}

const trimmed = (text: string | undefined) =>
  (text ?? '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();

const trimText = (mimeType: string, content: unknown) => {
  const bytes = Buffer.from(content as Uint8Array);
  // A nested message is in lines, whose ends are the transport's.
  return /^(?:text|message)\//.test(mimeType) ? trimmed(bytes.toString('latin1')) : bytes.toString('base64');
};

/** UTF-8 under the label of ASCII, which is relabelled. */
function asLabelled(text: string): string {
  const read = Buffer.from(text, 'latin1').toString();
  return read.includes('\ufffd') ? text : read;
}

/** Windows-1252 without a charset, which postal-mime does not guess. */
function inHeader(text: string): string {
  return text.replace(/[^\x00-\x7f]/g, '\ufffd');
}

function comparable(addresses: unknown): string {
  const text = decodeWords(JSON.stringify(addresses ?? null)).toLowerCase();
  return text.replace(/@([^"]{1,255})"/g, (_, domain: string) => `@${domainToASCII(domain)}"`);
}

function facts(email: Email) {
  return {
    // Domains are written in lower case; in quotes an encoded-word is text to us, and not to all.
    from: comparable(email.from),
    to: comparable(email.to),
    subject: inHeader(email.subject ?? ''),
    // One that cannot be read is replaced.
    date: Number.isNaN(Date.parse(email.date ?? '')) ? null : email.date,
    text: asLabelled(trimmed(email.text)),
    html: asLabelled(trimmed(email.html)),
    attachments: email.attachments.map(({ filename, mimeType, disposition, contentId, content }) => ({
      filename,
      mimeType,
      disposition,
      contentId,
      content: trimText(mimeType, content),
    })),
  };
}

describe('what was submitted is what goes out', () => {
  const nested = [
    ...HEADER,
    'Date: Mon, 01 Jan 2024 10:00:00 -0600',
    'Content-Type: multipart/mixed; boundary=in',
    '',
    '--in',
    '',
    'inner text',
    '--in--',
    '',
  ].join('\r\n');
  const forwarded = `--b\r\n\r\nouter\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${nested}\r\n--b--\r\n`;
  const report = [
    '--b\r\n\r\nIt failed.',
    '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a.example\r\n\r\nFinal-Recipient: rfc822; x@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n',
    `--b\r\nContent-Type: message/rfc822\r\n\r\n${nested}`,
    '--b--\r\n',
  ].join('\r\n');
  const alternative = [
    '--b\r\nContent-Type: text/plain\r\n\r\nplain',
    '--b\r\nContent-Type: text/html\r\n\r\n<p>html</p>',
    '--b\r\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\nSUMMARY:Reunión\r\nEND:VCALENDAR',
    '--b--\r\n',
  ].join('\r\n');
  const related = [
    '--b\r\nContent-Type: text/html\r\n\r\n<img src="cid:a@b">',
    '--b\r\nContent-Type: image/png\r\nContent-ID: <a@b>\r\nContent-Disposition: inline; filename=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw==',
    '--b--\r\n',
  ].join('\r\n');

  it.each([
    ['a message in a message', 'multipart/mixed; boundary=b', forwarded],
    ['a report', 'multipart/report; report-type=delivery-status; boundary=b', report],
    ['an invitation beside text', 'multipart/alternative; boundary=b', alternative],
    ['an image inside html', 'multipart/related; type="text/html"; boundary=b', related],
    [
      'texts that follow each other',
      'multipart/mixed; boundary=b',
      '--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n',
    ],
    ['a digest', 'multipart/digest; boundary=b', `--b\r\n\r\n${nested}\r\n--b--\r\n`],
    ['a report alone in a message', 'message/rfc822', nested],
    ['an image alone', 'image/png; name="a.png"\r\nContent-Transfer-Encoding: base64', 'iVBORw=='],
  ])('%s', async (_, type, body) => {
    const raw = message([`Content-Type: ${type}`, 'Date: Thu, 20 Nov 2025 09:40:00 +0100'], body);
    expect(types(sent(raw))).toBe(types(raw));
    const options = { forceRfc822Attachments: true };
    expect(facts(await PostalMime.parse(sent(raw), options))).toEqual(
      facts(await PostalMime.parse(raw, options)),
    );
    // Going out again, it is the same.
    expect(Buffer.from(sent(sent(raw)))).toEqual(Buffer.from(sent(raw)));
  });

  it('a message in eight bits inside another is written in seven, and stays one', async () => {
    const body = forwarded.replace('inner text', 'señor').replace('Subject: Hi', 'Subject: Añil');
    const raw = message(['Content-Type: multipart/mixed; boundary=b'], body);
    const out = sent(raw);
    expect(Buffer.from(out).toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(types(out)).toBe('multipart/mixed(text/plain message/rfc822)');
    const inner = readMimeTree(out).children[1]!.body;
    const read = await PostalMime.parse(inner);
    expect([read.subject, trimmed(read.text), read.date]).toEqual([
      'Añil',
      'señor',
      '2024-01-01T16:00:00.000Z',
    ]);
  });

  it.each([
    ['Thu, 20 Nov 2025 09:40:00 +0100', 'Thu, 20 Nov 2025 09:40:00 +0100'],
    ['20 Nov 2025 09:40 -0600 (CST)', '20 Nov 2025 09:40 -0600 (CST)'],
    ['2025-11-20T09:40:00Z', 'Thu, 20 Nov 2025 09:40:00 +0000'],
  ])('the Date %s goes out as %s', (given, written) => {
    const out = Buffer.from(sent(message([`Date: ${given}`], 'x'))).toString('latin1');
    expect(out).toContain(`\r\nDate: ${written}\r\n`);
  });

  it('a Date that cannot be read is ours, and no header comes of it', () => {
    const out = Buffer.from(sent(message(['Date: soon (\r\n X-Evil: y)'], 'x'))).toString('latin1');
    expect(out).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r\n/);
    expect(out).not.toContain('Evil');
  });

  it('text in front of the first boundary and behind the last is not dropped', () => {
    const body = `before\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\none\r\n--c--\r\nlost and found\r\n--b--\r\nafter\r\n`;
    const out = Buffer.from(sent(message(['Content-Type: multipart/mixed; boundary=b'], body))).toString(
      'latin1',
    );
    for (const text of ['before', 'lost and found', 'after']) expect(out).toContain(`\r\n${text}\r\n`);
  });

  it('white space inside names stays', async () => {
    const file =
      'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="my  big   file.pdf"\r\n\r\nx';
    const raw = Buffer.from(
      `From: "Acme  de   México" <billing@example.com>\r\nTo: "Ana  B" <ana@example.org>\r\nSubject: a  b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${file}\r\n--b--\r\n`,
    );
    const read = await PostalMime.parse(sent(raw));
    expect([read.from?.name, read.to?.[0]?.name, read.subject, read.attachments[0]?.filename]).toEqual([
      'Acme  de   México',
      'Ana  B',
      'a  b',
      'my  big   file.pdf',
    ]);
  });

  it('what is signed goes out byte for byte, or not at all', () => {
    const body =
      '--s;1\r\nContent-Type: text/plain\r\n\r\nsigned  \r\n.\r\n--s;1\r\nContent-Type: application/pgp-signature\r\n\r\nxx\r\n--s;1--\r\n'.replaceAll(
        's;1',
        's1',
      );
    const lines = [
      'Content-Type: multipart/signed; protocol="application/pgp-signature"; micalg=pgp-sha256; boundary=s1',
    ];
    const out = Buffer.from(sent(message(lines, body))).toString('latin1');
    expect(out.endsWith(`\r\n\r\n${body}`)).toBe(true);
    expect(types(Buffer.from(out))).toBe('multipart/signed(text/plain application/pgp-signature)');
    expect(() => sent(message(lines, body.replace('signed', 'señor')))).toThrow(/signed or encrypted/);
  });
});

const files = corpusFiles('messages') ?? [];

// Needs the corpora (ACUSE_CORPORA).
describe.skipIf(files.length === 0)('real messages', () => {
  it('keep their form, names, contents and Date', async () => {
    let taken = 0;
    for (const { name, raw: given } of files) {
      // Without the line of a mailbox file.
      const raw = Buffer.from(
        Buffer.from(given)
          .toString('latin1')
          .replace(/^From [^\n]*\n/, ''),
        'latin1',
      );
      let out: Uint8Array;
      try {
        out = sent(raw);
      } catch (error) {
        expect([name, error]).toEqual([name, expect.any(MailInputError)]);
        continue;
      }
      taken++;
      expect([name, types(out)]).toEqual([name, types(raw)]);
      const options = { forceRfc822Attachments: true };
      const [before, after] = [await PostalMime.parse(raw, options), await PostalMime.parse(out, options)];
      const expected = facts(before);
      expect([name, { ...facts(after), date: expected.date && facts(after).date }]).toEqual([name, expected]);
    }
    expect(taken).toBeGreaterThan(20);
  });
});
