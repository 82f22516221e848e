import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { type AccountEvent, listEventsOfActors, listTargets } from '../audit/account-events-store.ts';
import { type AuditSource, appendAccountEvent } from '../audit/append.ts';
import type { ApiKeyDeps } from './operations.ts';
import { type ApiKeyRow, findKey, listKeysMadeBy, revokeApiKey } from './store.ts';

export interface LeakDeps extends ApiKeyDeps {
  /** Deletes those that are there. */
  deleteWebhooks(
    tx: Tx,
    tenantId: string,
    webhookIds: readonly string[],
  ): Promise<readonly { readonly webhookId: string; readonly url: string }[]>;
  /** The newest messages that these keys sent. */
  messagesSentBy(tx: Tx, tenantId: string, apiKeyIds: readonly string[]): Promise<SentByKeys>;
}

export interface SentByKeys {
  readonly count: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  /** Newest first, at most SHOWN_MAX. */
  readonly messageIds: readonly string[];
}

export interface Leak {
  readonly revoked: readonly ApiKeyRow[];
  readonly webhooks: readonly { readonly webhookId: string; readonly url: string }[];
  /** Newest first, at most SHOWN_MAX. */
  readonly changes: readonly AccountEvent[];
  readonly messages: SentByKeys;
}

/** Of changes and of messages. */
export const SHOWN_MAX = 100;

/**
 * Revokes a key, the keys that it made, those that these made, and deletes the webhooks that any of them
 * registered, in one transaction. Again for a key that is revoked already. Throws not_found.
 */
export async function endLeakedKey(
  deps: LeakDeps,
  tenantId: string,
  apiKeyId: string,
  source: AuditSource,
): Promise<Leak> {
  const { db, clock, changes } = deps;
  const leak = await db.asTenant(tenantId, async (tx) => {
    const leaked = isId(apiKeyId) ? await findKey(tx, tenantId, apiKeyId) : null;
    if (leaked === null) throw apiError('not_found');
    const at = clock.now();
    const keys = await withDescendants(tx, tenantId, leaked);
    const ids = [...keys.keys()];
    const revoked: ApiKeyRow[] = [];
    for (const key of keys.values())
      if (await revokeApiKey(tx, tenantId, key.apiKeyId, at)) revoked.push(key);
    const made = await listTargets(tx, tenantId, ids, 'create_webhook');
    const webhooks = await deps.deleteWebhooks(tx, tenantId, made.filter(isId));
    const did = await listEventsOfActors(tx, tenantId, ids, SHOWN_MAX);
    for (const key of revoked)
      await appendAccountEvent(tx, tenantId, source, { action: 'revoke_api_key', target: key.apiKeyId }, at);
    for (const { webhookId: target, url } of webhooks)
      await appendAccountEvent(
        tx,
        tenantId,
        source,
        { action: 'delete_webhook', target, before: { url } },
        at,
      );
    return { revoked, webhooks, changes: did, messages: await deps.messagesSentBy(tx, tenantId, ids) };
  });
  for (const key of leak.revoked) await changes.announce('api_key', key.apiKeyId);
  return leak;
}

/** Keys of before have no maker; the audit log names it. */
async function withDescendants(tx: Tx, tenantId: string, leaked: ApiKeyRow): Promise<Map<string, ApiKeyRow>> {
  const found = new Map([[leaked.apiKeyId, leaked]]);
  for (let makers = [leaked.apiKeyId]; makers.length > 0; ) {
    const logged = (await listTargets(tx, tenantId, makers, 'create_api_key')).filter(isId);
    const made = await listKeysMadeBy(tx, tenantId, makers, logged);
    makers = made.map(({ apiKeyId }) => apiKeyId).filter((id) => !found.has(id));
    for (const key of made) found.set(key.apiKeyId, key);
  }
  return found;
}
