/**
 * Writing a kept body: every part under its own type and name, each in an encoding that no relay has cause to
 * change.
 */
import type { MediaType } from './attachment.ts';
import type { BodyPart } from './body-tree.ts';
import type { HeaderText } from './header-text.ts';
import { asciiHeader, parameterHeader, unstructuredHeader } from './header-write.ts';
import { base64LinesSize, encodeBase64Lines, encodeQuotedPrintable } from './transfer-encoding.ts';
import { withLf } from './transit-form.ts';

/** An entity being written: its own header fields, then its body, which is empty or ends in CRLF. */
export type Entity = {
  fields: string;
  body: readonly Uint8Array[];
  sizeBytes: number;
  /** The final CRLF is content, so a delimiter after it needs one of its own. RFC 2046 §5.1.1 */
  endsInContent: boolean;
};

export type Assembly = { entities: number; boundaries: number; seed: string };

/** Throws MailInputError for a nested header that no line can hold. */
export function writePart(part: BodyPart, assembly: Assembly): Entity {
  assembly.entities++;
  const { content } = part;
  switch (content.kind) {
    case 'parts':
      return writeParts(part, content, assembly);
    case 'verbatim':
      return withFields(part, part.mediaType, '7bit', lines(content.octets));
    case 'octets':
      return content.text ? writeText(part, content.octets) : writeOctets(part, content.octets);
    case 'message': {
      const body = writePart(content.body, assembly);
      const fields = content.header.map(({ name, value }) => nestedField(name, value)).join('');
      const header = Buffer.from(`${fields}MIME-Version: 1.0\r\n${body.fields}\r\n`);
      const whole = { ...body, body: [header, ...body.body], sizeBytes: header.length + body.sizeBytes };
      return withFields(part, part.mediaType, '7bit', whole);
    }
  }
}

/** Octets that a part will take at least. */
export function leastSize({ content }: BodyPart): number {
  switch (content.kind) {
    case 'parts':
      return content.parts.reduce((sum, part) => sum + leastSize(part), 0);
    case 'message':
      return leastSize(content.body);
    case 'octets':
      return content.text ? content.octets.length : base64LinesSize(content.octets.length);
    case 'verbatim':
      return content.octets.length;
  }
}

/** ASCII as it is: addresses and dates are not ours to encode. */
function nestedField(name: string, value: string): string {
  const text = value as HeaderText;
  return /^[\t\x20-\x7e]*$/.test(value)
    ? asciiHeader(name, value.replaceAll('\t', ' ').trim() as HeaderText)
    : unstructuredHeader(name, text);
}

function withFields(
  part: BodyPart,
  mediaType: MediaType,
  encoding: string | null,
  body: Omit<Entity, 'fields'>,
): Entity {
  let fields = parameterHeader('Content-Type', mediaType.type, mediaType.parameters);
  if (encoding !== null) fields += `Content-Transfer-Encoding: ${encoding}\r\n`;
  const { disposition, contentId } = part;
  if (disposition !== null)
    fields += parameterHeader('Content-Disposition', disposition.type, disposition.parameters);
  if (contentId !== null) fields += `Content-ID:${contentId.length > 60 ? '\r\n' : ''} ${contentId}\r\n`;
  for (const [name, value] of part.fields) fields += unstructuredHeader(name, value);
  return { fields, body: body.body, sizeBytes: body.sizeBytes, endsInContent: body.endsInContent };
}

/** With a CRLF at its end, which is content if it was there. */
function lines(octets: Uint8Array): Omit<Entity, 'fields'> {
  const ends = octets.length === 0 || octets[octets.length - 1] === 0x0a;
  const body = ends ? [octets] : [octets, Buffer.from('\r\n')];
  return { body, sizeBytes: octets.length + (ends ? 0 : 2), endsInContent: ends };
}

function writeText(part: BodyPart, octets: Uint8Array): Entity {
  return withFields(part, part.mediaType, 'quoted-printable', lines(encodeQuotedPrintable(withLf(octets))));
}

function writeOctets(part: BodyPart, octets: Uint8Array): Entity {
  const encoded = encodeBase64Lines(octets);
  return withFields(part, part.mediaType, 'base64', {
    body: [encoded],
    sizeBytes: encoded.length,
    endsInContent: false,
  });
}

/** No line of ours holds the boundary: its seed is made after everything else was written. RFC 2046 §5.1.1 */
function writeParts(
  part: BodyPart,
  { parts, preamble, epilogue }: Extract<BodyPart['content'], { kind: 'parts' }>,
  assembly: Assembly,
): Entity {
  const children = parts.map((it) => writePart(it, assembly));
  const boundary = `=_${assembly.seed}_${++assembly.boundaries}` as HeaderText;
  const body: Uint8Array[] = [];
  const put = (bytes: Uint8Array) => body.push(bytes);
  // Its last line end is the delimiter's.
  if (preamble.length > 0) put(Buffer.concat([preamble, Buffer.from('\r\n')]));
  let delimiterBreak = '';
  for (const child of children) {
    put(Buffer.from(`${delimiterBreak}--${boundary}\r\n${child.fields}\r\n`));
    for (const piece of child.body) put(piece);
    delimiterBreak = child.endsInContent ? '\r\n' : '';
  }
  put(Buffer.from(`${delimiterBreak}--${boundary}--\r\n`));
  const end = epilogue.length > 0 ? lines(epilogue) : null;
  for (const piece of end?.body ?? []) put(piece);
  const { type, parameters } = part.mediaType;
  const mediaType = { type, parameters: [...parameters, ['boundary', boundary] as const] };
  const sizeBytes = body.reduce((sum, piece) => sum + piece.length, 0);
  return withFields(part, mediaType, null, { body, sizeBytes, endsInContent: end?.endsInContent ?? false });
}
