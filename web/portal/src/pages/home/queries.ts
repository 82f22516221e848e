import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MessagePage, Onboarding } from '../../../../shared/api/portal-types.ts';
import { hoursAgo } from '../../../../shared/format/clock.ts';

/** A step that somebody takes elsewhere is seen this much later at most (ms). */
const AGAIN_MS = 5_000;
const ATTENTION_AGAIN_MS = 15_000;
const ATTENTION_ROWS = 5;
const ATTENTION_HOURS = 24;

export function onboardingQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['onboarding'],
    queryFn: ({ signal }) => api.call<Onboarding>('GET', '/onboarding', { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.steps.every(({ done }) => done) === true ? false : AGAIN_MS,
  });
}

/** What did not arrive: the newest of the last day. */
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
