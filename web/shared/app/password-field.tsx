import { TextField } from '../ui/field.tsx';
import { useWords } from '../words/use-words.ts';
import { appWords } from './words.ts';

/** As the server demands (characters). */
const PASSWORD_CHARS = { min: 12, max: 256 };

export function fitsPassword(password: string): boolean {
  return password.length >= PASSWORD_CHARS.min && password.length <= PASSWORD_CHARS.max;
}

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** It was sent once: what is wrong with it is said. */
  readonly asked: boolean;
}

export function NewPasswordField({ value, onChange, asked }: NewPasswordFieldProps) {
  const words = useWords(appWords);
  return (
    <TextField
      label={words.passwordNew}
      type="password"
      name="password"
      autoComplete="new-password"
      hint={words.passwordHint}
      value={value}
      onChange={onChange}
      error={asked && !fitsPassword(value) ? words.passwordShort : null}
    />
  );
}
