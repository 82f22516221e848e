import type { RetentionStatus } from './by-hand.ts';
import type { Erased } from './erase.ts';

/** Retention as its operator sees it: on the command line, and under `/v1/admin`. */

export function presentErasure(messageId: string, erased: Erased) {
  return {
    message_id: messageId,
    tenant_id: erased.tenantId,
    certified: erased.certified,
    erased_at: erased.at.toISOString(),
    reason: erased.reason,
    erased_by: erased.by,
    bytes: erased.bytes,
    already_erased: erased.already,
  };
}

export function presentRetention({
  plainDays,
  certifiedYears,
  plainDue,
  certifiedPast,
  deletions,
}: RetentionStatus) {
  const deleted = (cause: 'retention' | 'erasure') => deletions.find((each) => each.cause === cause);
  return {
    plain_days: plainDays,
    certified_years: certifiedYears,
    plain_due: plainDue,
    certified_past: certifiedPast,
    deleted_after_days: deleted('retention')?.messages ?? 0,
    last_deleted_at: deleted('retention')?.lastAt.toISOString() ?? null,
    erased: deleted('erasure')?.messages ?? 0,
    last_erased_at: deleted('erasure')?.lastAt.toISOString() ?? null,
  };
}
