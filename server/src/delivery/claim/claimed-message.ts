import type { Mark } from '../../platform/queue/leases.ts';
import type { ClaimedRow } from './claim-store.ts';

export interface ClaimedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  readonly destination: string;
  /** Fences write-backs; changes when this process claims it again after the lease expired. */
  fence: number;
  readonly acceptedAt: Date;
  readonly expiresAt: Date;
  /** With the display name. */
  readonly headerTo: string;
  readonly senderAddress: string;
  readonly recipientAddress: string;
  /** MAIL FROM, fixed at acceptance. */
  readonly reversePath: string;
  readonly certified: boolean;
  readonly sizeBytes: number;
  readonly attemptsMade: number;
  readonly wasDeferred: boolean;
  readonly sourcePool: string | null;
  /** Accepted in the sandbox: only for the test mailbox. */
  readonly sandbox: boolean;
  /** Suppressed after it was accepted. */
  suppressed: boolean;
  /** Absent: when it was claimed. */
  readonly leasedAt?: Mark;
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
