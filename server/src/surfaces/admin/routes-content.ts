import type { FastifyRequest } from 'fastify';
import { appendAccountEvent } from '../../accounts/audit/append.ts';
import { showMessage } from '../../delivery/operate/queue.ts';
import { apiError } from '../../errors.ts';
import { readContent, readPart, readParts } from '../../messages/parts.ts';
import { MessageParts, PART_PARAMS, presentParts } from '../../messages/parts-routes.ts';
import { errorAnswers, ID_PARAMS, named, otherContent, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { attachmentHeader } from '../../platform/http/download.ts';
import { isId, newId } from '../../platform/ids.ts';
import { BY_ADMIN } from './access.ts';
import { operatorSource } from './audit.ts';
import { findOpening, insertOpening } from './content-store.ts';
import type { AdminDeps } from './deps.ts';
import { REASON } from './tenant-schemas.ts';

const BYTES = 'application/octet-stream';
/** Opened content may be read again without another authentication: it closes soon enough. */
const READ_OPEN = { operator: 'admin' } as const;

const OpeningRequest = named('ContentOpening', {
  reason: { ...REASON, description: "Why. It is shown in the customer's audit log." },
});

const OpenedContent = named('OpenedContent', {
  expires_at: { ...Timestamp, description: 'Closed again from then on.' },
  ...MessageParts.properties,
});

export function contentRoutes(doors: Doors, deps: AdminDeps): void {
  doors.post(
    '/messages/:id/content',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'openMessageContent',
        summary: 'Open the content of a message',
        description:
          'For you, for 15 minutes. The customer reads in their audit log who opened it, when and why. Answers its header fields, parts and links.',
        params: ID_PARAMS,
        body: OpeningRequest,
        response: { 201: OpenedContent, ...errorAnswers('not_found') },
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
        summary: 'Read the content that you opened',
        description: '404 unless you opened it within the last 15 minutes.',
        params: ID_PARAMS,
        response: { 200: OpenedContent, ...errorAnswers('not_found') },
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
        summary: 'Download a part of a message that you opened',
        description: 'As the customer downloads it: always as a file to be saved.',
        params: PART_PARAMS,
        response: { 200: otherContent(BYTES, 'The content.'), ...errorAnswers('not_found') },
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

/**
 * Message content is closed to operators. Opening it takes a reason, holds for one operator and a quarter of
 * an hour, and is an entry in the customer's own audit log.
 */

const OPEN_MS = 15 * 60 * 1000;

interface Opened {
  readonly tenantId: string;
  readonly expiresAt: Date;
}

/** Throws not_found. */
async function openContent(
  deps: Pick<AdminDeps, 'db' | 'clock' | 'archived'>,
  request: FastifyRequest,
  messageId: string,
  reason: string,
): Promise<Opened> {
  const { db, clock } = deps;
  const { tenant_id: tenantId } = (await showMessage(deps, messageId)).message;
  // Deleted content cannot be opened, and no entry says that it was.
  await readContent(deps, tenantId, messageId);
  const { operatorId } = request.operator;
  const openedAt = clock.now();
  const expiresAt = new Date(openedAt.getTime() + OPEN_MS);
  const source = operatorSource(request);
  await db.transact(async (tx) => {
    const openingId = newId(openedAt.getTime());
    await insertOpening(tx, { openingId, operatorId, tenantId, messageId, reason, openedAt, expiresAt });
    const after = { reason, expires_at: expiresAt.toISOString() };
    const entry = { action: 'open_message_content', target: messageId, after };
    await appendAccountEvent(tx, tenantId, source, entry, openedAt);
  });
  return { tenantId, expiresAt };
}

/** Throws not_found while it is closed to this operator. */
async function requireOpen(
  { db, clock }: Pick<AdminDeps, 'db' | 'clock'>,
  { operator }: Pick<FastifyRequest, 'operator'>,
  messageId: string,
): Promise<Opened> {
  const open = isId(messageId)
    ? await db.transact((tx) => findOpening(tx, operator.operatorId, messageId, clock.now()))
    : null;
  if (open === null)
    throw apiError(
      'not_found',
      'This message is closed: open it, with a reason, by POST /v1/admin/messages/{id}/content.',
    );
  return open;
}
