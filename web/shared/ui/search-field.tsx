import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TextField, type TextFieldProps } from './field.tsx';

/** Debounce of typed filters (ms). */
const PAUSE_MS = 400;

/** A text that a list is filtered by: handed on once its reader pauses. */
export function SearchField({ value, onChange, ...rest }: TextFieldProps) {
  const [typed, setTyped] = useState(value);
  /** What was handed on last: it comes back as `value`, however much later, and is nothing new. */
  const handed = useRef(value);
  // Somebody followed a link, or went back. Not after the paint, when more may have been typed.
  useLayoutEffect(() => {
    if (value === handed.current) return;
    handed.current = value;
    setTyped(value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what was typed that is waited for
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => {
      handed.current = typed;
      onChange(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField type="search" inputMode="search" value={typed} onChange={setTyped} {...rest} />;
}
