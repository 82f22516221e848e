import { Inbox } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Hidden } from './hidden.tsx';
import { PartContext } from './part.ts';
import classes from './states.module.css';
import { uiWords } from './words.ts';

/** Loading and empty states; failed: failure.tsx; stale: loaded.tsx. */

const WIDTHS = ['60%', '45%', '70%', '52%', '64%'];
/** Size of the icon above the text. */
export const ICON_PX = 28;

/** A part that is awaited longer is named, and said to be slow (ms). */
const SLOW_MS = 3_000;

/** As high as the data; appears after 200 ms, and says after 3 s what is slow to come. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const words = useWords(uiWords);
  const part = useContext(PartContext);
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={`${classes['skeleton']} ${classes['late']}`} role="status">
      {isSlow ? (
        <p className={classes['slow']}>
          {part !== null && <b>{part}: </b>}
          {words.slow}
        </p>
      ) : (
        <Hidden>{words.loading}</Hidden>
      )}
      {Array.from({ length: isSlow ? rows - 1 : rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are the same
        <div key={index} className={classes['row']}>
          <div className={classes['bar']} style={{ width: WIDTHS[index % WIDTHS.length] }} />
        </div>
      ))}
    </div>
  );
}

export interface EmptyProps {
  readonly title: ReactNode;
  /** Why there is nothing. */
  readonly children?: ReactNode;
  /** The one next step. */
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={classes['panel']}>
      <Inbox size={ICON_PX} className={classes['icon']} aria-hidden="true" />
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}
