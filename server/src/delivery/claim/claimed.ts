import type { ClaimedRow } from './claim-store.ts';

/** A message that this worker holds until its lease ends. */
export interface ClaimedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  /** The recipient's domain, A-labels. */
  readonly destination: string;
  /**
   * Fences the write-back; moves when this process claims again what it still holds (its lease had run out).
   */
  fence: number;
  readonly acceptedAt: Date;
  readonly expiresAt: Date;
  /** The recipient as given, display name included. */
  readonly headerTo: string;
  readonly senderAddress: string;
  readonly recipientAddress: string;
  /** MAIL FROM, fixed at acceptance. */
  readonly reversePath: string;
  readonly certified: boolean;
  readonly sizeBytes: number;
  /** Attempts recorded before this one. */
  readonly attemptsMade: number;
  readonly wasDeferred: boolean;
  /** The source pool that the account is assigned to; null: the default one. */
  readonly sourcePool: string | null;
  /** Accepted in the sandbox: the test mailbox's, and nobody else's. */
  readonly sandbox: boolean;
  /** The recipient was suppressed after the message was accepted. */
  suppressed: boolean;
}

export function toClaimed(row: ClaimedRow): ClaimedMessage {
  return {
    tenantId: row.tenant_id,
    messageId: row.message_id,
    destination: row.destination,
    fence: row.attempt,
    acceptedAt: row.created_at,
    expiresAt: row.expires_at,
    headerTo: row.header_to,
    senderAddress: row.sender_address,
    recipientAddress: row.recipient_address,
    reversePath: row.reverse_path,
    certified: row.certified,
    sizeBytes: row.size_bytes,
    attemptsMade: row.attempts_made,
    wasDeferred: row.was_deferred,
    sourcePool: row.source_pool,
    sandbox: row.sandbox,
    suppressed: false,
  };
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
