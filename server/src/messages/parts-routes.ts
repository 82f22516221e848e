import { Type } from 'typebox';
import { errorAnswers, Hash, ID_PARAMS, named, nullable, otherContent } from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import { attachmentHeader } from '../platform/http/download.ts';
import { type ContentDeps, readPart, readParts } from './parts.ts';
import type { PartFacts, ReadParts } from './parts-jobs.ts';

const BYTES = 'application/octet-stream';

const Field = named('HeaderField', {
  name: Type.String({ examples: ['Subject'] }),
  value: Type.String({ description: 'Unfolded and decoded.', examples: ['Invoice 2026-0001'] }),
});

const PartIndex = Type.Integer({
  minimum: 0,
  description: 'Place of the part among all, from 0; containers are not counted.',
});

const Part = named('MessagePart', {
  index: PartIndex,
  media_type: Type.String({
    description: 'In lower case, without parameters, as the message says.',
    examples: ['application/pdf'],
  }),
  filename: nullable(
    Type.String({ examples: ['invoice.pdf'] }),
    'As the message says: make it safe before you use it as a path.',
  ),
  disposition: nullable(Type.Enum(['inline', 'attachment'])),
  content_id: nullable(
    Type.String({ examples: ['logo@example.com'] }),
    'The Content-ID that cid: addresses in HTML refer to.',
  ),
  size_bytes: Type.Integer({ minimum: 0, description: 'Bytes of the decoded content.' }),
  sha256: Hash,
});

const Link = named('MessageLink', {
  part: PartIndex,
  url: Type.String({
    description: 'The address that a click opens, as a browser understands it.',
    examples: ['https://example.com/pay'],
  }),
  text: Type.String({ description: 'The text of the link, shortened.', examples: ['Pay now'] }),
});

const Remote = named('RemoteAddress', {
  part: PartIndex,
  url: Type.String({ examples: ['https://example.com/logo.png'] }),
});

export const MessageParts = named('MessageParts', {
  headers: Type.Array(Field, { description: "The message's own header fields, in order." }),
  parts: Type.Array(Part, { description: 'In the order and numbering of the evidence.' }),
  links: Type.Array(Link, { description: 'Each link of the texts once.' }),
  remote: Type.Array(Remote, {
    description:
      'Addresses that a mail program fetches if it shows remote content: images, style sheets, frames.',
  }),
  truncated: Type.Boolean({
    description: 'True: there are more links or remote addresses than the 1,000 of each that are listed.',
  }),
});

export const PART_PARAMS = Type.Object({
  ...ID_PARAMS.properties,
  index: Type.String({ description: 'index of the part.', examples: ['0'] }),
});

export function partsRoutes(doors: Doors, deps: ContentDeps): void {
  const config = { scopes: ['evidence:read'] as const, costly: true };

  doors.get(
    '/messages/:id/parts',
    {
      config,
      schema: {
        operationId: 'getMessageParts',
        summary: "Read a message's headers, parts and links",
        description:
          'The contents of the composed message: its header fields, its parts with the hashes that its evidence has, the links of its texts with the addresses that they open, and what a mail program would fetch from elsewhere. Answers 404 after its content was deleted: the error message says when and why.',
        params: ID_PARAMS,
        response: { 200: MessageParts, ...errorAnswers('not_found') },
      },
    },
    async (request) => presentParts(await readParts(deps, request.principal.tenantId, request.params.id)),
  );

  doors.get(
    '/messages/:id/parts/:index',
    {
      config,
      schema: {
        operationId: 'getMessagePart',
        summary: 'Download a part of a message',
        description:
          'The decoded content of the part, as it was hashed: a text without a file name is in UTF-8 with LF line ends and without white space at line ends. Whatever its media type, it is sent as a file to be saved.',
        params: PART_PARAMS,
        response: { 200: otherContent(BYTES, 'The content.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id, index } = request.params;
      const { filename, content } = await readPart(deps, request.principal.tenantId, id, index);
      // Strangers' content: never displayed.
      return reply
        .type(BYTES)
        .header('Content-Disposition', attachmentHeader(filename, `part-${index}.bin`))
        .header('Content-Security-Policy', "sandbox; default-src 'none'")
        .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength) as never);
    },
  );
}

export function presentParts({ header, parts, links, remote, truncated }: ReadParts) {
  return {
    headers: [...header],
    parts: parts.map(presentPart),
    links: [...links],
    remote: [...remote],
    truncated,
  };
}

function presentPart(facts: PartFacts, index: number) {
  const { mediaType, filename, disposition, contentId, sizeBytes, sha256 } = facts;
  return {
    index,
    media_type: mediaType,
    filename,
    disposition,
    content_id: contentId,
    size_bytes: sizeBytes,
    sha256: Buffer.from(sha256).toString('hex'),
  };
}
