import { type AuditSource, appendAccountEvent } from '../accounts/audit/append.ts';
import { apiError } from '../errors.ts';
import type { Tx } from '../platform/database/db.ts';
import { decideApproval, holdWaiting } from './approval-store.ts';
import type { PreparedMessage } from './prepared.ts';

export function decidedBefore() {
  return apiError('conflict', 'This request was decided before, or its time is over: look at it again.');
}

/** False: it was decided before. */
export async function recordApproval(
  tx: Tx,
  tenantId: string,
  { approvalId, by, at, messageId }: { approvalId: string; by: AuditSource; at: Date; messageId: string },
): Promise<boolean> {
  const decision = { approvalId, state: 'approved', by: by.name, at, messageId } as const;
  if (!(await decideApproval(tx, tenantId, decision))) return false;
  const entry = { action: 'approve_send', target: approvalId, after: { message_id: messageId } };
  await appendAccountEvent(tx, tenantId, by, entry, at);
  return true;
}

function approvedIn(group: readonly PreparedMessage[]): PreparedMessage[] {
  const approved = group.filter(({ approval }) => approval !== undefined);
  return [...new Map(approved.map((item) => [item.approval!.approvalId, item])).values()];
}

/** Locks the approvals of a group that is being committed; returns the ids of those that still wait. */
export async function holdApprovals(tx: Tx, group: readonly PreparedMessage[]): Promise<Set<string>> {
  const held = new Set<string>();
  for (const { tenantId, approval, createdAt } of approvedIn(group))
    if (await holdWaiting(tx, tenantId, approval!.approvalId, createdAt)) held.add(approval!.approvalId);
  return held;
}

export async function recordApprovals(tx: Tx, accepted: readonly PreparedMessage[]): Promise<void> {
  for (const { tenantId, messageId, approval, createdAt: at } of approvedIn(accepted.toReversed()))
    await recordApproval(tx, tenantId, { ...approval!, at, messageId });
}
