import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { ReportRecipe } from '@acuse/mail/report/own-report';
import { Blob } from '../../platform/blob.ts';
import { jsonArray, plainArray, textArray, timeArray } from '../../platform/database/array-text.ts';
import type { Tx } from '../../platform/database/db.ts';
import { ofThese } from '../../platform/database/of-these.ts';
import { rowColumns } from '../../platform/database/row-columns.ts';
import type { Outcome } from './outcome.ts';

/** Write-backs of a group of results, one statement per table. */

interface Fence {
  readonly tenantId: string;
  readonly messageId: string;
  readonly attempt: number;
}

/** Removes finished messages; returns the ids still held. */
export async function deleteHeld(tx: Tx, held: readonly Fence[]): Promise<string[]> {
  const rows = await tx.query<{ message_id: string }>(
    `delete from delivery_queue q using unnest($1::uuid[], $2::uuid[], $3::integer[]) as h (tenant_id,
      message_id, attempt)
      where q.tenant_id = h.tenant_id${ofThese(tx, 'q.tenant_id')} and q.message_id = h.message_id and q.attempt = h.attempt
     returning q.message_id`,
    fenceColumns(held),
    'delivery_delete_held',
  );
  return rows.map((row) => row.message_id);
}

/** Requeues messages for `dueAt`; returns the ids still held. */
export async function requeueHeld(
  tx: Tx,
  held: readonly (Fence & { readonly dueAt: Date; readonly heldBy?: string })[],
): Promise<string[]> {
  const rows = await tx.query<{ message_id: string }>(
    `update delivery_queue q set due_at = h.due_at, leased_until = null, held_by = h.held_by
       from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::uuid[]) as h (tenant_id,
         message_id, attempt, due_at, held_by)
      where q.tenant_id = h.tenant_id${ofThese(tx, 'q.tenant_id')} and q.message_id = h.message_id and q.attempt = h.attempt
     returning q.message_id`,
    [
      ...fenceColumns(held),
      timeArray(held.map((item) => item.dueAt)),
      textArray(held.map((item) => item.heldBy ?? null)),
    ],
    'delivery_requeue_held',
  );
  return rows.map((row) => row.message_id);
}

function fenceColumns(held: readonly Fence[]): unknown[] {
  return [
    plainArray(held.map((item) => item.tenantId)),
    plainArray(held.map((item) => item.messageId)),
    plainArray(held.map((item) => item.attempt)),
  ];
}

export interface NewAttempt {
  readonly tenantId: string;
  readonly messageId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: Outcome['kind'];
  readonly bounceType: string | null;
  readonly bounceReason: string | null;
  readonly reply: object | null;
  /** JSON, one entry per host. */
  readonly sessions: Uint8Array;
  readonly report: ReportRecipe | null;
}

const ATTEMPT_COLUMNS = rowColumns<NewAttempt>(6, [
  ['attempt', 'integer', (rows) => plainArray(rows.map((row) => row.attempt))],
  ['started_at', 'timestamptz', (rows) => timeArray(rows.map((row) => row.startedAt))],
  ['finished_at', 'timestamptz', (rows) => timeArray(rows.map((row) => row.finishedAt))],
  ['outcome', 'text', (rows) => plainArray(rows.map((row) => row.outcome))],
  ['bounce_type', 'text', (rows) => plainArray(rows.map((row) => row.bounceType ?? 'NULL'))],
  ['bounce_reason', 'text', (rows) => plainArray(rows.map((row) => row.bounceReason ?? 'NULL'))],
  ['reply', 'jsonb', (rows) => jsonArray(rows.map((row) => jsonOf(row.reply)))],
  ['report', 'json', (rows) => jsonArray(rows.map((row) => jsonOf(row.report)))],
]);

const INSERT_ATTEMPTS = `insert into attempts (tenant_id, message_id, sessions, ${ATTEMPT_COLUMNS.names})
 select t.tenant_id, t.message_id,
        convert_from(substring($3::bytea from t.from_at for t.length), 'UTF8')::json,
        ${ATTEMPT_COLUMNS.selected}
   from unnest($1::uuid[], $2::uuid[], $4::integer[], $5::integer[], ${ATTEMPT_COLUMNS.parameters})
     as t (tenant_id, message_id, from_at, length, ${ATTEMPT_COLUMNS.names})
 returning null`;

export function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<number> {
  // Transcripts are large and full of quotes, which an array would escape twice.
  const sessions = new Blob(attempts.map((attempt) => attempt.sessions));
  return tx.execute(
    INSERT_ATTEMPTS,
    [
      plainArray(attempts.map((attempt) => attempt.tenantId)),
      plainArray(attempts.map((attempt) => attempt.messageId)),
      sessions.bytes,
      plainArray(sessions.from),
      plainArray(sessions.lengths),
      ...ATTEMPT_COLUMNS.values(attempts),
    ],
    'delivery_insert_attempts',
  );
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

export interface NewReport {
  readonly tenantId: string;
  readonly messageId: string;
  /**
   * `complained`: RFC 5965 §2; `receipt`: RFC 8098 §3; `acknowledged`: the recipient's own mail; the others
   * are delivery status notifications.
   */
  readonly action: 'delivered' | 'failed' | 'complained' | 'other' | 'receipt' | 'acknowledged';
  readonly report: Uint8Array;
  readonly createdAt: Date;
  readonly reportedByMail: MailReportFacts;
}

/** The first report per action by mail. Our own are in their attempts. */
export function insertReports(tx: Tx, reports: readonly NewReport[]): Promise<number> {
  const bytes = new Blob(reports.map(({ report }) => report));
  return tx.execute(
    `insert into delivery_reports (tenant_id, message_id, action, report, created_at, reported_by_mail)
     select t.tenant_id, t.message_id, t.action, substring($4::bytea from t.from_at for t.length),
       t.created_at,
            t.reported_by_mail
       from unnest($1::uuid[], $2::uuid[], $3::text[], $5::integer[], $6::integer[], $7::timestamptz[],
         $8::jsonb[])
         as t (tenant_id, message_id, action, from_at, length, created_at, reported_by_mail)
         join messages m on m.tenant_id = t.tenant_id and m.message_id = t.message_id
         left join attempts a on a.tenant_id = m.tenant_id and a.message_id = m.message_id
          and a.report->>'action' = t.action
      where a.tenant_id is null
     on conflict (tenant_id, message_id, action) do nothing`,
    [
      plainArray(reports.map((report) => report.tenantId)),
      plainArray(reports.map((report) => report.messageId)),
      plainArray(reports.map((report) => report.action)),
      bytes.bytes,
      plainArray(bytes.from),
      plainArray(bytes.lengths),
      timeArray(reports.map((report) => report.createdAt)),
      jsonArray(reports.map((report) => jsonOf(report.reportedByMail))),
    ],
    'delivery_insert_reports',
  );
}

/**
 * Stores the first receipt, or the first "displayed" in place of a weaker one: a deleted message may have
 * been read, may be read later, or by another program (RFC 8098 §3.2.6.2). 0: this one adds nothing.
 */
export function insertReceipt(
  tx: Tx,
  { tenantId, messageId, report, createdAt, reportedByMail }: NewReport,
  saysDisplayed: boolean,
): Promise<number> {
  return tx.execute(
    `insert into delivery_reports as r (tenant_id, message_id, action, report, created_at, reported_by_mail)
     values ($1, $2, 'receipt', $3, $4, $5::jsonb)
     on conflict (tenant_id, message_id, action) do update
        set report = excluded.report, created_at = excluded.created_at,
            reported_by_mail = excluded.reported_by_mail
      where $6::boolean and r.reported_by_mail #>> '{claims,reply,text}' not like 'displayed %'`,
    [tenantId, messageId, report, createdAt, jsonOf(reportedByMail), saysDisplayed],
    'delivery_insert_receipt',
  );
}
