import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MailSummaryPage } from '../../../../shared/api/portal-types.ts';

const PAGE_ROWS = 50;
/** How often it is looked for new mail, while the page is visible (ms). */
const AGAIN_MS = 5_000;

export function mailQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['mailbox', 'list'],
    queryFn: ({ signal, pageParam }) =>
      api.call<MailSummaryPage>('GET', '/mailbox', { query: { limit: PAGE_ROWS, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: AGAIN_MS,
  });
}
