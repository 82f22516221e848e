import { ArrowRight } from 'lucide-react';
import { useWords } from '../words/use-words.ts';
import classes from './differences.module.css';
import { differencesWords } from './differences-words.ts';
import { Hidden } from './hidden.tsx';

export interface Difference {
  readonly name: string;
  /** Null: there was nothing. */
  readonly before: string | null;
  /** Null: there is nothing. */
  readonly after: string | null;
}

/** A change as before → after, a line a field. */
export function Differences({ label, differences }: { label: string; differences: readonly Difference[] }) {
  const words = useWords(differencesWords);
  return (
    <dl className={classes['differences']} aria-label={label}>
      {differences.map(({ name, before, after }) => (
        <div key={name} className={classes['difference']}>
          <dt>{name}</dt>
          <dd>
            {before !== null && (
              <>
                <Hidden>{words.before}</Hidden>
                <del>{before}</del> <ArrowRight size={12} aria-hidden="true" />{' '}
              </>
            )}
            {after !== null && <Hidden>{words.after}</Hidden>}
            <ins>{after ?? '–'}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
