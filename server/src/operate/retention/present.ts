import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import type { Erased } from './erase.ts';
import type { RetentionStatus } from './retention-run.ts';

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

export const RETENTION_COUNTS = [
  'plain_due',
  'records_due',
  'certified_past',
  'deleted_after_days',
  'erased',
] as const;
export type RetentionCount = (typeof RETENTION_COUNTS)[number];

/** `at_least`: counts that reached the limit. */
export function presentRetention(status: RetentionStatus) {
  const { plainDays, recordDays, certifiedYears, plainDue, recordsDue, certifiedPast, deleted, erased } =
    status;
  const more: Record<RetentionCount, boolean> = {
    plain_due: plainDue.more,
    records_due: recordsDue.more,
    certified_past: certifiedPast.more,
    deleted_after_days: deleted.messages >= COUNTED_MAX,
    erased: erased.messages >= COUNTED_MAX,
  };
  return {
    plain_days: plainDays,
    record_days: recordDays,
    certified_years: certifiedYears,
    plain_due: plainDue.found,
    records_due: recordsDue.found,
    records_deleted: status.recordsDeleted,
    records_begin_at: status.recordsBeginAt?.toISOString() ?? null,
    certified_past: certifiedPast.found,
    deleted_after_days: deleted.messages,
    last_deleted_at: deleted.lastAt?.toISOString() ?? null,
    erased: erased.messages,
    last_erased_at: erased.lastAt?.toISOString() ?? null,
    at_least: RETENTION_COUNTS.filter((name) => more[name]),
  };
}
