import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pager } from '../../../shared/ui/layout.tsx';
import { Loaded } from '../../../shared/ui/loaded.tsx';

/** A page of a list, as the API answers it. */
export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

export interface ListedProps<Row> {
  readonly list: UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;
  /** Rows of the skeleton. */
  readonly rows?: number;
  readonly empty: ReactNode;
  /** Next to the button that asks for more. */
  readonly foot?: (rows: readonly Row[]) => ReactNode;
  children(rows: readonly Row[]): ReactNode;
}

/** A list that is read page by page, in all its states. */
export function Listed<Row>({ list, rows = 6, empty, foot, children }: ListedProps<Row>) {
  return (
    <Loaded query={list as unknown as UseQueryResult<InfiniteData<ListPage<Row>>>} rows={rows}>
      {({ pages }) => {
        const shown = pages.flatMap(({ data }) => data);
        if (shown.length === 0) return empty;
        return (
          <>
            {children(shown)}
            {(foot !== undefined || list.hasNextPage) && (
              <Pager
                onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
                busy={list.isFetchingNextPage}
              >
                {foot?.(shown)}
              </Pager>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
