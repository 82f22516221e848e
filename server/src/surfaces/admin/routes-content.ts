import { Type } from 'typebox';
import { readPart, readParts } from '../../messages/parts.ts';
import { MessageParts, PART_PARAMS, presentParts } from '../../messages/parts-routes.ts';
import { errorAnswers, ID_PARAMS, otherContent, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { attachmentHeader } from '../../platform/http/download.ts';
import { BY_ADMIN, CHANGE_ERRORS, OPERATOR_ERRORS } from './access.ts';
import { openContent, requireOpen } from './content.ts';
import type { AdminDeps } from './deps.ts';
import { REASON } from './tenant-schemas.ts';

const TAGS = ['Messages'];
const BYTES = 'application/octet-stream';
/** Opened content may be read again without another authentication: it closes soon enough. */
const READ_OPEN = { operator: 'admin' } as const;

const OpeningRequest = Type.Object(
  { reason: { ...REASON, description: "Why. It is shown in the customer's audit log." } },
  { additionalProperties: false, $id: 'ContentOpening' },
);

const OpenedContent = Type.Object(
  { expires_at: { ...Timestamp, description: 'Closed again from then on.' }, ...MessageParts.properties },
  { additionalProperties: false, $id: 'OpenedContent' },
);

/** Message content for an operator with a reason. */
export function contentRoutes(doors: Doors, deps: AdminDeps): void {
  doors.post(
    '/messages/:id/content',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'openMessageContent',
        tags: TAGS,
        summary: 'Open what a message says',
        description:
          'For you, for 15 minutes. The customer reads in their audit log who opened it, when and why. Answers its header fields, parts and links.',
        params: ID_PARAMS,
        body: OpeningRequest,
        response: { 201: OpenedContent, ...errorAnswers(...CHANGE_ERRORS, 'not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const reason = request.body.reason.trim();
      const what = { action: 'message.open_content', subject: id, reason };
      const opened = await deps.audit.change(request, what, async () => {
        const { tenantId, expiresAt } = await openContent(deps, request, id, reason);
        return { answer: { tenantId, expiresAt }, tenantId };
      });
      return reply.code(201).send(await presentOpened(deps, id, opened));
    },
  );

  doors.get(
    '/messages/:id/content',
    {
      config: READ_OPEN,
      schema: {
        operationId: 'getOpenedContent',
        tags: TAGS,
        summary: 'Read what you opened',
        description: '404 unless you opened it within the last 15 minutes.',
        params: ID_PARAMS,
        response: { 200: OpenedContent, ...errorAnswers(...OPERATOR_ERRORS, 'not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      return presentOpened(deps, id, await requireOpen(deps, request, id));
    },
  );

  doors.get(
    '/messages/:id/content/:index',
    {
      config: READ_OPEN,
      schema: {
        operationId: 'getOpenedPart',
        tags: TAGS,
        summary: 'Download a part of what you opened',
        description: 'As the customer downloads it: always as a file to be saved.',
        params: PART_PARAMS,
        response: {
          200: otherContent(BYTES, 'The content.'),
          ...errorAnswers(...OPERATOR_ERRORS, 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { id, index } = request.params;
      const { tenantId } = await requireOpen(deps, request, id);
      const { filename, content } = await readPart(deps, tenantId, id, index);
      // Some sender made it: no browser may show it, whatever it is.
      return reply
        .type(BYTES)
        .header('Content-Disposition', attachmentHeader(filename, `part-${index}.bin`))
        .header('Content-Security-Policy', "sandbox; default-src 'none'")
        .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength) as never);
    },
  );
}

async function presentOpened(
  deps: AdminDeps,
  messageId: string,
  { tenantId, expiresAt }: { readonly tenantId: string; readonly expiresAt: Date },
) {
  const parts = presentParts(await readParts(deps, tenantId, messageId));
  return { expires_at: expiresAt.toISOString(), ...parts };
}
