import type { Queryable } from '../../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';

/** Operators' actions: rows are added, and never changed or deleted. */

export interface AuditRow {
  readonly eventId: string;
  readonly requestId: string;
  readonly operatorId: string;
  readonly operatorName: string;
  readonly action: string;
  readonly tenantId: string | null;
  readonly subject: string | null;
  readonly reason: string | null;
  readonly clientAddress: string;
  readonly occurredAt: Date;
}

export async function insertStarted(db: Queryable, row: AuditRow): Promise<void> {
  await db.execute(
    `insert into operator_events (event_id, request_id, phase, operator_id, operator_name, action, tenant_id,
       subject, reason, client_address, occurred_at)
     values ($1, $2, 'started', $3, $4, $5, $6, $7, $8, $9, $10)`,
    [...idsOf(row), row.clientAddress, row.occurredAt.toISOString()],
  );
}

type AuditOutcome = 'done' | 'refused' | 'failed';

export interface AuditEnd {
  readonly outcome: AuditOutcome;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  /** Code of the refusal. */
  readonly error: string | null;
}

export async function insertEnded(db: Queryable, row: AuditRow, end: AuditEnd): Promise<void> {
  const json = (value: Record<string, unknown> | null) => (value === null ? null : JSON.stringify(value));
  await db.execute(
    `insert into operator_events (event_id, request_id, phase, operator_id, operator_name, action, tenant_id,
       subject, reason, client_address, occurred_at, outcome, before, after, error)
     values ($1, $2, 'ended', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13::jsonb, $14)`,
    [
      ...idsOf(row),
      row.clientAddress,
      row.occurredAt.toISOString(),
      end.outcome,
      json(end.before),
      json(end.after),
      end.error,
    ],
  );
}

function idsOf(row: AuditRow): unknown[] {
  return [
    row.eventId,
    row.requestId,
    row.operatorId,
    row.operatorName,
    row.action,
    row.tenantId,
    row.subject,
    row.reason,
  ];
}

export interface ListedAudit extends AuditRow {
  /** `cut_off`: it was begun, and nobody knows how it ended. */
  readonly outcome: AuditOutcome | 'cut_off';
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly error: string | null;
}

interface AuditFilter extends CreatedRange {
  readonly tenantId: string | null;
  readonly operatorId: string | null;
  readonly action: string | null;
}

/** Newest first, one line for each change; a recent one may still be under way. */
export function listAudit(
  db: Queryable,
  filter: AuditFilter,
  range: IdRange,
  limit: number,
): Promise<ListedAudit[]> {
  return db.query<ListedAudit>(
    `select e.event_id as "eventId", e.request_id as "requestId", e.operator_id as "operatorId",
            e.operator_name as "operatorName", e.action, e.tenant_id as "tenantId", e.subject, e.reason,
            e.client_address as "clientAddress", e.occurred_at as "occurredAt",
            coalesce(e.outcome, 'cut_off') as outcome, e.before, e.after, e.error
       from operator_events e
      where e.event_id >= $1 and e.event_id < $2
        and ($3::timestamptz is null or e.occurred_at >= $3)
        and ($4::timestamptz is null or e.occurred_at < $4)
        and ($5::uuid is null or e.tenant_id = $5) and ($6::uuid is null or e.operator_id = $6)
        and ($7::text is null or e.action = $7)
        and (e.phase = 'ended' or not exists (select 1 from operator_events d
               where d.request_id = e.request_id and d.phase = 'ended'))
      order by e.event_id desc limit $8`,
    [
      ...[range.from, range.below],
      ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
      ...[filter.tenantId, filter.operatorId, filter.action, limit],
    ],
  );
}
