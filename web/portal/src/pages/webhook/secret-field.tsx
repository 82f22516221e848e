import { useEffect, useState } from 'react';
import { TextField } from '../../../../shared/ui/field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { isSecret, type Signatures, signaturesOf } from './signature.ts';
import { detailWords } from './words.ts';

const SECRET_BEGIN = 'whsec_…';

/** Where a signing secret is pasted; it is kept nowhere. */
export function SecretField({
  value,
  onChange,
  hint,
}: {
  value: string;
  onChange: (secret: string) => void;
  hint: string;
}) {
  const words = useWords(detailWords);
  return (
    <TextField
      label={words.secret}
      hint={hint}
      mono
      autoComplete="off"
      placeholder={SECRET_BEGIN}
      value={value}
      onChange={(text) => onChange(text.trim())}
      error={value !== '' && !isSecret(value) ? words.notSecret : null}
    />
  );
}

/** The signatures that this secret makes of what was sent; null until there is a secret. */
export function useSignatures(
  secret: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Signatures | null {
  const [made, setMade] = useState<Signatures | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setMade(null);
    signaturesOf(secret, { body, headers }).then(
      (signatures) => isCurrent && setMade(signatures),
      // A browser without the function: the field shows nothing more.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [secret, body, headers]);
  return made;
}
