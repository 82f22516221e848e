import type { ManifestDraft } from '@acuse/evidence/manifest';
import type { Tx } from '../platform/database/db.ts';
import type { MessageColumns } from './leaves/chain-store.ts';

/** A message's place among those of a request that has several recipients. */
export interface CopyPlace {
  /** The message of the request's first recipient, which claims the idempotency key for all. */
  readonly of: string;
  /** Its recipient's among those of the request, from 0. */
  readonly position: number;
  /** A suppressed recipient is left out, rather than all refused; null: the request could not say so. */
  readonly skipSuppressed: boolean | null;
}

/** A send that is ready to be committed: everything that needs no transaction is done. */
export interface PreparedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  readonly idempotencyKey: string;
  /** SHA-256 over the parsed submission. */
  readonly submissionDigest: Uint8Array;
  /** As given, display name included. */
  readonly headerFrom: string;
  readonly recipient: string;
  /** As compared and sent to: local part as given, A-label domain. */
  readonly senderAddress: string;
  readonly recipientAddress: string;
  /** MAIL FROM of every attempt. */
  readonly reversePath: string;
  /** The recipient as suppression lists compare it. */
  readonly suppressionKey: string;
  /** Domain that the mail is delivered to, A-labels. */
  readonly destination: string;
  readonly subject: string;
  readonly certified: boolean;
  readonly template: { templateId: string; version: number } | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** What was composed, from our own first header on. */
  readonly raw: Uint8Array;
  /** The bytes as received. */
  readonly submission: Uint8Array;
  readonly createdAt: Date;
  /** When it is to be sent; null: at once. */
  readonly sendAt: Date | null;
  readonly expiresAt: Date;
  /** The source pool that the account is assigned to; null: the default one. */
  readonly sourcePool: string | null;
  /** Certified only: the manifest, whole but for its sequence number, and the salts that open it. */
  readonly evidence: { draft: ManifestDraft; openings: Uint8Array } | null;
  /** Null: it is the one message of its request. */
  readonly copy: CopyPlace | null;
}

/** Whether the idempotency key is claimed for this message, and not for another of its request. */
export function claimsKey({ copy, messageId }: PreparedMessage): boolean {
  return copy === null || copy.of === messageId;
}

/** What the commit adds to a certified message. */
export interface LeafContent {
  readonly canonicalHash: Uint8Array;
  readonly manifestBytes: Uint8Array;
  readonly openings: Uint8Array;
  readonly tenantSequence: number;
}

export interface AcceptedRow {
  readonly message: PreparedMessage;
  readonly leaf: LeafContent | null;
}

/**
 * Puts accepted messages in line for delivery, in the transaction that accepts them; delivery's own. `begun`:
 * which of them this process's worker begins with; absent: none.
 */
export type Enqueue = (
  tx: Tx,
  messages: MessageColumns,
  waits: readonly Pick<PreparedMessage, 'destination' | 'expiresAt'>[],
  begun?: readonly boolean[],
) => void;

/** The way from a commit to this process's own worker; delivery's own. */
export interface Handover {
  /** Before the transaction begins: leases are counted from here. */
  open(): Handing;
}

/** What one commit hands over. Ends with `begin` or `withdraw`. */
export interface Handing {
  /**
   * Which of these the worker begins with once they are committed, in order. Called again when the
   * transaction is tried again: the last choice counts.
   */
  choose(messages: readonly PreparedMessage[]): readonly boolean[];
  /** They are committed. */
  begin(): void;
  /** They are not, or nobody knows: those that are come due when their leases end. */
  withdraw(): void;
}
