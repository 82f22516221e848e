import { infiniteQueryOptions } from '@tanstack/react-query';
import type { OperatorEventPage, OperatorPage } from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';
import { toCsv } from '../../../../shared/format/csv.ts';
import { download } from '../../../../shared/format/download.ts';
import { oneOf, text } from '../../../../shared/routing/search.ts';

export const PERIODS = ['7', '30', '90', 'all'] as const;

export const searchSchema = {
  action: text(),
  operator: text(),
  tenant: text(),
  days: oneOf(PERIODS, '30'),
};

export interface Search {
  readonly action: string;
  /** Id of who did it. */
  readonly operator: string;
  /** Id of the account that it was done to. */
  readonly tenant: string;
  readonly days: (typeof PERIODS)[number];
}

const PAGE_ROWS = 50;
/** Without hints: looked at this often while the page is visible (ms). */
const AGAIN_MS = 30_000;
/** The API's largest page. */
const EXPORT_PAGE_ROWS = 100;
/** More is asked for by program (entries). */
const EXPORT_MAX = 10_000;
const OPERATORS_MAX = 100;

function queryOf({ action, operator, tenant, days }: Search): Query {
  return {
    ...{ action, operator_id: operator, tenant_id: tenant },
    created_after: days === 'all' ? null : daysAgo(Number(days)),
  };
}

export function eventsQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<OperatorEventPage>('GET', '/audit', {
        query: { ...queryOf(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
    refetchInterval: AGAIN_MS,
  });
}

/** Operators to choose from; the newest page of them. */
export function namesQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['operators', 'names'],
    queryFn: ({ signal }) =>
      api.call<OperatorPage>('GET', '/operators', { query: { limit: OPERATORS_MAX }, signal }),
    initialPageParam: null,
    getNextPageParam: () => null,
  });
}

const COLUMNS = [
  'id',
  'occurred_at',
  'action',
  'outcome',
  'tenant_id',
  'subject',
  'reason',
  'error',
  'client_address',
  'request_id',
] as const;

export async function exportEvents(
  api: ApiClient,
  search: Search,
): Promise<{ rows: number; complete: boolean }> {
  const rows: (string | null)[][] = [[...COLUMNS, 'operator_id', 'operator_name', 'before', 'after']];
  const query = queryOf(search);
  let after: string | null = '';
  while (after !== null && rows.length <= EXPORT_MAX) {
    const page: OperatorEventPage = await api.call('GET', '/audit', {
      query: { ...query, limit: EXPORT_PAGE_ROWS, after },
    });
    for (const event of page.data) {
      const facts = [event.before, event.after].map((each) => (each === null ? null : JSON.stringify(each)));
      rows.push([...COLUMNS.map((name) => event[name]), event.operator.id, event.operator.name, ...facts]);
    }
    after = page.next_cursor;
  }
  // The mark tells spreadsheets that it is UTF-8.
  download('acuse-audit.csv', new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv;charset=utf-8' }));
  return { rows: rows.length - 1, complete: after === null };
}
