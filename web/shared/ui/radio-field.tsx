import { useId } from 'react';
import classes from './radio-field.module.css';

export interface RadioChoice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint: string;
}

interface RadioFieldProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly RadioChoice<T>[];
  readonly onChange: (value: T) => void;
}

/** One of a few, each with what it means. */
export function RadioField<T extends string>({ label, value, choices, onChange }: RadioFieldProps<T>) {
  const id = useId();
  return (
    <fieldset className={classes['group']}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes['choice']}>
          <input
            type="radio"
            name={id}
            value={choice.value}
            checked={choice.value === value}
            aria-labelledby={`${id}-${choice.value}`}
            aria-describedby={`${id}-${choice.value}-hint`}
            onChange={() => onChange(choice.value)}
          />
          <span>
            <span id={`${id}-${choice.value}`} className={classes['label']}>
              {choice.label}
            </span>
            <span id={`${id}-${choice.value}-hint`} className={classes['hint']}>
              {choice.hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
