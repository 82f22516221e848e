import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { NewDkimKey } from './dkim-keys.ts';
import { judgeReadiness, type Readiness } from './readiness.ts';
import type { CheckedRecord, DkimKeyFacts } from './records.ts';
import type { DomainStatus, Standing } from './status.ts';

export interface Domain extends Standing {
  domainId: string;
  name: string;
  challenge: string;
  records: CheckedRecord[];
  checkedAt: Date | null;
  degradedSince: Date | null;
  createdAt: Date;
  /** Fences the write-back. */
  checkAttempt: number;
  keys: DkimKeyFacts[];
}

/** `tenant`: $1 wherever the statement has it: Citus asks every node about the keys of a column. */
const columnsOf = (tenant: string) => `d.domain_id as "domainId", d.name, d.status, d.challenge, d.records,
  d.created_at as "createdAt", d.verified_at as "verifiedAt",
  d.checked_at as "checkedAt", d.degraded_since as "degradedSince", d.grace_until as "graceUntil",
  d.check_due_at as "checkDueAt", d.check_attempt as "checkAttempt", coalesce((
  select jsonb_agg(jsonb_build_object('dkimKeyId', k.dkim_key_id, 'selector', k.selector,
                                      'algorithm', k.algorithm, 'publicKey', k.public_key,
                                      'status', k.status)
                   order by k.dkim_key_id)
    from dkim_keys k where k.tenant_id = ${tenant} and k.domain_id = d.domain_id), '[]') as keys`;
const COLUMNS = columnsOf('$1');

export function insertDomain(
  tx: Tx,
  tenantId: string,
  domain: { domainId: string; name: string; challenge: string; createdAt: Date },
): Promise<boolean> {
  return changed(
    tx,
    `insert into domains (tenant_id, domain_id, name, challenge, created_at) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, name) do nothing`,
    [tenantId, domain.domainId, domain.name, domain.challenge, domain.createdAt],
  );
}

export async function insertDkimKeys(
  tx: Tx,
  tenantId: string,
  domainId: string,
  keys: readonly NewDkimKey[],
): Promise<void> {
  for (const key of keys) {
    await tx.execute(
      `insert into dkim_keys (tenant_id, dkim_key_id, domain_id, selector, algorithm, public_key,
        private_key_sealed, status, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tenantId,
        key.dkimKeyId,
        domainId,
        key.selector,
        key.algorithm,
        key.publicKey,
        key.privateKeySealed,
        key.status,
        key.createdAt,
      ],
    );
  }
}

export function findDomain(db: Queryable, tenantId: string, domainId: string): Promise<Domain | null> {
  return first<Domain>(db, `select ${COLUMNS} from domains d where d.tenant_id = $1 and d.domain_id = $2`, [
    tenantId,
    domainId,
  ]);
}

export function findDomainByName(db: Queryable, tenantId: string, name: string): Promise<Domain | null> {
  return first<Domain>(db, `select ${COLUMNS} from domains d where d.tenant_id = $1 and d.name = $2`, [
    tenantId,
    name,
  ]);
}

export async function lockDomain(tx: Tx, tenantId: string, domainId: string): Promise<boolean> {
  return (
    (
      await tx.query('select 1 from domains where tenant_id = $1 and domain_id = $2 for update', [
        tenantId,
        domainId,
      ])
    ).length > 0
  );
}

export function listDomains(
  db: Queryable,
  tenantId: string,
  { status, before }: { readonly status: Domain['status'] | null; readonly before: string | null },
  limit: number,
): Promise<Domain[]> {
  return db.query<Domain>(
    `select ${COLUMNS} from domains d where d.tenant_id = $1 and ($2::uuid is null or d.domain_id < $2)
        and ($4::text is null or d.status = $4) order by d.domain_id desc limit $3`,
    [tenantId, before, limit, status],
  );
}

/** All accounts but sandbox and internal. `name` null: all verified or failing. */
export function listDomainsToExamine(db: Queryable, name: string | null, limit: number): Promise<Domain[]> {
  return db.query<Domain>(
    `select ${columnsOf('d.tenant_id')} from domains d join tenants t using (tenant_id)
      where not t.sandbox and (d.name = $1 or $1 is null and d.status in ('verified', 'failing'))
      order by d.status, d.name limit $2`,
    [name, limit],
  );
}

/** A domain of an account that Acuse itself made. */
export async function findInternalDomain(
  q: Queryable,
  name: string,
  sandbox: boolean,
): Promise<{ readonly tenantId: string; readonly status: DomainStatus } | null> {
  const [row] = await q.query<{ tenantId: string; status: DomainStatus }>(
    `select d.tenant_id as "tenantId", d.status from domains d join tenants t using (tenant_id)
      where t.internal and t.sandbox = $2 and d.name = $1
      order by d.status = 'verified' desc limit 1`,
    [name, sandbox],
    'domain_find_internal',
  );
  return row ?? null;
}

export async function hasDomains(tx: Tx, tenantId: string, limit: number): Promise<boolean> {
  return (
    (await tx.query('select 1 from domains where tenant_id = $1 offset $2 limit 1', [tenantId, limit - 1]))
      .length > 0
  );
}

export async function deleteDomain(tx: Tx, tenantId: string, domainId: string): Promise<string | null> {
  const rows = await tx.query<{ name: string }>(
    'delete from domains where tenant_id = $1 and domain_id = $2 returning name',
    [tenantId, domainId],
  );
  const name = rows[0]?.name ?? null;
  if (name !== null) await releaseName(tx, tenantId, name);
  return name;
}

/** The first claim wins. False: another tenant's. */
export function claimName(tx: Tx, tenantId: string, domainId: string, name: string): Promise<boolean> {
  return changed(
    tx,
    `insert into verified_domains (name, tenant_id, domain_id) values ($1, $2, $3)
     on conflict (name) do update set domain_id = excluded.domain_id where verified_domains.tenant_id =
       excluded.tenant_id`,
    [name, tenantId, domainId],
  );
}

export async function releaseName(tx: Tx, tenantId: string, name: string): Promise<void> {
  await tx.execute('delete from verified_domains where name = $1 and tenant_id = $2', [name, tenantId]);
}

export async function findNameOwner(db: Queryable, name: string): Promise<string | null> {
  const rows = await db.query<{ tenant_id: string }>(
    'select tenant_id from verified_domains where name = $1',
    [name],
  );
  return rows[0]?.tenant_id ?? null;
}

/** A newer look-up fences off this one. */
export function beginCheck(tx: Tx, tenantId: string, domainId: string): Promise<Domain | null> {
  return first<Domain>(
    tx,
    `update domains d set check_attempt = d.check_attempt + 1 where d.tenant_id = $1 and d.domain_id = $2 returning ${COLUMNS}`,
    [tenantId, domainId],
  );
}

export async function tenantsWithDueDomains(db: Queryable, at: Date): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>(
    'select distinct tenant_id from domains where check_due_at <= $1',
    [at],
  );
  return rows.map((row) => row.tenant_id);
}

export function claimDueDomains(
  db: Queryable,
  tenantId: string,
  at: Date,
  leasedUntil: Date,
  limit: number,
): Promise<Domain[]> {
  return db.query<Domain>(
    `update domains d set check_attempt = d.check_attempt + 1, check_due_at = $3
      where d.tenant_id = $1 and d.domain_id in (
        select domain_id from domains where tenant_id = $1 and check_due_at <= $2 order by check_due_at limit
          $4 for update skip locked)
     returning ${COLUMNS}`,
    [tenantId, at, leasedUntil, limit],
  );
}

/** Returns the ids still ours. */
export async function extendChecks(
  db: Queryable,
  held: readonly { tenantId: string; domain: Pick<Domain, 'domainId' | 'checkAttempt'> }[],
  leasedUntil: Date,
): Promise<Set<string>> {
  const rows = await db.query<{ domain_id: string }>(
    `update domains d set check_due_at = $4
       from unnest($1::uuid[], $2::uuid[], $3::integer[]) as h (tenant_id, domain_id, check_attempt)
      where d.tenant_id = h.tenant_id and d.domain_id = h.domain_id and d.check_attempt = h.check_attempt
     returning d.domain_id`,
    [
      held.map(({ tenantId }) => tenantId),
      held.map(({ domain }) => domain.domainId),
      held.map(({ domain }) => domain.checkAttempt),
      leasedUntil,
    ],
  );
  return new Set(rows.map((row) => row.domain_id));
}

/** False: superseded or deleted. */
export async function holdCheck(
  tx: Tx,
  tenantId: string,
  domainId: string,
  checkAttempt: number,
): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from domains where tenant_id = $1 and domain_id = $2 and check_attempt = $3 for update',
    [tenantId, domainId, checkAttempt],
  );
  return rows.length > 0;
}

/** Only after `holdCheck`. */
export async function recordCheck(
  tx: Tx,
  tenantId: string,
  domainId: string,
  {
    standing,
    records,
    degradedSince,
    at,
  }: {
    readonly standing: Standing;
    readonly records: readonly CheckedRecord[];
    readonly degradedSince: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await tx.execute(
    `update domains set status = $3, verified_at = $4, grace_until = $5, check_due_at = $6,
      records = $7::jsonb, checked_at = $8, degraded_since = $9
      where tenant_id = $1 and domain_id = $2`,
    [
      tenantId,
      domainId,
      standing.status,
      standing.verifiedAt,
      standing.graceUntil,
      standing.checkDueAt,
      JSON.stringify(records),
      at,
      degradedSince,
    ],
  );
}

/** Never rechecked automatically. */
export async function vouchFor(tx: Tx, tenantId: string, domainId: string, at: Date): Promise<void> {
  await tx.execute(
    `update domains set status = 'verified', verified_at = coalesce(verified_at, $3), grace_until = null,
      degraded_since = null, check_due_at = null, check_attempt = check_attempt + 1
      where tenant_id = $1 and domain_id = $2`,
    [tenantId, domainId, at],
  );
}

export async function activateKeys(
  tx: Tx,
  tenantId: string,
  domainId: string,
  keys: readonly DkimKeyFacts[],
  at: Date,
): Promise<void> {
  if (keys.length === 0) return;
  await tx.execute(
    `update dkim_keys set status = 'retired', retired_at = $4
      where tenant_id = $1 and domain_id = $2 and status = 'active' and algorithm = any($3::text[])`,
    [tenantId, domainId, keys.map((key) => key.algorithm), at],
  );
  await tx.execute(
    `update dkim_keys set status = 'active' where tenant_id = $1 and domain_id = $2 and status = 'pending' and dkim_key_id = any($3::uuid[])`,
    [tenantId, domainId, keys.map((key) => key.dkimKeyId)],
  );
}

/** Deletes keys that no mail under way uses. */
export async function deleteRetiredKeys(
  tx: Tx,
  tenantId: string,
  domainId: string,
  before: Date,
): Promise<void> {
  await tx.execute(
    `delete from dkim_keys where tenant_id = $1 and domain_id = $2 and status = 'retired' and retired_at < $3`,
    [tenantId, domainId, before],
  );
}

export interface SenderDomain {
  domainId: string;
  status: DomainStatus;
  readiness: Readiness;
  failing: string[];
  /** Null: bounces go to the installation's own host. */
  returnPathHost: string | null;
  dkimKeys: Pick<DkimKeyFacts, 'dkimKeyId' | 'selector' | 'algorithm' | 'publicKey'>[];
}

export async function findSenderDomain(
  db: Queryable,
  tenantId: string,
  name: string,
): Promise<SenderDomain | null> {
  const rows = await db.query<Domain>(
    `select ${COLUMNS} from domains d where d.tenant_id = $1 and d.name = $2`,
    [tenantId, name],
    'find_sender_domain',
  );
  return rows[0] === undefined ? null : asSender(rows[0]);
}

function asSender(domain: Domain): SenderDomain {
  const { domainId, status, records, keys } = domain;
  const { readiness, failing } = judgeReadiness(domain);
  const returnPath = records.find((record) => record.purpose === 'return_path' && record.status === 'found');
  // RSA first.
  const signing = keys.filter((key) => key.status === 'active').sort(byAlgorithmDescending);
  return {
    domainId,
    status,
    readiness,
    failing: failing.map((record) => record.name),
    returnPathHost: returnPath?.name ?? null,
    dkimKeys: signing.map(({ dkimKeyId, selector, algorithm, publicKey }) => ({
      dkimKeyId,
      selector,
      algorithm,
      publicKey,
    })),
  };
}

function byAlgorithmDescending(one: DkimKeyFacts, other: DkimKeyFacts): number {
  return one.algorithm < other.algorithm ? 1 : one.algorithm > other.algorithm ? -1 : 0;
}
