import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { DomainPage, MessagePage } from '../../../../shared/api/portal-types.ts';
import { hoursAgo } from '../../../../shared/format/clock.ts';

const ATTENTION_AGAIN_MS = 15_000;
const ATTENTION_ROWS = 5;
const ATTENTION_HOURS = 24;

/** The newest message with evidence, or none. */
export function sealedQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['messages', 'sealed'],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', { query: { sealed: true, limit: 1 }, signal }),
  });
}

/** Domains whose mail is refused. */
export function failingDomainsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['domains', 'failing'],
    queryFn: ({ signal }) =>
      api.call<DomainPage>('GET', '/domains', {
        query: { status: 'failing', limit: ATTENTION_ROWS },
        signal,
      }),
    refetchInterval: ATTENTION_AGAIN_MS,
  });
}

export function attentionQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['messages', 'attention'],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', {
        query: {
          status: ['bounced', 'deferred', 'complained'],
          created_after: hoursAgo(ATTENTION_HOURS),
          limit: ATTENTION_ROWS,
        },
        signal,
      }),
    refetchInterval: ATTENTION_AGAIN_MS,
  });
}
