import { useId } from 'react';
import type { Choice } from './field.tsx';
import classes from './segments.module.css';

export interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (Choice<T> & {
    /** Something in it is wrong: said in words, and marked. */
    readonly problem?: string | undefined;
  })[];
  readonly onChange: (value: T) => void;
}

/** One of a few views, next to each other: radio buttons, moved through with the arrow keys. */
export function Segments<T extends string>({ label, value, choices, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset className={classes['segments']}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} title={choice.problem}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.label}</span>
          {choice.problem !== undefined && (
            <span className={classes['problem']} role="img" aria-label={choice.problem} />
          )}
        </label>
      ))}
    </fieldset>
  );
}
