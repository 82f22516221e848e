import { type LeakDeps, SHOWN_MAX } from '../accounts/api-keys/leak.ts';
import { findSendsOfKeys } from '../messages/key-sends-store.ts';
import { deleteEndpoints } from '../webhooks/endpoint-store.ts';

export const LEAK_PARTS: Pick<LeakDeps, 'deleteWebhooks' | 'messagesSentBy'> = {
  deleteWebhooks: deleteEndpoints,
  messagesSentBy: (tx, tenantId, apiKeyIds) => findSendsOfKeys(tx, tenantId, apiKeyIds, SHOWN_MAX),
};
