import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { VerificationRecordPage } from '../../../../shared/api/portal-types.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

const PAGE_ROWS = 50;
/** New entries are looked for this often while the page is visible and shows the newest alone (ms). */
const LOOK_EVERY_MS = 10_000;

export const RESULTS = ['valid', 'invalid', 'opened', 'not_found', 'missing_proof_data'] as const;
export const DAYS = ['1', '7', '30', '90', 'all'] as const;

export interface Search {
  readonly message_id: string;
  readonly result: (typeof RESULTS)[number] | '';
  readonly days: (typeof DAYS)[number];
}

export const searchSchema: SearchSchema<Search> = {
  message_id: text(),
  result: oneOf(['', ...RESULTS], ''),
  days: oneOf(DAYS, 'all'),
};
export const NO_FILTERS: Search = { message_id: '', result: '', days: 'all' };

export function verificationsQuery(api: ApiClient, { message_id, result, days }: Search) {
  const created_after = days === 'all' ? null : daysAgo(Number(days) - 1);
  return infiniteQueryOptions({
    queryKey: ['verifications', message_id, result, days],
    queryFn: ({ signal, pageParam }) =>
      api.call<VerificationRecordPage>('GET', '/verifications', {
        query: { message_id, result, created_after, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // Rows do not move under the eyes of somebody who reads further back.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LOOK_EVERY_MS),
  });
}
