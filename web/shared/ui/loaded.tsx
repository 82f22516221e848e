import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { useFormat } from '../format/format.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { PageHeading } from './heading.tsx';
import { PartContext } from './part.ts';
import classes from './states.module.css';
import { ICON_PX, Skeleton } from './states.tsx';
import { uiWords } from './words.ts';

/** There is something, but the filters hide all of it. */
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
  /** All of the page: its heading is that of the data, before the page's name, or what happened. */
  readonly whole?: boolean;
  /** Where a link leads from what does not exist. */
  readonly list?: string;
  children(data: T): ReactNode;
}

/** The data of a query, or the state that stands in its place. */
export function Loaded<T>({ query, rows, whole = false, list, children }: LoadedProps<T>) {
  const { data } = query;
  if (data === undefined) return <NotLoaded queries={[query]} rows={rows} whole={whole} list={list} />;
  return (
    <>
      <Stale queries={[query]} />
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
  if (query.data === undefined) return <NotLoaded queries={[query]} rows={rows} />;
  return (
    <>
      <Stale queries={[query]} />
      {children(query.data.pages.flatMap(({ data }) => data))}
    </>
  );
}

interface QueryState {
  readonly data: unknown;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
  refetch(): Promise<unknown>;
}

interface NotLoadedProps {
  /** Queries that the part needs. */
  readonly queries: readonly QueryState[];
  readonly rows?: number | undefined;
  readonly whole?: boolean;
  readonly list?: string | undefined;
}

/** In the place of data that have not all come, or could not be read. */
export function NotLoaded({ queries, rows, whole = false, list }: NotLoadedProps) {
  const part = useContext(PartContext);
  const failed = queries.filter(({ data, error }) => data === undefined && error !== null);
  const retry = () => {
    for (const query of failed) void query.refetch();
  };
  if (failed.length > 0)
    return <Failure error={failed[0]!.error} onRetry={retry} whole={whole} list={list} />;
  const skeleton = <Skeleton {...(rows !== undefined && { rows })} />;
  if (!whole || part === null) return skeleton;
  return (
    <>
      <PageHeading awaited title={part} />
      {skeleton}
    </>
  );
}

/** Above data: one of these could not be read again, and since when nothing newer is known. */
export function Stale({ queries }: { queries: readonly QueryState[] }) {
  const words = useWords(uiWords);
  const format = useFormat();
  if (queries.every(({ error }) => error === null)) return null;
  const since = Math.max(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return (
    <p className={classes['stale']} role="status">
      {words.staleSince(format.timeOf(since))}
    </p>
  );
}
