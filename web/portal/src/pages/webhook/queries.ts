import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import type {
  WebhookDeliveryDetail,
  WebhookDeliveryPage,
  WebhookReplayCount,
} from '../../../../shared/api/portal-types.ts';
import { periodQuery } from '../../../../shared/routing/period.ts';
import type { Search } from './filters.ts';

/** Rows of a page (deliveries). */
const PAGE_ROWS = 50;
/** Poll interval while visible (ms). */
const LOOK_EVERY_MS = 15_000;

/** The log, page after page; its rows stay where they are. */
export function deliveriesQuery(api: ApiClient, id: string, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', 'deliveries', id, search],
    queryFn: ({ pageParam, signal }) =>
      api.call<WebhookDeliveryPage>('GET', `/webhooks/${id}/deliveries`, {
        query: { ...toQuery(search), after: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    meta: { still: true },
  });
}

/** The newest rows: what the list above does not show yet, and what changed in those that it shows. */
export function newestQuery(api: ApiClient, id: string, search: Search) {
  return queryOptions({
    queryKey: ['webhooks', 'newest', id, search],
    queryFn: ({ signal }) =>
      api.call<WebhookDeliveryPage>('GET', `/webhooks/${id}/deliveries`, { query: toQuery(search), signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function toQuery({ status, type, ...period }: Search): Query {
  return { status, type, ...periodQuery(period), limit: PAGE_ROWS };
}

export function deliveryQuery(api: ApiClient, id: string, delivery: string) {
  return queryOptions({
    queryKey: ['webhooks', 'delivery', id, delivery],
    queryFn: ({ signal }) =>
      api.call<WebhookDeliveryDetail>('GET', `/webhooks/${id}/deliveries/${delivery}`, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? LOOK_EVERY_MS : false),
  });
}

/** How many would be delivered again. */
export function replayCountQuery(api: ApiClient, id: string, since: string) {
  return queryOptions({
    queryKey: ['webhooks', 'replay', id, since],
    queryFn: ({ signal }) =>
      api.call<WebhookReplayCount>('GET', `/webhooks/${id}/replay`, { query: { since }, signal }),
    staleTime: 0,
  });
}
