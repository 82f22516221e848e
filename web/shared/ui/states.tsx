import { CloudOff, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { asProblem } from '../api/error.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { Hidden } from './hidden.tsx';
import classes from './states.module.css';
import { uiWords } from './words.ts';

/** The states that every screen has besides its data: loading, empty, failed; stale: loaded.tsx. */

const WIDTHS = ['60%', '45%', '70%', '52%', '64%'];
/** Of the icon above the text. */
export const ICON_PX = 28;

/** Of the height that the data will have, so that nothing jumps; shown after 200 ms. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const words = useWords(uiWords);
  return (
    <div className={`${classes['skeleton']} ${classes['late']}`} role="status">
      <Hidden>{words.loading}</Hidden>
      {Array.from({ length: rows }, (_, index) => (
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

/** An error: what happened in the reader's language, the server's own words, and the request to ask about. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const words = useWords(uiWords);
  const problem = asProblem(error);
  return (
    <div className={classes['panel']} role="alert">
      <CloudOff size={ICON_PX} className={classes['failed']} aria-hidden="true" />
      <h2>{problemText(words.errors, problem.code)}</h2>
      {problem.message !== '' && (
        <p>
          {words.serverSaid}: <q lang="en">{problem.message}</q>
        </p>
      )}
      {problem.requestId !== null && (
        <div className={classes['facts']}>
          {words.requestId} <code>{problem.requestId}</code> · <code>{problem.code}</code>
        </div>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>{words.retry}</Button>}
    </div>
  );
}

export function problemText(errors: Readonly<Record<string, string>>, code: string): string {
  return errors[code] ?? errors['other'] ?? code;
}

/** The code of a refusal in the reader's language, for a form that shows it next to its button. */
export function useProblemText(): (error: unknown) => string {
  const words = useWords(uiWords);
  return (error) => problemText(words.errors, asProblem(error).code);
}
