import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { folded } from '../format/folded.ts';
import { useGo } from '../routing/link.tsx';
import type { Icon } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import fieldClasses from '../ui/field.module.css';
import { Foreign } from '../ui/foreign.tsx';
import { Hidden } from '../ui/hidden.tsx';
import { useWords } from '../words/use-words.ts';
import type { Findings, NavItem } from './nav.ts';
import classes from './search-dialog.module.css';
import { shellWords } from './shell-words.ts';

/** Debounce of the search (ms). */
const PAUSE_MS = 200;
/** Shorter texts are of pages alone (characters). */
const FIND_FROM_CHARS = 3;

interface Props {
  readonly pages: readonly NavItem[];
  find(text: string, signal: AbortSignal): Promise<Findings>;
  readonly onClose: () => void;
}

interface Result {
  readonly to: string;
  readonly label: string;
  readonly kind: string;
  readonly icon: Icon;
}

/** Search over pages and the data. APG pattern: combobox with a list. */
export default function SearchDialog({ pages, find, onClose }: Props) {
  const words = useWords(shellWords);
  const go = useGo();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { found, note, looked } = useFindings(text.trim(), find);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const wanted = folded(text.trim());
  const matching = pages.filter(({ label }) => folded(label).includes(wanted));
  const results: Result[] = [
    ...found.map(({ to, label, kind }) => ({ to, label, kind, icon: Search })),
    ...matching.map(({ to, label, icon }) => ({ to, label, kind: words.pages, icon })),
  ];
  const open = (result: Result | undefined) => {
    if (result === undefined) return;
    onClose();
    go(result.to);
  };
  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') open(results[at]);
    else if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, results.length));
    else if (event.key === 'ArrowUp') setAt((at - 1 + results.length) % Math.max(1, results.length));
    else return;
    event.preventDefault();
  }
  return (
    <Dialog title={words.search} onClose={onClose}>
      <input
        ref={input}
        className={fieldClasses['input']}
        role="combobox"
        aria-label={words.search}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={results.length > 0 ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        placeholder={words.searchHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <Hidden>
        <span role="status">{words.searchResults(results.length)}</span>
      </Hidden>
      <div id={id} className={classes['results']} role="listbox" aria-label={words.search}>
        {results.map((result, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field, which owns the list
          <div
            key={`${result.kind} ${result.to}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={classes['result']}
            onPointerMove={() => setAt(index)}
            onClick={() => open(result)}
          >
            <result.icon size={16} aria-hidden="true" />
            <span>
              <Foreign text={result.label} />
            </span>
            <small>{result.kind}</small>
          </div>
        ))}
      </div>
      {looked && (note !== null || results.length === 0) && (
        <p className={classes['none']} role="status">
          {note ?? words.noResult}
        </p>
      )}
    </Dialog>
  );
}

const NOTHING = { found: [], note: null, looked: true } as const;

function useFindings(text: string, find: Props['find']) {
  const [state, setState] = useState<Findings & { readonly looked: boolean }>(NOTHING);
  useEffect(() => {
    if (text.length < FIND_FROM_CHARS) return setState(NOTHING);
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      find(text, stopped.signal).then(
        (findings) => setState({ ...findings, looked: true }),
        () => {
          if (!stopped.signal.aborted) setState(NOTHING);
        },
      );
    }, PAUSE_MS);
    setState((known) => ({ ...known, looked: false }));
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [text, find]);
  return state;
}
