import type { UseQueryResult } from '@tanstack/react-query';
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
  children(data: T): ReactNode;
}

/** The data of a query, or the state that stands in its place. */
export function Loaded<T>({ query, rows, children }: LoadedProps<T>) {
  const words = useWords(uiWords);
  const format = useFormat();
  const { data, error, dataUpdatedAt } = query;
  if (data === undefined) {
    if (error !== null) return <Failure error={error} onRetry={() => void query.refetch()} />;
    return <Skeleton {...(rows !== undefined && { rows })} />;
  }
  return (
    <>
      {error !== null && (
        <p className={classes['stale']} role="status">
          {words.staleSince(format.timeOf(dataUpdatedAt))}
        </p>
      )}
      {children(data)}
    </>
  );
}
