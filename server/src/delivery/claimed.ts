import type { ClaimedRow } from './store.ts';

/** A message that this worker holds until its lease ends. */
export interface ClaimedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  /** The recipient's domain, A-labels. */
  readonly destination: string;
  /** Fences the write-back; moves when this process claims anew what it still holds (its lease had run out). */
  fence: number;
  readonly acceptedAt: Date;
  readonly expiresAt: Date;
  readonly senderAddress: string;
  readonly recipientAddress: string;
  readonly sizeBytes: number;
  /** Attempts recorded before this one. */
  readonly attemptsMade: number;
  readonly wasDeferred: boolean;
}

export function toClaimed(row: ClaimedRow): ClaimedMessage {
  return {
    tenantId: row.tenant_id,
    messageId: row.message_id,
    destination: row.destination,
    fence: row.attempt,
    acceptedAt: row.created_at,
    expiresAt: row.expires_at,
    senderAddress: row.sender_address,
    recipientAddress: row.recipient_address,
    sizeBytes: row.size_bytes,
    attemptsMade: row.attempts_made,
    wasDeferred: row.was_deferred,
  };
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
