import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';
import type { Actor } from '../../platform/http/http.ts';

export interface VerificationQuery {
  readonly tenantId: string;
  readonly queryId: string;
  readonly actor: Actor;
  readonly messageId: string;
  readonly occurredAt: Date;
  /** valid, invalid, an error code, or opened (a share). */
  readonly answer: string;
  readonly clientAddress: string;
}

export async function insertVerificationQuery(q: Queryable, query: VerificationQuery): Promise<void> {
  await q.execute(
    `insert into verification_log (tenant_id, query_id, api_key_id, user_id, share_id, actor_name, message_id,
      occurred_at, answer, client_address)
     values ($1, $2, case when $3 = 'key' then $4::uuid end, case when $3 = 'user' then $4::uuid end,
      case when $3 = 'share' then $4::uuid end, $5, $6, $7, $8, $9)`,
    [
      query.tenantId,
      query.queryId,
      query.actor.kind,
      query.actor.id,
      query.actor.name,
      query.messageId,
      query.occurredAt.toISOString(),
      query.answer,
      query.clientAddress,
    ],
    'insert_verification_query',
  );
}

const COLUMNS = `tenant_id as "tenantId", query_id as "queryId",
  jsonb_build_object('kind', case when api_key_id is not null then 'key' when user_id is not null then 'user'
    else 'share' end, 'id', coalesce(api_key_id, user_id, share_id), 'name', actor_name) as actor,
  message_id as "messageId", occurred_at as "occurredAt", answer, client_address as "clientAddress"`;
const IN_RANGE = `tenant_id = $1 and query_id >= $2 and query_id < $3
        and ($4::timestamptz is null or occurred_at >= $4)
        and ($5::timestamptz is null or occurred_at < $5)`;

interface VerificationFilter extends CreatedRange {
  readonly messageId: string | null;
  readonly answer: string | null;
}

/** Newest first. Filters by message and by answer have an index each. */
export function listVerifications(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  filter: VerificationFilter,
  limit: number,
): Promise<VerificationQuery[]> {
  const given = [
    ...[tenantId, range.from, range.below],
    ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null, limit],
  ];
  if (filter.messageId === null && filter.answer === null)
    return db.query<VerificationQuery>(
      `select ${COLUMNS} from verification_log where ${IN_RANGE} order by query_id desc limit $6`,
      given,
      'list_verifications',
    );
  if (filter.messageId === null)
    return db.query<VerificationQuery>(
      `select ${COLUMNS} from verification_log where ${IN_RANGE} and answer = $7
        order by query_id desc limit $6`,
      [...given, filter.answer],
      'list_verifications_by_answer',
    );
  return db.query<VerificationQuery>(
    `select ${COLUMNS} from verification_log where ${IN_RANGE} and message_id = $7
        and ($8::text is null or answer = $8)
      order by query_id desc limit $6`,
    [...given, filter.messageId, filter.answer],
    'list_verifications_of_message',
  );
}

export function deleteVerifications(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  tx.send(
    'delete from verification_log where tenant_id = $1 and message_id = any ($2::text[])',
    [tenantId, messageIds],
    'forget_verifications',
  );
}
