import type { FastifyRequest } from 'fastify';
import { appendAccountEvent } from '../../accounts/audit/append.ts';
import { showMessage } from '../../delivery/operate/queue.ts';
import { apiError } from '../../errors.ts';
import { readContent } from '../../messages/parts.ts';
import { isId, newId } from '../../platform/ids.ts';
import { operatorSource } from './audit.ts';
import { findOpening, insertOpening } from './content-store.ts';
import type { AdminDeps } from './deps.ts';

/**
 * Message content is closed to operators. Opening it takes a reason, holds for one operator and a quarter of
 * an hour, and is an entry in the customer's own audit log.
 */

/** How long a message stays open (ms). */
const OPEN_MS = 15 * 60 * 1000;

export interface Opened {
  readonly tenantId: string;
  readonly expiresAt: Date;
}

/** Throws not_found. */
export async function openContent(
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
export async function requireOpen(
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
