import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import { LEASE_END, LEASE_MS } from '../../platform/queue/leases.ts';
import {
  STAMP_COLUMNS,
  type StampColumns,
  selectStamp,
  stampParameters,
  stampValues,
} from '../stamp/stamp-columns.ts';

interface MessageStampRow extends StampColumns {
  readonly stampId: string;
}

export async function findMessageStamp(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageStampRow | undefined> {
  const [row] = await q.query<MessageStampRow>(
    `select c.certificate_id as "stampId", ${selectStamp('c')}
       from message_certificates c where c.tenant_id = $1 and c.message_id = $2`,
    [tenantId, messageId],
    'find_message_stamp',
  );
  return row;
}

export interface SealClaim {
  readonly tenantId: string;
  readonly messageId: string;
  readonly attempt: number;
}

/** Null: somebody else has it. An expired claim is taken over. */
export async function claimSeal(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<SealClaim | null> {
  const [row] = await q.query<{ attempt: number }>(
    `insert into message_seal_claims as c (tenant_id, message_id, leased_until) values ($1, $2, ${LEASE_END})
     on conflict (tenant_id, message_id) do update set attempt = c.attempt + 1,
       leased_until = excluded.leased_until
       -- It has ended: written without now(), which is not asked twice.
       where excluded.leased_until - c.leased_until >= ${LEASE_MS} * interval '1 millisecond'
     returning attempt`,
    [tenantId, messageId],
    'claim_seal',
  );
  return row === undefined ? null : { tenantId, messageId, attempt: row.attempt };
}

/** Extends claims still held; returns their messages' ids. A missing one was taken over. */
export async function extendSeals(q: Queryable, held: readonly SealClaim[]): Promise<Set<string>> {
  const rows = await q.query<{ message_id: string }>(
    `update message_seal_claims c set leased_until = ${LEASE_END}
       from unnest($1::uuid[], $2::uuid[], $3::integer[]) as h (tenant_id, message_id, attempt)
      where c.tenant_id = h.tenant_id and c.message_id = h.message_id and c.attempt = h.attempt
     returning c.message_id`,
    [
      held.map(({ tenantId }) => tenantId),
      held.map(({ messageId }) => messageId),
      held.map(({ attempt }) => attempt),
    ],
    'extend_seals',
  );
  return new Set(rows.map((row) => row.message_id));
}

export async function freeSeals(tx: Tx): Promise<void> {
  await tx.execute('update message_seal_claims set leased_until = now() where leased_until > now()');
}

export async function endClaim(q: Queryable, claim: SealClaim): Promise<boolean> {
  const rows = await q.execute(
    'delete from message_seal_claims where tenant_id = $1 and message_id = $2 and attempt = $3',
    [claim.tenantId, claim.messageId, claim.attempt],
    'end_seal_claim',
  );
  return rows === 1;
}

/** False: the message has one already. */
export function insertMessageStamp(
  tx: Tx,
  stamp: StampColumns & {
    tenantId: string;
    messageId: string;
    stampId: string;
    createdAt: Date;
  },
): Promise<boolean> {
  return changed(
    tx,
    `insert into message_certificates (tenant_id, message_id, certificate_id, created_at, ${STAMP_COLUMNS})
     values ($1, $2, $3, $4, ${stampParameters(5)})
     on conflict (tenant_id, message_id) do nothing`,
    [stamp.tenantId, stamp.messageId, stamp.stampId, stamp.createdAt.toISOString(), ...stampValues(stamp)],
    'insert_message_stamp',
  );
}
