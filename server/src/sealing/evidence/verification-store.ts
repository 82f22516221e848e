import type { Queryable } from '../../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';

/** A query of POST /v1/verify, for the access log. */
export interface VerificationQuery {
  readonly tenantId: string;
  readonly queryId: string;
  readonly apiKeyId: string;
  /** As asked for, a message's id or not. */
  readonly messageId: string;
  readonly occurredAt: Date;
  /** valid, invalid, or the error code that was answered. */
  readonly answer: string;
  readonly clientAddress: string;
}

export async function insertVerificationQuery(q: Queryable, query: VerificationQuery): Promise<void> {
  await q.execute(
    `insert into verification_log (tenant_id, query_id, api_key_id, message_id, occurred_at, answer,
      client_address)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      query.tenantId,
      query.queryId,
      query.apiKeyId,
      query.messageId,
      query.occurredAt.toISOString(),
      query.answer,
      query.clientAddress,
    ],
    'insert_verification_query',
  );
}

const COLUMNS = `tenant_id as "tenantId", query_id as "queryId", api_key_id as "apiKeyId",
  message_id as "messageId", occurred_at as "occurredAt", answer, client_address as "clientAddress"`;
const IN_RANGE = `tenant_id = $1 and query_id >= $2 and query_id < $3
        and ($4::timestamptz is null or occurred_at >= $4)
        and ($5::timestamptz is null or occurred_at < $5)`;

/** Newest first. `messageId`: of one message, which has an index. */
export function listVerifications(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  filter: CreatedRange & { readonly messageId: string | null },
  limit: number,
): Promise<VerificationQuery[]> {
  const given = [
    ...[tenantId, range.from, range.below],
    ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null, limit],
  ];
  if (filter.messageId === null)
    return db.query<VerificationQuery>(
      `select ${COLUMNS} from verification_log where ${IN_RANGE} order by query_id desc limit $6`,
      given,
      'list_verifications',
    );
  return db.query<VerificationQuery>(
    `select ${COLUMNS} from verification_log where ${IN_RANGE} and message_id = $7
      order by query_id desc limit $6`,
    [...given, filter.messageId],
    'list_verifications_of_message',
  );
}
