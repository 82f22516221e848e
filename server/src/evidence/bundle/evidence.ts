import { toHex } from '@acuse/evidence/bytes';
import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { DELIVERY_KINDS } from '@acuse/evidence/delivery-kinds';
import { type Static, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { findContentDeletion } from '../../messages/read-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { Hash, Id, nullable, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import { isId } from '../../platform/ids.ts';
import { findEndOf } from '../log/end-store.ts';
import { readRenewals } from '../renewal/renewal-store.ts';
import { type CountDeps, countOutcomes, readLogKey } from './count-outcomes.ts';
import {
  findMessageProof,
  findStamp,
  type MessageLeafRow,
  type MessageProofRow,
  readMessageLeaves,
  type StampRow,
} from './evidence-store.ts';
import { presentStamp, StampRecord } from './present.ts';
import { findMessageStamp } from './seal-store.ts';

const NOTE_EXAMPLE = `sandbox.test/log/m/${'4f'.repeat(32)}
2
OY1OLK5wXpm4ZaZj6u3hMximpRCu39kAj8b6lTwv4YE=

\u2014 sandbox.test/log 3nQ1kQAAAABpp7iAMn3k\n`;

export const Evidence = openNamed('Evidence', {
  message_id: Id,
  canonical_hash: { ...Hash, description: 'SHA-256 of the manifest: the entry in the log.' },
  batch_id: Id,
  merkle_root: { ...Hash, description: 'Root of the log at tree_size.' },
  leaf_index: Type.Integer({
    minimum: 0,
    description: 'Place in the log, counted from 0.',
    examples: [41],
  }),
  tree_size: Type.Integer({
    minimum: 1,
    description: 'Size of the checkpoint that ends the batch.',
    examples: [64],
  }),
  certificate_id: Id,
  sealed_at: { ...Timestamp, description: 'genTime of the constancia.' },
  certificate: StampRecord,
  message_certificate: nullable(StampRecord),
  renewals: Type.Array(StampRecord, {
    description:
      'Renewals of `certificate`, oldest first, each made before a certificate of the previous chain ended. The proof bundle has them.',
  }),
  covered_until: nullable({
    ...Timestamp,
    description:
      'When the first certificate in the chain of the newest of these time-stamps ends; it is renewed before then. null: not yet determined.',
  }),
  delivery: Type.Array(
    openNamed('DeliveryOutcome', {
      kind: Type.Enum([...DELIVERY_KINDS], {
        description:
          "cancelled: called back before any server took it; nothing failed. acknowledged, refused: the recipient's own act, where the send asked for it; unanswered: it did not come in time; displayed: what a mail program stated.",
      }),
      source: Type.Enum(['session', 'operator', 'reported_by_mail', 'recipient_page'], {
        description:
          "session: a server answered it in our own SMTP session; operator: nobody answered, we ended it; reported_by_mail: a mail said so; recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that was sent there.",
      }),
      occurred_at: Timestamp,
      leaf_index: nullable(Type.Integer({ minimum: 0, examples: [64] })),
      canonical_hash: Hash,
      sealed_at: nullable(Timestamp),
    }),
    { description: 'The outcomes of the message, each a leaf of its own.' },
  ),
  outcomes: Type.Optional({
    ...nullable(
      openNamed('OutcomesCount', {
        count: Type.Integer({ minimum: 0, examples: [1] }),
        as_of: Timestamp,
        note: Type.String({
          description:
            'Signed note (C2SP tlog-cosignature): of how many outcomes the log knew at that time. The proof bundle holds it as outcomes.note.',
          examples: [NOTE_EXAMPLE],
        }),
      }),
    ),
    description:
      'How many outcomes the log signs for: those of `delivery` that are in it. null: its key is gone, and so is that of the log that went on after it. Absent: the server is older than this field.',
  }),
  content_deleted_at: {
    ...nullable(
      Timestamp,
      'When the message was erased: its content, its addresses and the replies of servers can no longer be shown; everything else here stays valid.',
    ),
    examples: [null],
  },
});

export interface SealedProof {
  readonly messageId: string;
  readonly reversePath: string;
  readonly recipientAddress: string;
  readonly logId: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly canonicalHash: Uint8Array;
  readonly batchId: string;
  readonly rootHash: Uint8Array;
  readonly note: string;
  readonly stamp: StampRow;
}

export async function requireSealed(q: Queryable, tenantId: string, messageId: string): Promise<SealedProof> {
  const row = isId(messageId) ? await findMessageProof(q, tenantId, messageId) : undefined;
  if (row === undefined) throw apiError('not_found', 'No such message. Check the id.');
  if (!row.certified) {
    throw apiError(
      'missing_proof_data',
      'The message was sent with certified=false: it is not in a Merkle batch and never will be.',
    );
  }
  const stamp =
    row.logId === null || row.treeSize === null ? undefined : await findStamp(q, row.logId, row.treeSize);
  if (!isPlaced(row) || stamp === undefined) {
    const end = isPlaced(row) ? undefined : await findEndOf(q, tenantId, messageId);
    throw apiError(
      'missing_proof_data',
      end === undefined
        ? 'The message is not sealed yet: retry in a few seconds.'
        : `The log ${end.origin}, for which the message was accepted, ended at ${end.endedAt.toISOString()}: it is not sealed and never will be. To have a sealed one, send it again.`,
    );
  }
  return { ...row, messageId, stamp };
}

type Placed = { [K in keyof MessageProofRow]: NonNullable<MessageProofRow[K]> };

function isPlaced(row: MessageProofRow): row is Placed {
  return row.leafIndex !== null && row.canonicalHash !== null && row.rootHash !== null && row.note !== null;
}

interface EvidenceDeps extends CountDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, 'now'>;
}

export function readEvidence(
  deps: EvidenceDeps,
  tenantId: string,
  messageId: string,
): Promise<Static<typeof Evidence>> {
  const now = deps.clock.now();
  return deps.db.asTenant(tenantId, async (tx) => {
    const proof = await requireSealed(tx, tenantId, messageId);
    const [leaves, own, renewals, deletion] = await Promise.all([
      readMessageLeaves(tx, tenantId, messageId),
      findMessageStamp(tx, tenantId, messageId),
      readRenewals(tx, [proof]),
      findContentDeletion(tx, tenantId, messageId),
    ]);
    const { stamp, logId, canonicalHash } = proof;
    const log = await readLogKey(tx, deps.log, logId);
    const counting = { now, logId, canonicalHash, leaves, ownStampAt: own?.genTime, ...log };
    const counted = await countOutcomes(deps, counting);
    return {
      message_id: messageId,
      canonical_hash: toHex(proof.canonicalHash),
      batch_id: proof.batchId,
      merkle_root: toHex(proof.rootHash),
      leaf_index: proof.leafIndex,
      tree_size: proof.treeSize,
      certificate_id: stamp.stampId,
      sealed_at: stamp.genTime.toISOString(),
      certificate: presentStamp(stamp, 'batch'),
      message_certificate: own === undefined ? null : presentStamp(own, 'message'),
      renewals: renewals.map((row) => presentStamp({ ...row, stampId: row.renewalStampId }, 'renewal')),
      covered_until: stamp.coveredUntil?.toISOString() ?? null,
      delivery: leaves.filter((leaf) => leaf.kind === 'delivery').map(presentOutcome),
      outcomes: counted
        ? { count: counted.count, as_of: counted.asOf.toISOString(), note: counted.note }
        : null,
      content_deleted_at: deletion?.deleted_at.toISOString() ?? null,
    };
  });
}

function presentOutcome(leaf: MessageLeafRow) {
  const { kind, source, occurred_at } = parseDeliveryManifest(leaf.manifest);
  return {
    kind,
    source,
    occurred_at,
    leaf_index: leaf.leafIndex,
    canonical_hash: toHex(leaf.canonicalHash),
    sealed_at: leaf.sealedAt?.toISOString() ?? null,
  };
}
