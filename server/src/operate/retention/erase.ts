import { randomBytes } from 'node:crypto';
import { type AuditSource, appendAccountEvent, fromCommandLine } from '../../accounts/audit/append.ts';
import { blankAttempts, eraseReports } from '../../delivery/erase-store.ts';
import { blankMessage, eraseContent } from '../../messages/erase-store.ts';
import { eraseOpenings } from '../../messages/leaves/erase-store.ts';
import type { MessageStatus } from '../../messages/status.ts';
import { announceChange } from '../../platform/database/changes.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { blankEvents } from '../../webhooks/erase-store.ts';
import { findErasure, findTenantOf, lockMessage, recordErasure } from './erase-store.ts';
import { keptUntil } from './periods.ts';

/**
 * Erasure on request (docs/decisions/0013): content, salts and words in records go in one transaction;
 * hashes, leaves, proofs and constancias stay valid.
 */
export interface EraseDeps extends DbAndClock {
  readonly certifiedYears: number;
}

interface EraseRequest {
  readonly messageId: string;
  readonly tenantId: string | null;
  /** Recorded: must contain no content. */
  readonly reason: string;
  readonly by: string;
  /** Default: the command. */
  readonly source?: AuditSource;
  /** Within the retention period. */
  readonly force: boolean;
}

export type Erasure =
  /** `already`: returns the earlier record. */
  | {
      readonly kind: 'erased';
      readonly tenantId: string;
      readonly certified: boolean;
      readonly at: Date;
      readonly reason: string;
      readonly by: string;
      readonly bytes: number;
      readonly already: boolean;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'guarded'; readonly until: Date };

export type Erased = Extract<Erasure, { readonly kind: 'erased' }>;

const WAITING: readonly MessageStatus[] = ['scheduled', 'queued', 'deferred'];

const DIGEST_BYTES = 32;

export async function eraseMessage(deps: EraseDeps, request: EraseRequest): Promise<Erasure> {
  if (!isId(request.messageId) || (request.tenantId !== null && !isId(request.tenantId)))
    return { kind: 'unknown' };
  const erasure = await deps.db.transact((tx) => erase(tx, deps, request));
  // Drops cached bundles at once.
  if (erasure.kind === 'erased')
    await announceChange(deps.db, 'message', `${erasure.tenantId}/${request.messageId}`);
  return erasure;
}

async function erase(tx: Tx, deps: EraseDeps, request: EraseRequest): Promise<Erasure> {
  const { messageId, reason, by } = request;
  const tenantId = request.tenantId ?? (await findTenantOf(tx, messageId));
  const message = tenantId === null ? null : await lockMessage(tx, tenantId, messageId);
  if (tenantId === null || message === null) return { kind: 'unknown' };
  const { certified } = message;
  if (message.erasedAt !== null) {
    const before = await findErasure(tx, tenantId, messageId);
    const told = { at: message.erasedAt, reason: before?.reason ?? '', by: before?.deletedBy ?? '' };
    return { kind: 'erased', tenantId, certified, ...told, bytes: 0, already: true };
  }
  if (WAITING.includes(message.status)) return { kind: 'waiting' };
  const at = deps.clock.now();
  const until = keptUntil(message.lastHappenedAt, deps.certifiedYears);
  if (certified && at < until && !request.force) return { kind: 'guarded', until };
  const bytes = await eraseEverywhere(tx, tenantId, messageId, at);
  recordErasure(tx, tenantId, messageId, { deletedAt: at, reason, deletedBy: by });
  const entry = { action: 'erase_message', target: messageId, after: { reason } };
  await appendAccountEvent(tx, tenantId, request.source ?? fromCommandLine('messages'), entry, at);
  return { kind: 'erased', tenantId, certified, at, reason, by, bytes, already: false };
}

async function eraseEverywhere(tx: Tx, tenantId: string, messageId: string, at: Date): Promise<number> {
  eraseOpenings(tx, tenantId, messageId);
  eraseReports(tx, tenantId, messageId);
  const bytes = await eraseContent(tx, tenantId, messageId);
  await blankEvents(tx, tenantId, messageId);
  blankAttempts(tx, tenantId, messageId);
  blankMessage(tx, tenantId, messageId, { at, digest: randomBytes(DIGEST_BYTES) });
  return bytes;
}
