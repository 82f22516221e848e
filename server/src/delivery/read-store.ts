import type { Queryable } from '../platform/database/db.ts';
import type { SessionRecord } from './result.ts';

/** What the API reads of deliveries. */

export interface AttemptRow {
  attempt: number;
  started_at: Date;
  finished_at: Date;
  outcome: 'sent' | 'deferred' | 'bounced';
  bounce_type: 'hard' | 'soft' | 'policy' | 'expired' | 'suppressed' | null;
  reply: { code: number | null; enhanced: string | null; text: string; mx: string | null } | null;
  sessions: SessionRecord[];
}

/** Oldest first, behind attempt number `after`. Null when the tenant has no such message. */
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
      `select attempt, started_at, finished_at, outcome, bounce_type, reply, sessions from attempts
        where tenant_id = $1 and message_id = $2 and attempt > $3 order by attempt limit $4`,
      [tenantId, messageId, after, limit],
      'list_attempts',
    ),
  ]);
  return messages.length === 0 ? null : attempts;
}

/** The newest delivery status notification; null when there is none yet. */
export async function findReport(db: Queryable, tenantId: string, messageId: string): Promise<Buffer | null> {
  const rows = await db.query<{ report: Buffer }>(
    `select report from delivery_reports where tenant_id = $1 and message_id = $2 and action <> 'complained'
      order by created_at desc, action = 'failed' desc limit 1`,
    [tenantId, messageId],
    'find_report',
  );
  return rows[0]?.report ?? null;
}
