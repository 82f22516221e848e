/** Evidence as agents see it: hashes, places and times, without words of others. */
import type { Evidence } from '@acuse/client';

export function evidenceOf(evidence: Evidence) {
  return {
    message_id: evidence.message_id,
    canonical_hash: evidence.canonical_hash,
    merkle_root: evidence.merkle_root,
    leaf_index: evidence.leaf_index,
    tree_size: evidence.tree_size,
    sealed_at: evidence.sealed_at,
    profile: evidence.certificate.profile,
    policy_oid: evidence.certificate.policy_oid,
    outcomes: evidence.delivery.map(({ kind, source, occurred_at }) => ({ kind, source, occurred_at })),
    content_deleted_at: evidence.content_deleted_at,
  };
}
