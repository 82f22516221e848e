import { setTimeout as pause } from 'node:timers/promises';
import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { type AccountEvent, listEventsOfActors, listTargets } from '../audit/account-events-store.ts';
import { type AuditSource, appendAccountEvent } from '../audit/append.ts';
import { type ApiKeyRow, findKey, listKeysMadeBy, revokeApiKey } from './store.ts';

export interface LeakDeps extends ChangeDeps {
  deleteWebhooks(
    tx: Tx,
    tenantId: string,
    webhookIds: readonly string[],
  ): Promise<readonly { readonly webhookId: string; readonly url: string }[]>;
  messagesSentBy(tx: Tx, tenantId: string, apiKeyIds: readonly string[]): Promise<SentByKeys>;
  readonly settleMs?: number;
}

interface SentByKeys {
  readonly count: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  readonly messageIds: readonly string[];
}

export interface Leak {
  readonly revoked: readonly ApiKeyRow[];
  readonly webhooks: readonly { readonly webhookId: string; readonly url: string }[];
  readonly changes: readonly AccountEvent[];
  readonly messages: SentByKeys;
}

export const SHOWN_MAX = 100;
/** Until other processes know that a key is revoked, and requests under way have ended (ms). */
const SETTLE_MS = 3_000;

/**
 * Revokes a key, all keys that it or its keys made, and deletes the webhooks that any of them registered. May
 * be repeated for a revoked key. Throws not_found. A request admitted before may still make a key or a
 * webhook. So keys are revoked first, and what they made is read once no process admits them, until nothing
 * new is found.
 */
export async function endLeakedKey(
  deps: LeakDeps,
  tenantId: string,
  apiKeyId: string,
  source: AuditSource,
): Promise<Leak> {
  const revoked: ApiKeyRow[] = [];
  for (;;) {
    const more = await revokeAll(deps, tenantId, apiKeyId, source);
    if (more.length === 0) break;
    revoked.push(...more);
    for (const key of more) await deps.changes.announce('api_key', key.apiKeyId);
    await pause(deps.settleMs ?? SETTLE_MS);
  }
  return { revoked, ...(await endWebhooks(deps, tenantId, apiKeyId, source)) };
}

function revokeAll(
  { db, clock }: LeakDeps,
  tenantId: string,
  apiKeyId: string,
  source: AuditSource,
): Promise<ApiKeyRow[]> {
  return db.asTenant(tenantId, async (tx) => {
    const at = clock.now();
    const revoked: ApiKeyRow[] = [];
    for (const key of await withDescendants(tx, tenantId, apiKeyId))
      if (await revokeApiKey(tx, tenantId, key.apiKeyId, at)) revoked.push(key);
    for (const { apiKeyId: target } of revoked)
      await appendAccountEvent(tx, tenantId, source, { action: 'revoke_api_key', target }, at);
    return revoked;
  });
}

function endWebhooks(
  deps: LeakDeps,
  tenantId: string,
  apiKeyId: string,
  source: AuditSource,
): Promise<Omit<Leak, 'revoked'>> {
  return deps.db.asTenant(tenantId, async (tx) => {
    const ids = (await withDescendants(tx, tenantId, apiKeyId)).map((key) => key.apiKeyId);
    const made = await listTargets(tx, tenantId, ids, 'create_webhook');
    const webhooks = await deps.deleteWebhooks(tx, tenantId, made.filter(isId));
    const changes = await listEventsOfActors(tx, tenantId, ids, SHOWN_MAX);
    for (const { webhookId: target, url } of webhooks) {
      const entry = { action: 'delete_webhook', target, before: { url } };
      await appendAccountEvent(tx, tenantId, source, entry, deps.clock.now());
    }
    return { webhooks, changes, messages: await deps.messagesSentBy(tx, tenantId, ids) };
  });
}

/** Older keys have no maker; the audit log names it. */
async function withDescendants(tx: Tx, tenantId: string, apiKeyId: string): Promise<ApiKeyRow[]> {
  const leaked = isId(apiKeyId) ? await findKey(tx, tenantId, apiKeyId) : null;
  if (leaked === null) throw apiError('not_found');
  const found = new Map([[leaked.apiKeyId, leaked]]);
  for (let makers = [leaked.apiKeyId]; makers.length > 0; ) {
    const logged = (await listTargets(tx, tenantId, makers, 'create_api_key')).filter(isId);
    const made = await listKeysMadeBy(tx, tenantId, makers, logged);
    makers = made.map(({ apiKeyId }) => apiKeyId).filter((id) => !found.has(id));
    for (const key of made) found.set(key.apiKeyId, key);
  }
  return [...found.values()];
}
