import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { Actor, Narrowing, Scope } from '../../platform/http/http.ts';

export interface Maker {
  kind: 'key' | 'user' | 'operator' | 'system';
  id: string | null;
  name: string;
}

/** A key that a person gave to an agent's program: its MCP server, and how long it is renewed. */
export interface Granted {
  resource: string;
  until: Date;
}

export interface ApiKeyRow extends Narrowing {
  apiKeyId: string;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
  lastUsedFrom: string | null;
  createdBy: Maker | null;
  revokedAt: Date | null;
  resource: string | null;
  grantedUntil: Date | null;
}

export interface Credential {
  tenantId: string;
  actor: Actor;
  tenantStatus: 'active' | 'suspended' | 'deactivated';
  sandbox: boolean;
  scopes: Scope[];
  secretSha256: Buffer;
  lastUsedAt: Date | null;
  narrowing: Narrowing;
  resource: string | null;
}

const COLUMNS = `api_key_id as "apiKeyId", name, scopes, created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt",
  last_used_from as "lastUsedFrom", senders, networks, expires_at as "expiresAt", read_only as "readOnly",
  needs_approval as "needsApproval", resource, granted_until as "grantedUntil",
  case when created_by_kind is not null then json_build_object('kind', created_by_kind, 'id', created_by_id,
    'name', created_by_name) end as "createdBy"`;

/** `among`: searches only these accounts; null: all. */
export async function findCredential(
  db: Queryable,
  apiKeyId: string,
  among: readonly string[] | null = null,
): Promise<Credential | null> {
  const rows = await db.query<Omit<Credential, 'actor' | 'narrowing'> & Narrowing & { name: string }>(
    `select k.tenant_id as "tenantId", k.name, t.status as "tenantStatus", t.sandbox, k.scopes, k.secret_sha256 as "secretSha256", k.last_used_at as "lastUsedAt",
       k.senders, k.networks, k.expires_at as "expiresAt", k.read_only as "readOnly",
       k.needs_approval as "needsApproval", k.resource
     from api_keys k join tenants t on t.tenant_id = k.tenant_id
     where k.api_key_id = $1 and k.revoked_at is null
       ${among === null ? '' : 'and k.tenant_id = any ($2::uuid[]) and t.tenant_id = any ($2::uuid[])'}`,
    [apiKeyId, ...(among === null ? [] : [among])],
    // Unnamed: Citus chooses nodes by the accounts that it sees.
    among === null ? 'find_credential' : undefined,
  );
  if (rows[0] === undefined) return null;
  const { name, senders, networks, expiresAt, readOnly, needsApproval, ...facts } = rows[0];
  return {
    ...facts,
    actor: { kind: 'key', id: apiKeyId, name },
    narrowing: { senders, networks, expiresAt, readOnly, needsApproval },
  };
}

export async function hasApiKeys(tx: Tx, tenantId: string, limit: number): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from api_keys where tenant_id = $1 and revoked_at is null offset $2 limit 1',
    [tenantId, limit - 1],
  );
  return rows.length > 0;
}

export async function insertApiKey(
  tx: Tx,
  tenantId: string,
  key: {
    apiKeyId: string;
    name: string;
    scopes: readonly Scope[];
    secretSha256: Uint8Array;
    createdAt: Date;
    narrowing: Narrowing;
    maker: Maker | null;
    granted?: Granted;
  },
): Promise<void> {
  const { narrowing, maker, granted } = key;
  await tx.execute(
    `insert into api_keys (tenant_id, api_key_id, name, scopes, secret_sha256, created_at, senders, networks,
       expires_at, read_only, created_by_kind, created_by_id, created_by_name, resource, granted_until,
       needs_approval)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      ...[tenantId, key.apiKeyId, key.name, key.scopes, key.secretSha256, key.createdAt],
      ...[narrowing.senders, narrowing.networks, narrowing.expiresAt, narrowing.readOnly],
      ...[maker?.kind ?? null, maker?.id ?? null, maker?.name.slice(0, MAKER_MAX_CHARS) ?? null],
      ...[granted?.resource ?? null, granted?.until ?? null, narrowing.needsApproval],
    ],
  );
}

const MAKER_MAX_CHARS = 320;

export function findKey(tx: Tx, tenantId: string, apiKeyId: string): Promise<ApiKeyRow | null> {
  return first<ApiKeyRow>(tx, `select ${COLUMNS} from api_keys where tenant_id = $1 and api_key_id = $2`, [
    tenantId,
    apiKeyId,
  ]);
}

/** Keeps the requests of a key one after the other. False: it is revoked. */
export async function lockKey(tx: Tx, tenantId: string, apiKeyId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from api_keys where tenant_id = $1 and api_key_id = $2 and revoked_at is null
        for no key update`,
    [tenantId, apiKeyId],
  );
  return rows.length === 1;
}

/** Revoked ones too. `logged`: ids of keys that the audit log says they made. */
export function listKeysMadeBy(
  tx: Tx,
  tenantId: string,
  makers: readonly string[],
  logged: readonly string[],
): Promise<ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys
     where tenant_id = $1 and (created_by_id = any ($2) or api_key_id = any ($3))
     order by api_key_id`,
    [tenantId, makers, logged],
  );
}

export function listApiKeys(
  tx: Tx,
  tenantId: string,
  before: string | null,
  limit: number,
): Promise<ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys
     where tenant_id = $1 and revoked_at is null and ($2::uuid is null or api_key_id < $2)
     order by api_key_id desc limit $3`,
    [tenantId, before, limit],
  );
}

export async function revokeApiKey(tx: Tx, tenantId: string, apiKeyId: string, at: Date): Promise<boolean> {
  const revoked = await tx.execute(
    'update api_keys set revoked_at = $3 where tenant_id = $1 and api_key_id = $2 and revoked_at is null',
    [tenantId, apiKeyId, at],
  );
  if (revoked === 1) tx.note({ kind: 'key_revoked', tenant_id: tenantId, api_key_id: apiKeyId });
  return revoked === 1;
}

/** A new secret for a granted key. False: it is revoked. */
export function renewApiKey(
  tx: Tx,
  tenantId: string,
  key: { apiKeyId: string; secretSha256: Uint8Array; expiresAt: Date },
): Promise<boolean> {
  return changed(
    tx,
    `update api_keys set secret_sha256 = $3, expires_at = $4
     where tenant_id = $1 and api_key_id = $2 and revoked_at is null and granted_until is not null`,
    [tenantId, key.apiKeyId, key.secretSha256, key.expiresAt],
  );
}

export interface KeyUse {
  tenantId: string;
  apiKeyId: string;
  usedAt: Date;
  /** Null: as before. */
  usedFrom: string | null;
}

export async function recordKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await db.execute(
    `update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at),
       last_used_from = coalesce(u.used_from, k.last_used_from)
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[])
       as u (tenant_id, api_key_id, used_at, used_from)
     where k.tenant_id = u.tenant_id and k.api_key_id = u.api_key_id`,
    [
      uses.map((use) => use.tenantId),
      uses.map((use) => use.apiKeyId),
      uses.map((use) => use.usedAt),
      uses.map((use) => use.usedFrom),
    ],
    'record_key_uses',
  );
}
