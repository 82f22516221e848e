import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { Webhook, WebhookPage } from '../../../../shared/api/portal-types.ts';

/** An account has at most 20: WEBHOOKS_MAX of the server. */
const PAGE_ROWS = 100;
/** Their state is read this often while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function webhooksQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) =>
      api.call<WebhookPage>('GET', '/webhooks', { query: { limit: PAGE_ROWS }, signal }),
    refetchInterval: AGAIN_MS,
  });
}

export function webhookQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => api.call<Webhook>('GET', `/webhooks/${id}`, { signal }),
    refetchInterval: AGAIN_MS,
  });
}
