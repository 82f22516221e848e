import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';
import { jsonArray, plainArray, timeArray } from '../platform/database/array-text.ts';
import type { Tx } from '../platform/database/db.ts';
import { ofThese } from '../platform/database/of-these.ts';
import { changed } from '../platform/database/rows.ts';

interface MessageUpdate {
  readonly tenantId: string;
  readonly messageId: string;
  readonly status: 'sent' | 'deferred' | 'bounced' | 'cancelled';
  readonly at: Date;
  readonly nextAttemptAt: Date | null;
  readonly lastReply: object | null;
  readonly bounceType: BounceType | null;
  readonly bounceReason: BounceReason | null;
}

export function updateMessages(tx: Tx, updates: readonly MessageUpdate[]): Promise<number> {
  return tx.execute(
    `update messages m
        set status = u.status, attempts = m.attempts + 1, next_attempt_at = u.next_attempt_at,
          last_reply = u.last_reply,
            sent_at = case when u.status = 'sent' then u.at else m.sent_at end,
            deferred_at = case when u.status = 'deferred' then u.at else m.deferred_at end,
            bounced_at = case when u.status = 'bounced' then u.at else m.bounced_at end,
            cancelled_at = case when u.status = 'cancelled' then u.at else m.cancelled_at end,
            bounce_type = u.bounce_type, bounce_reason = u.bounce_reason
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::jsonb[],
           $7::text[], $8::text[])
         as u (tenant_id, message_id, status, at, next_attempt_at, last_reply, bounce_type, bounce_reason)
      where m.tenant_id = u.tenant_id${ofThese(tx, 'm.tenant_id')} and m.message_id = u.message_id`,
    [
      plainArray(updates.map((update) => update.tenantId)),
      plainArray(updates.map((update) => update.messageId)),
      plainArray(updates.map((update) => update.status)),
      timeArray(updates.map((update) => update.at)),
      plainArray(updates.map((update) => update.nextAttemptAt?.toISOString() ?? 'NULL')),
      jsonArray(
        updates.map((update) => (update.lastReply === null ? null : JSON.stringify(update.lastReply))),
      ),
      plainArray(updates.map((update) => update.bounceType ?? 'NULL')),
      plainArray(updates.map((update) => update.bounceReason ?? 'NULL')),
    ],
    'delivery_update_messages',
  );
}

/** sent → bounced or complained. False: another state. */
export function endSent(
  tx: Tx,
  end: {
    tenantId: string;
    messageId: string;
    status: 'bounced' | 'complained';
    at: Date;
    /** Null: unchanged. */
    lastReply: object | null;
    reportedByMail: MailReportFacts;
    bounceType: BounceType | null;
    bounceReason: BounceReason | null;
  },
): Promise<boolean> {
  return changed(
    tx,
    `update messages
        set status = $3,
            bounced_at = case when $3 = 'bounced' then $4::timestamptz else bounced_at end,
            complained_at = case when $3 = 'complained' then $4::timestamptz else complained_at end,
            last_reply = coalesce($5::jsonb, last_reply), reported_by_mail = $6::jsonb,
            bounce_type = $7, bounce_reason = $8
      where tenant_id = $1 and message_id = $2 and status = 'sent' and erased_at is null`,
    [
      end.tenantId,
      end.messageId,
      end.status,
      end.at.toISOString(),
      end.lastReply === null ? null : JSON.stringify(end.lastReply),
      JSON.stringify(end.reportedByMail),
      end.bounceType,
      end.bounceReason,
    ],
    'return_path_end_sent',
  );
}

export async function setNextAttempts(
  tx: Tx,
  messages: readonly { readonly tenant_id: string; readonly message_id: string }[],
  at: Date,
): Promise<void> {
  await tx.execute(
    `update messages m set next_attempt_at = $3::timestamptz
       from unnest($1::uuid[], $2::uuid[]) as t (tenant_id, message_id)
      where m.tenant_id = t.tenant_id${ofThese(tx, 'm.tenant_id')} and m.message_id = t.message_id`,
    [messages.map((it) => it.tenant_id), messages.map((it) => it.message_id), at.toISOString()],
  );
}
