import type { ManifestDraft } from '@acuse/evidence/manifest';
import type { AuditSource } from '../accounts/audit/append.ts';
import type { Tx } from '../platform/database/db.ts';
import type { Asked } from './acknowledgement.ts';
import type { MessageColumns } from './leaves/chain-store.ts';

interface CopyPlace {
  readonly of: string;
  readonly position: number;
  /** Null: the request has no such field. */
  readonly skipSuppressed: boolean | null;
}

/** What a person approved, and who: recorded with the message. */
export interface SendApproval {
  readonly approvalId: string;
  /** The state that they saw, as shownOf names it. */
  readonly shown: string;
  readonly by: AuditSource;
}

export interface PreparedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  readonly idempotencyKey: string;
  /** Over the parsed submission. */
  readonly submissionDigest: Uint8Array;
  readonly headerFrom: string;
  readonly recipient: string;
  /** A-label domain. */
  readonly senderAddress: string;
  readonly recipientAddress: string;
  readonly reversePath: string;
  readonly suppressionKey: string;
  readonly destination: string;
  readonly subject: string;
  readonly certified: boolean;
  readonly template: { templateId: string; version: number } | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly raw: Uint8Array;
  readonly submission: Uint8Array;
  readonly createdAt: Date;
  readonly sendAt: Date | null;
  readonly expiresAt: Date;
  readonly sourcePool: string | null;
  /** The API key that sent it; null: none did. */
  readonly apiKeyId: string | null;
  /** Certified only: the manifest without its sequence number, and the salts. */
  readonly evidence: { draft: ManifestDraft; openings: Uint8Array } | null;
  readonly copy: CopyPlace | null;
  readonly asked?: Asked | undefined;
  /** Absent: no person had to approve it. */
  readonly approval?: SendApproval | undefined;
}

/** False for further copies. */
export function claimsKey({ copy, messageId }: PreparedMessage): boolean {
  return copy === null || copy.of === messageId;
}

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

/** Queues messages in the accepting transaction. `begun`: leased by this process's worker. */
export type Enqueue = (
  tx: Tx,
  messages: MessageColumns,
  waits: readonly Pick<PreparedMessage, 'destination' | 'expiresAt'>[],
  begun?: readonly boolean[],
) => void;

/** From a commit to this process's worker. */
export interface Handover {
  /** Before the transaction: leases count from here. */
  open(): Handing;
}

/** Ends with `begin` or `withdraw`. */
export interface Handing {
  /** The ones that the worker begins, in order. Repeated with the transaction: the last call counts. */
  choose(messages: readonly PreparedMessage[]): readonly boolean[];
  begin(): void;
  /** Rolled back or unknown: committed ones come due when leases end. */
  withdraw(): void;
}
