import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormat } from '../format/format.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import classes from './states.module.css';
import { ICON_PX, Skeleton } from './states.tsx';
import { uiWords } from './words.ts';

/** There is something, but nothing that the filters let through. */
export function NothingMatches({ onClear }: { onClear: () => void }) {
  const words = useWords(uiWords);
  return (
    <div className={classes['panel']}>
      <SearchX size={ICON_PX} className={classes['icon']} aria-hidden="true" />
      <h2>{words.nothingMatches}</h2>
      <Button onClick={onClear}>{words.clearFilters}</Button>
    </div>
  );
}

export interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** Rows of the skeleton. */
  readonly rows?: number;
  /** All of the page: when it fails, what happened is the page's heading. */
  readonly whole?: boolean;
  children(data: T): ReactNode;
}

/** The data of a query, or the state that stands in its place. */
export function Loaded<T>({ query, rows, whole = false, children }: LoadedProps<T>) {
  const { data } = query;
  if (data === undefined) return <NotLoaded query={query} rows={rows} whole={whole} />;
  return (
    <>
      <Stale query={query} />
      {children(data)}
    </>
  );
}

export interface LoadedPagesProps<T> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly T[] }>>;
  readonly rows?: number;
  children(rows: readonly T[]): ReactNode;
}

/** The same of a list that is read page after page. */
export function LoadedPages<T>({ query, rows, children }: LoadedPagesProps<T>) {
  if (query.data === undefined) return <NotLoaded query={query} rows={rows} />;
  return (
    <>
      <Stale query={query} />
      {children(query.data.pages.flatMap(({ data }) => data))}
    </>
  );
}

interface QueryState {
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
  refetch(): Promise<unknown>;
}

interface NotLoadedProps {
  readonly query: QueryState;
  readonly rows: number | undefined;
  readonly whole?: boolean;
}

function NotLoaded({ query, rows, whole = false }: NotLoadedProps) {
  if (query.error !== null)
    return <Failure error={query.error} onRetry={() => void query.refetch()} whole={whole} />;
  return <Skeleton {...(rows !== undefined && { rows })} />;
}

function Stale({ query: { error, dataUpdatedAt } }: { query: QueryState }) {
  const words = useWords(uiWords);
  const format = useFormat();
  if (error === null) return null;
  return (
    <p className={classes['stale']} role="status">
      {words.staleSince(format.timeOf(dataUpdatedAt))}
    </p>
  );
}
