import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MessagePage, SuppressionPage } from '../../../../shared/api/portal-types.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';

/** Newest messages of the address (messages). */
const SHOWN_ROWS = 20;
/** How a domain does is told by so many of its newest messages, and no older ones. */
const DOMAIN_ROWS = 100;
const DOMAIN_DAYS = 7;
/** While the page is visible (ms). */
const LOOK_EVERY_MS = 15_000;

export function isAddress(text: string): boolean {
  return /^\S+@\S+$/.test(text);
}

export const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);

export function toAddressQuery(api: ApiClient, address: string) {
  return queryOptions({
    queryKey: ['messages', 'to', address],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', { query: { to: address, limit: SHOWN_ROWS }, signal }),
    enabled: isAddress(address),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function suppressionQuery(api: ApiClient, address: string) {
  return queryOptions({
    queryKey: ['suppressions', 'of', address],
    queryFn: ({ signal }) =>
      api.call<SuppressionPage>('GET', '/suppressions', { query: { address, limit: 1 }, signal }),
    enabled: isAddress(address),
    retry: false,
  });
}

export function domainQuery(api: ApiClient, domain: string) {
  return queryOptions({
    queryKey: ['messages', 'domain', domain],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', {
        query: {
          to: domain,
          q: domain.slice(0, 200),
          created_after: daysAgo(DOMAIN_DAYS - 1),
          limit: DOMAIN_ROWS,
        },
        signal,
      }),
    enabled: domain !== '',
  });
}
