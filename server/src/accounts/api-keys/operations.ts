import { randomBytes } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type Narrowing, NOT_NARROWED, SCOPES, type Scope } from '../../platform/http/http.ts';
import { type PageOf, readPage, requireById } from '../../platform/http/own-rows.ts';
import type { Page } from '../../platform/http/page.ts';
import { newId } from '../../platform/ids.ts';
import { formatKey, parseKey, SECRET_BYTES, secretHash } from './key.ts';
import { type ApiKeyRow, hasApiKeys, insertApiKey, listApiKeys, type Maker, revokeApiKey } from './store.ts';

export const API_KEYS_MAX = 1_000;

export interface CreatedKey {
  apiKeyId: string;
  name: string;
  scopes: Scope[];
  key: string;
  createdAt: Date;
  narrowing: Narrowing;
  maker: Maker | null;
}

interface KeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly narrowing?: Narrowing;
  readonly maker?: Maker | null;
}

/** `grantor`: the scopes that it may pass on; null for the operator. Throws insufficient_scope, conflict. */
export async function createApiKey(
  deps: ChangeDeps,
  tenantId: string,
  input: KeyInput,
  grantor: readonly Scope[] | null,
): Promise<CreatedKey> {
  const { name, narrowing = NOT_NARROWED, maker = null } = input;
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  const beyond = grantor === null ? [] : scopes.filter((scope) => !grantor.includes(scope));
  if (beyond.length > 0) {
    throw apiError(
      'insufficient_scope',
      `A key can only grant scopes that it has; this one lacks ${beyond.join(', ')}.`,
    );
  }
  const createdAt = deps.clock.now();
  const apiKeyId = newId(createdAt.getTime());
  const key = formatKey(apiKeyId, randomBytes(SECRET_BYTES));
  const secretSha256 = secretHash(parseKey(key)!.secret);
  await deps.db.asTenant(tenantId, async (tx) => {
    if (await hasApiKeys(tx, tenantId, API_KEYS_MAX))
      throw apiError('conflict', `Limit of ${API_KEYS_MAX} API keys per account reached: revoke one first.`);
    const made = { apiKeyId, name, scopes, secretSha256, createdAt, narrowing, maker };
    await insertApiKey(tx, tenantId, made);
  });
  return { apiKeyId, name, scopes, key, createdAt, narrowing, maker };
}

export function readApiKeys<Item>(
  deps: Pick<ChangeDeps, 'db'>,
  tenantId: string,
  page: Page,
  present: (row: ApiKeyRow) => Item,
): Promise<PageOf<Item>> {
  return readPage(deps.db, tenantId, page, listApiKeys, { idOf: (row) => row.apiKeyId, present });
}

/** At once here, within 2 s elsewhere. Throws not_found. */
export async function endApiKey(
  deps: ChangeDeps,
  tenantId: string,
  apiKeyId: string,
  record?: (tx: Tx) => Promise<void>,
): Promise<void> {
  await requireById(deps.db, tenantId, apiKeyId, async (tx) => {
    const revoked = await revokeApiKey(tx, tenantId, apiKeyId, deps.clock.now());
    if (revoked) await record?.(tx);
    return revoked;
  });
  await deps.changes.announce('api_key', apiKeyId);
}
