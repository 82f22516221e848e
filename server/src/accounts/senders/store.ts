import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';

export interface SenderFilter {
  readonly active: boolean | null;
  readonly domainId: string | null;
}

export interface Sender {
  senderId: string;
  domainId: string;
  address: string;
  active: boolean;
  createdAt: Date;
}

const COLUMNS = `sender_id as "senderId", domain_id as "domainId", address, active, created_at as "createdAt"`;

export function insertSender(
  tx: Tx,
  tenantId: string,
  sender: Omit<Sender, 'domainId'>,
  domainName: string,
): Promise<Sender | null> {
  return first<Sender>(
    tx,
    `insert into senders (tenant_id, sender_id, domain_id, address, active, created_at)
     select d.tenant_id, $2, d.domain_id, $3, $4, $5 from domains d where d.tenant_id = $1 and d.name = $6 for
       key share
     on conflict (tenant_id, address) do nothing returning ${COLUMNS}`,
    [tenantId, sender.senderId, sender.address, sender.active, sender.createdAt, domainName],
  );
}

export async function hasDomain(tx: Tx, tenantId: string, domainName: string): Promise<boolean> {
  return (
    (await tx.query('select 1 from domains where tenant_id = $1 and name = $2', [tenantId, domainName]))
      .length > 0
  );
}

export async function hasSenders(tx: Tx, tenantId: string, limit: number): Promise<boolean> {
  return (
    (await tx.query('select 1 from senders where tenant_id = $1 offset $2 limit 1', [tenantId, limit - 1]))
      .length > 0
  );
}

export function findSender(tx: Tx, tenantId: string, senderId: string): Promise<Sender | null> {
  return first<Sender>(tx, `select ${COLUMNS} from senders where tenant_id = $1 and sender_id = $2`, [
    tenantId,
    senderId,
  ]);
}

export function listSenders(
  tx: Tx,
  tenantId: string,
  { active, domainId }: SenderFilter,
  before: string | null,
  limit: number,
): Promise<Sender[]> {
  return tx.query<Sender>(
    `select ${COLUMNS} from senders where tenant_id = $1 and ($2::uuid is null or sender_id < $2)
        and ($4::boolean is null or active = $4) and ($5::uuid is null or domain_id = $5)
      order by sender_id desc limit $3`,
    [tenantId, before, limit, active, domainId],
  );
}

export function setSenderActive(
  tx: Tx,
  tenantId: string,
  senderId: string,
  active: boolean,
): Promise<Sender | null> {
  return first<Sender>(
    tx,
    `update senders set active = $3 where tenant_id = $1 and sender_id = $2 returning ${COLUMNS}`,
    [tenantId, senderId, active],
  );
}

export function deleteSender(tx: Tx, tenantId: string, senderId: string): Promise<boolean> {
  return changed(tx, 'delete from senders where tenant_id = $1 and sender_id = $2', [tenantId, senderId]);
}

export function findApproval(
  db: Queryable,
  tenantId: string,
  address: string,
  wildcard: string,
): Promise<Pick<Sender, 'address' | 'active'>[]> {
  return db.query<Pick<Sender, 'address' | 'active'>>(
    'select address, active from senders where tenant_id = $1 and address in ($2, $3)',
    [tenantId, address, wildcard],
    'find_sender_approval',
  );
}
