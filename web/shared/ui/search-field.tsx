import { useEffect, useState } from 'react';
import { TextField, type TextFieldProps } from './field.tsx';

/** Debounce of typed filters (ms). */
const PAUSE_MS = 400;

/** A text that a list is filtered by: handed on once its reader pauses. */
export function SearchField({ value, onChange, ...rest }: TextFieldProps) {
  const [typed, setTyped] = useState(value);
  // Somebody followed a link, or went back.
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what was typed that is waited for
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField type="search" inputMode="search" value={typed} onChange={setTyped} {...rest} />;
}
