import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { BounceReason } from '@acuse/mail/reply/reasons';
import { type ReportRecipe, writeOwnReport } from '@acuse/mail/report/own-report';
import type { Queryable } from '../platform/database/db.ts';
import type { Outcome } from './record/outcome.ts';
import type { SessionRecord } from './record/result.ts';

export interface AttemptRow {
  attempt: number;
  started_at: Date;
  finished_at: Date;
  outcome: Outcome['kind'];
  bounce_type: 'hard' | 'soft' | 'policy' | 'expired' | 'suppressed' | null;
  bounce_reason: BounceReason | null;
  reply: { code: number | null; enhanced: string | null; text: string; mx: string | null } | null;
  sessions: SessionRecord[];
}

/** Oldest first. Null: no such message. */
export async function listAttempts(
  db: Queryable,
  tenantId: string,
  messageId: string,
  after: number,
  limit: number,
): Promise<AttemptRow[] | null> {
  const [messages, attempts] = await Promise.all([
    db.query('select 1 from messages where tenant_id = $1 and message_id = $2', [tenantId, messageId]),
    db.query<AttemptRow>(
      `select attempt, started_at, finished_at, outcome, bounce_type, bounce_reason, reply, sessions from
         attempts
        where tenant_id = $1 and message_id = $2 and attempt > $3 order by attempt limit $4`,
      [tenantId, messageId, after, limit],
      'list_attempts',
    ),
  ]);
  return messages.length === 0 ? null : attempts;
}

export interface MailReportRow {
  action: 'failed' | 'complained' | 'delivered' | 'other' | 'receipt' | 'acknowledged';
  created_at: Date;
  reported_by_mail: MailReportFacts;
}

/** Oldest first, at most one per action. Null: no such message. */
export async function listMailReports(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MailReportRow[] | null> {
  const [messages, reports] = await Promise.all([
    db.query('select 1 from messages where tenant_id = $1 and message_id = $2', [tenantId, messageId]),
    db.query<MailReportRow>(
      `select action, created_at, reported_by_mail from delivery_reports
        where tenant_id = $1 and message_id = $2 and reported_by_mail is not null
        order by created_at, action`,
      [tenantId, messageId],
      'list_mail_reports',
    ),
  ]);
  return messages.length === 0 ? null : reports;
}

/** Our own quotes the header of the message, which may not be here. */
export interface FoundReport {
  readonly lacksHeader: boolean;
  write(archived?: Uint8Array): Uint8Array;
}

/**
 * The newest DSN about the outcome; null: none. Mails that claim delivery, or are about others, do not count.
 * A deferred message is `delayed` once.
 */
export async function findReport(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<FoundReport | null> {
  const rows = await db.query<{
    at: Date;
    report: Buffer | null;
    recipe: ReportRecipe | null;
    sender: string;
    recipient: string;
    header: Buffer | null;
  }>(
    `select s.at, s.report, s.recipe, m.sender_address as sender, m.recipient_address as recipient,
            substring(c.raw for (s.recipe->>'header_bytes')::integer) as header
       from (select created_at as at, action, report, null::json as recipe from delivery_reports
              where tenant_id = $1 and message_id = $2 and action not in ('complained', 'delivered', 'other', 'receipt', 'acknowledged')
             union all
             (select distinct on (report->>'action') finished_at, report->>'action', null, report
                from attempts where tenant_id = $1 and message_id = $2 and report is not null
               order by report->>'action', attempt)) s
       join messages m on m.tenant_id = $1 and m.message_id = $2
       left join message_contents c on c.tenant_id = $1 and c.message_id = $2
      order by s.at desc, s.action = 'failed' desc limit 1`,
    [tenantId, messageId],
    'find_report',
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { report, recipe, header } = row;
  if (recipe === null) return report && { lacksHeader: false, write: () => report };
  return {
    lacksHeader: header === null && recipe.header_bytes > 0,
    write: (archived) =>
      writeOwnReport(recipe, {
        messageId,
        senderAddress: row.sender,
        recipientAddress: row.recipient,
        finishedAt: row.at,
        raw: header ?? archived ?? new Uint8Array(0),
      }),
  };
}
