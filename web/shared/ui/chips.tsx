import { X } from 'lucide-react';
import { useWords } from '../words/use-words.ts';
import classes from './chips.module.css';
import { Foreign } from './foreign.tsx';
import { listWords } from './list-words.ts';

export interface Chip {
  readonly id: string;
  /** The filter's name. */
  readonly name: string;
  readonly value: string;
  /** Its control stands above the list and shows it, but on a phone. */
  readonly inBar?: boolean;
  readonly onRemove: () => void;
}

/** The filters of a list; a press takes one away. */
export function Chips({ chips }: { chips: readonly Chip[] }) {
  const words = useWords(listWords);
  if (chips.length === 0) return null;
  return (
    <ul className={classes['chips']} aria-label={words.chosen}>
      {chips.map(({ id, name, value, onRemove }) => (
        <li key={id}>
          <button type="button" className={classes['chip']} onClick={onRemove}>
            <span className={classes['name']}>{name}</span>
            <span className={classes['value']}>
              <Foreign text={value} />
            </span>
            <X size={14} role="img" aria-label={words.remove} />
          </button>
        </li>
      ))}
    </ul>
  );
}
