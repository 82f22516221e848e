import { CircleAlert } from 'lucide-react';
import { type HTMLInputTypeAttribute, type ReactNode, type Ref, useId } from 'react';
import classes from './field.module.css';

/** A labelled input. An error is tied to it, and announced when the form is sent. */
interface FieldFacts {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Why what it holds does not do. */
  readonly error?: string | null | undefined;
}

interface FrameProps extends FieldFacts {
  children(ids: { id: string; describedBy: string | undefined; invalid: true | undefined }): ReactNode;
}

function FieldFrame({ label, hint, error, children }: FrameProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const failed = error !== undefined && error !== null;
  const described = [hint === undefined ? '' : hintId, failed ? errorId : ''].filter(Boolean).join(' ');
  return (
    <div className={classes['field']}>
      <label className={classes['label']} htmlFor={id}>
        {label}
      </label>
      {children({ id, describedBy: described || undefined, invalid: failed || undefined })}
      {hint !== undefined && (
        <span id={hintId} className={classes['hint']}>
          {hint}
        </span>
      )}
      {failed && (
        <span id={errorId} className={classes['error']} role="alert">
          <CircleAlert size={16} aria-hidden="true" />
          {error}
        </span>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldFacts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: HTMLInputTypeAttribute;
  readonly name?: string;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly inputMode?: 'text' | 'numeric' | 'email' | 'url' | 'search';
  readonly required?: boolean;
  readonly mono?: boolean;
  readonly readOnly?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, hint, error, value, onChange, mono, type, ...rest }: TextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          type={type ?? 'text'}
          className={`${classes['input']} ${mono === true ? classes['mono'] : ''}`}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        />
      )}
    </FieldFrame>
  );
}

export interface TextAreaProps extends FieldFacts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly mono?: boolean;
  readonly required?: boolean;
}

export function TextArea({ label, hint, error, value, onChange, mono, ...rest }: TextAreaProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <textarea
          id={id}
          className={`${classes['input']} ${mono === true ? classes['mono'] : ''}`}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        />
      )}
    </FieldFrame>
  );
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

export interface SelectFieldProps<T extends string> extends FieldFacts {
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly onChange: (value: T) => void;
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  return (
    <FieldFrame label={props.label} hint={props.hint} error={props.error}>
      {({ id, describedBy, invalid }) => (
        <select
          id={id}
          className={`${classes['input']} ${classes['select']}`}
          value={props.value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onChange={(event) => props.onChange(event.target.value as T)}
        >
          {props.choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

export interface CheckFieldProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckField({ label, checked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div className={classes['check']}>
      <input id={id} type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
