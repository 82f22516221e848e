import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  BatchPage,
  EvidenceCheck,
  EvidenceCheckPage,
  Renewal,
  SealingCosts,
  SealingStatus,
  WitnessList,
} from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import { type Period, periodSchema } from '../../../../shared/routing/period.ts';
import { type SearchSchema, text } from '../../../../shared/routing/search.ts';

export const searchSchema: SearchSchema<Search> = { month: text(), check: text(), ...periodSchema('all') };

/** Its period is that of the batches. */
export interface Search extends Period {
  /** UTC month of the costs; empty: this one. */
  readonly month: string;
  /** Id of the check whose findings are open. */
  readonly check: string;
}

/** Looked at this often while the page is visible (ms): a check that runs, and everything else. */
const CHECK_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 5_000;
const PAGE_ROWS = 50;

export function sealingQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['sealing', 'status'],
    queryFn: ({ signal }) => api.call<SealingStatus>('GET', '/sealing', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** The newest batch alone. */
export function lastBatchQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['sealing', 'last-batch'],
    queryFn: ({ signal }) => api.call<BatchPage>('GET', '/sealing/batches', { query: { limit: 1 }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function witnessesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['sealing', 'witnesses'],
    queryFn: ({ signal }) => api.call<WitnessList>('GET', '/sealing/witnesses', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function batchesQuery(api: ApiClient, period: Query) {
  return infiniteQueryOptions({
    queryKey: ['sealing', 'batches', period],
    queryFn: ({ signal, pageParam }) =>
      api.call<BatchPage>('GET', '/sealing/batches', {
        query: { ...period, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // Paused once more pages are open.
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LOOK_EVERY_MS : false),
  });
}

export function checksQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['sealing', 'checks'],
    queryFn: ({ signal, pageParam }) =>
      api.call<EvidenceCheckPage>('GET', '/sealing/checks', {
        query: { limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.data.some(({ status }) => status === 'running') === true
        ? CHECK_EVERY_MS
        : LOOK_EVERY_MS,
  });
}

export function checkQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['sealing', 'check', id],
    queryFn: ({ signal }) => api.call<EvidenceCheck>('GET', `/sealing/checks/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? CHECK_EVERY_MS : false),
  });
}

export function costsQuery(api: ApiClient, month: string) {
  return queryOptions({
    queryKey: ['sealing', 'costs', month],
    queryFn: ({ signal }) => api.call<SealingCosts>('GET', '/sealing/costs', { query: { month }, signal }),
  });
}

export function startCheck(api: ApiClient): Promise<EvidenceCheck> {
  return api.call('POST', '/sealing/checks');
}

export function renew(api: ApiClient): Promise<Renewal> {
  return api.call('POST', '/sealing/renewals');
}
