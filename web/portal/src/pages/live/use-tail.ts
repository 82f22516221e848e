import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Tail } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { earlier } from '../../../../shared/format/clock.ts';
import { type Search, toQuery } from './filters.ts';
import { type Followed, follow, NOTHING } from './rows.ts';

/** Where no stream says that something happened (ms). */
const LOOK_EVERY_MS = 5_000;
/** Events that are committed so late are still found (ms). */
const OVERLAP_MS = 30_000;

export interface TailState extends Followed {
  readonly loaded: boolean;
  /** The last reading failed. */
  readonly error: Error | null;
  /** Time of the last successful read (ms since 1970); 0: none. */
  readonly workedAt: number;
  retry(): void;
}

/** Events as they happen. The key says `newest`: hints of the stream of changes have it read again. */
export function useTail(search: Search, paused: boolean): TailState {
  const api = useApi();
  const [followed, setFollowed] = useState<Followed>(NOTHING);
  const readAt = useRef('');
  readAt.current = followed.readAt;
  const query = useQuery({
    queryKey: ['messages', 'newest', 'tail', search],
    queryFn: ({ signal }) =>
      api.call<Tail>('GET', '/tail', {
        query: {
          ...toQuery(search),
          ...(readAt.current !== '' && { since: earlier(readAt.current, OVERLAP_MS) }),
        },
        signal,
      }),
    enabled: !paused,
    refetchInterval: LOOK_EVERY_MS,
    // Only followed events are kept: an old answer has a hole after it.
    gcTime: 0,
    structuralSharing: false,
  });
  const { data } = query;
  useEffect(() => {
    if (data !== undefined) setFollowed((before) => follow(before, data));
  }, [data]);
  return {
    ...followed,
    // Rows come one render after their answer: until then there is nothing to call empty.
    loaded: data !== undefined && followed.readAt !== '',
    error: query.error,
    workedAt: query.dataUpdatedAt,
    retry: () => void query.refetch(),
  };
}
