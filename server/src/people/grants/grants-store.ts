import type { Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { GrantScope } from './authorization-request.ts';

export interface Grant {
  readonly apiKeyId: string;
  readonly userId: string;
  readonly userName: string;
  readonly clientSha256: Buffer;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly GrantScope[];
  /** Each send of its key waits for a person. */
  readonly needsApproval: boolean;
  readonly codeChallenge: string;
  readonly codeExpiresAt: Date;
  readonly createdAt: Date;
  readonly endsAt: Date;
}

export interface GrantRow extends Grant {
  /** 0: the code is not redeemed. */
  readonly generation: number;
  readonly renewedAt: Date | null;
}

export async function insertGrant(tx: Tx, tenantId: string, grant: Grant): Promise<void> {
  await tx.execute(
    `insert into oauth_grants (tenant_id, api_key_id, user_id, user_name, client_sha256, client_name,
       redirect_uri, resource, scopes, code_challenge, code_expires_at, created_at, ends_at,
       needs_approval)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[tenantId, grant.apiKeyId, grant.userId, grant.userName, grant.clientSha256, grant.clientName],
      ...[grant.redirectUri, grant.resource, grant.scopes, grant.codeChallenge, grant.codeExpiresAt],
      ...[grant.createdAt, grant.endsAt, grant.needsApproval],
    ],
  );
}

/** Codes that nobody redeemed in time. */
export async function forgetUnredeemed(tx: Tx, tenantId: string, now: Date): Promise<void> {
  await tx.execute(
    'delete from oauth_grants where tenant_id = $1 and generation = 0 and code_expires_at <= $2',
    [tenantId, now],
  );
}

export async function countUnredeemed(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::integer as count from oauth_grants where tenant_id = $1 and generation = 0',
    [tenantId],
  );
  return row!.count;
}

export function findGrant(tx: Tx, tenantId: string, apiKeyId: string): Promise<GrantRow | null> {
  return first<GrantRow>(
    tx,
    `select api_key_id as "apiKeyId", user_id as "userId", user_name as "userName",
       client_sha256 as "clientSha256", client_name as "clientName", redirect_uri as "redirectUri", resource,
       scopes, needs_approval as "needsApproval", code_challenge as "codeChallenge", code_expires_at as "codeExpiresAt", created_at as "createdAt",
       ends_at as "endsAt", generation, renewed_at as "renewedAt"
     from oauth_grants
     where tenant_id = $1 and api_key_id = $2`,
    [tenantId, apiKeyId],
  );
}

/** From one generation to the next. False: another request did it first. */
export function advanceGrant(
  tx: Tx,
  tenantId: string,
  { apiKeyId, from, at }: { apiKeyId: string; from: number; at: Date },
): Promise<boolean> {
  return changed(
    tx,
    `update oauth_grants set generation = $3 + 1, renewed_at = $4
     where tenant_id = $1 and api_key_id = $2 and generation = $3`,
    [tenantId, apiKeyId, from, at],
  );
}

/** Other grants of the same person to the same program. */
export async function listGrantsBefore(tx: Tx, tenantId: string, grant: Grant): Promise<string[]> {
  const rows = await tx.query<{ apiKeyId: string }>(
    `select api_key_id as "apiKeyId" from oauth_grants
     where tenant_id = $1 and user_id = $2 and client_sha256 = $3 and api_key_id < $4 and generation > 0`,
    [tenantId, grant.userId, grant.clientSha256, grant.apiKeyId],
  );
  return rows.map(({ apiKeyId }) => apiKeyId);
}
