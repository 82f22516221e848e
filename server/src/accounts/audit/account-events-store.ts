import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';

/** Insert only, by grant. */
export interface AccountEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly occurredAt: Date;
  readonly actorKind: ActorKind;
  readonly actorId: string | null;
  readonly actorName: string;
  /** The operation in snake case. */
  readonly action: string;
  readonly target: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly clientAddress: string | null;
  readonly requestId: string | null;
}

export type ActorKind = 'key' | 'user' | 'operator' | 'system';

export async function insertAccountEvent(tx: Tx, event: AccountEvent): Promise<void> {
  await tx.execute(
    `insert into account_events (tenant_id, event_id, occurred_at, actor_kind, actor_id, actor_name, action,
       target, before, after, client_address, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      event.tenantId,
      event.eventId,
      event.occurredAt,
      event.actorKind,
      event.actorId,
      event.actorName,
      event.action,
      event.target,
      event.before === null ? null : JSON.stringify(event.before),
      event.after === null ? null : JSON.stringify(event.after),
      event.clientAddress,
      event.requestId,
    ],
  );
}

const COLUMNS = `tenant_id as "tenantId", event_id as "eventId", occurred_at as "occurredAt",
  actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action, target, before, after,
  client_address as "clientAddress", request_id as "requestId"`;

export function listEventsOfActors(
  tx: Tx,
  tenantId: string,
  actorIds: readonly string[],
  limit: number,
): Promise<AccountEvent[]> {
  return tx.query<AccountEvent>(
    `select ${COLUMNS} from account_events where tenant_id = $1 and actor_id = any ($2)
     order by event_id desc limit $3`,
    [tenantId, actorIds, limit],
  );
}

export async function listTargets(
  tx: Tx,
  tenantId: string,
  actorIds: readonly string[],
  action: string,
): Promise<string[]> {
  const rows = await tx.query<{ target: string }>(
    `select distinct target from account_events
     where tenant_id = $1 and actor_id = any ($2) and action = $3 and target is not null`,
    [tenantId, actorIds, action],
  );
  return rows.map(({ target }) => target);
}

export interface AccountEventFilter extends CreatedRange {
  readonly action: string | null;
  readonly actorId: string | null;
  readonly target: string | null;
}

export function listAccountEvents(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  filter: AccountEventFilter,
  limit: number,
): Promise<AccountEvent[]> {
  return db.query<AccountEvent>(
    `select ${COLUMNS} from account_events
     where tenant_id = $1 and event_id >= $2 and event_id < $3
       and ($4::timestamptz is null or occurred_at >= $4) and ($5::timestamptz is null or occurred_at < $5)
       and ($6::text is null or action = $6) and ($7::uuid is null or actor_id = $7)
       and ($8::text is null or target = $8)
     order by event_id desc limit $9`,
    [
      ...[tenantId, range.from, range.below],
      ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
      ...[filter.action, filter.actorId, filter.target, limit],
    ],
  );
}
