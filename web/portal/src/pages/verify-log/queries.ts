import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import type { VerificationRecordPage } from '../../../../shared/api/portal-types.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

const PAGE_ROWS = 50;
/** New entries are looked for this often while the page is visible and shows the newest alone (ms). */
const LOOK_EVERY_MS = 10_000;

export const RESULTS = ['valid', 'invalid', 'opened', 'not_found', 'missing_proof_data'] as const;

export interface Search extends Period {
  readonly message_id: string;
  readonly result: (typeof RESULTS)[number] | '';
}

export const searchSchema: SearchSchema<Search> = {
  message_id: text(),
  result: oneOf(['', ...RESULTS], ''),
  ...periodSchema('all'),
};
export const NO_FILTERS: Search = { message_id: '', result: '', ...ALL_TIME };

/** How many filters besides the text. */
export function countFilters({ result, ...period }: Search): number {
  return [result !== '', isPeriod(period)].filter(Boolean).length;
}

export function toQuery({ message_id, result, ...period }: Search): Query {
  return { message_id, result, ...periodQuery(period) };
}

export function verificationsQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['verifications', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<VerificationRecordPage>('GET', '/verifications', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // Rows do not move under the eyes of somebody who reads further back.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LOOK_EVERY_MS),
  });
}
