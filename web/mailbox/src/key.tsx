import { type FormEvent, useId, useState } from 'react';
import { useWords } from '../../shared/words/use-words.ts';
import { Top } from './top.tsx';
import { mailboxWords } from './words.ts';

const KEPT = 'acuse.mailbox.key';
/** As the banner's link has it in its fragment. */
const KEY = /^acuse_[a-z0-9_]+$/;

/** The key of the link that was opened, which then leaves the address bar, or the one kept in this tab. */
export function readKey(): string | null {
  const given = location.hash.slice(1);
  if (KEY.test(given)) {
    history.replaceState(null, '', location.pathname);
    keepKey(given);
    return given;
  }
  return sessionStorage.getItem(KEPT);
}

export function keepKey(key: string): void {
  sessionStorage.setItem(KEPT, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEPT);
}

export function KeyForm({ refused, onKey }: { refused: boolean; onKey(key: string): void }) {
  const words = useWords(mailboxWords);
  const [key, setKey] = useState('');
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim());
  };
  return (
    <>
      <Top />
      <main className="gate">
        <h1>{words.title}</h1>
        <p className="quiet">{words.lead}</p>
        <form onSubmit={submit}>
          <label htmlFor={id}>{words.keyLabel}</label>
          <input
            id={id}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            aria-invalid={refused || undefined}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setKey(event.target.value)}
          />
          <p id={`${id}-hint`} className={refused ? 'bad' : 'quiet'}>
            {refused ? words.keyWrong : words.keyHint}
          </p>
          <button type="submit" className="primary">
            {words.open}
          </button>
        </form>
      </main>
    </>
  );
}
