import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { readLogEnds } from '../../../../shared/api/log.ts';
import type { Message, SharePage } from '../../../../shared/api/portal-types.ts';
import type { Checked } from '../../../../shared/evidence/checked.ts';
import { tellFirstVerification } from '../../parts/onboarding.ts';

export interface CheckedBundle {
  readonly bundle: Uint8Array<ArrayBuffer>;
  readonly checked: Checked;
}

/** How often openings are looked for while the page is visible (ms). */
const OPENINGS_EVERY_MS = 10_000;
const SHARES_PAGE_ROWS = 20;

/**
 * The message's bundle, downloaded and verified here. Asked for by the Evidence tab alone: `checkedQuery` is
 * its key, so that the mark next to the heading tells as well.
 */
export function checkedQuery(api: ApiClient, message: Message) {
  const { id, status, attempts, sealed_at: sealedAt, content_deleted_at: erasedAt } = message;
  return queryOptions({
    queryKey: ['messages', 'checked', id, sealedAt, status, attempts, erasedAt],
    async queryFn({ client, signal }): Promise<CheckedBundle> {
      const headers = { Accept: 'application/zip' };
      const [blob, ends] = await Promise.all([
        api.bytes(`/messages/${id}/proof-bundle`, { signal, headers }),
        readLogEnds(signal),
      ]);
      const bundle = new Uint8Array(await blob.arrayBuffer());
      const { checkBundle } = await import('../../../../shared/evidence/checker.ts');
      const answer = await checkBundle({ bundle, ends, own: true }, signal);
      if (answer.kind !== 'checked') throw new Error(answer.detail);
      // Whoever has seen the result may leave. Nothing here depends on it: the next check tells again.
      if (answer.checked.verification.valid) tellFirstVerification(api, client, id).catch(() => {});
      return { bundle, checked: answer.checked };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function sharesQuery(api: ApiClient, id: string) {
  return infiniteQueryOptions({
    queryKey: ['messages', 'shares', id],
    queryFn: ({ signal, pageParam }) =>
      api.call<SharePage>('GET', `/messages/${id}/shares`, {
        query: { limit: SHARES_PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: OPENINGS_EVERY_MS,
  });
}
