import type { Queryable, Tx } from '../../platform/database/db.ts';
import {
  STAMP_COLUMNS,
  type StampColumns,
  selectStamp,
  stampParameters,
  stampValues,
} from '../stamp/stamp-columns.ts';

/** Constancias over single messages, and who is asking for one now. */

export interface MessageCertificateRow extends StampColumns {
  readonly certificateId: string;
}

export async function findMessageCertificate(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageCertificateRow | undefined> {
  const [row] = await q.query<MessageCertificateRow>(
    `select c.certificate_id as "certificateId", ${selectStamp('c')}
       from message_certificates c where c.tenant_id = $1 and c.message_id = $2`,
    [tenantId, messageId],
    'find_message_certificate',
  );
  return row;
}

export interface SealClaim {
  readonly tenantId: string;
  readonly messageId: string;
  readonly attempt: number;
}

/** Null: somebody else is asking. One whose lease has ended is taken over. */
export async function claimSeal(
  q: Queryable,
  tenantId: string,
  messageId: string,
  now: Date,
  leasedUntil: Date,
): Promise<SealClaim | null> {
  const [row] = await q.query<{ attempt: number }>(
    `insert into message_seal_claims as c (tenant_id, message_id, leased_until) values ($1, $2, $4)
     on conflict (tenant_id, message_id) do update set attempt = c.attempt + 1, leased_until = excluded.leased_until
       where c.leased_until <= $3
     returning attempt`,
    [tenantId, messageId, now.toISOString(), leasedUntil.toISOString()],
    'claim_seal',
  );
  return row === undefined ? null : { tenantId, messageId, attempt: row.attempt };
}

/** Ends the claim; false: its lease had ended and somebody else has taken over. */
export async function endClaim(q: Queryable, claim: SealClaim): Promise<boolean> {
  const rows = await q.execute(
    'delete from message_seal_claims where tenant_id = $1 and message_id = $2 and attempt = $3',
    [claim.tenantId, claim.messageId, claim.attempt],
    'end_seal_claim',
  );
  return rows === 1;
}

/** False: the message has one already. */
export async function insertMessageCertificate(
  tx: Tx,
  certificate: StampColumns & {
    tenantId: string;
    messageId: string;
    certificateId: string;
    createdAt: Date;
  },
): Promise<boolean> {
  const rows = await tx.execute(
    `insert into message_certificates (tenant_id, message_id, certificate_id, created_at, ${STAMP_COLUMNS})
     values ($1, $2, $3, $4, ${stampParameters(5)})
     on conflict (tenant_id, message_id) do nothing`,
    [
      certificate.tenantId,
      certificate.messageId,
      certificate.certificateId,
      certificate.createdAt.toISOString(),
      ...stampValues(certificate),
    ],
    'insert_message_certificate',
  );
  return rows === 1;
}
