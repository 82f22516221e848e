import { useEffect, useRef } from 'react';
import { usePreferences } from './preferences.tsx';

/** Keys that work on every page. Single ones do nothing in a field, and can be switched off. */
export interface KeyActions {
  readonly search: () => void;
  readonly help: () => void;
  /** After `g`: letter → where to. */
  readonly goTo: Readonly<Record<string, () => void>>;
}

/** The second key follows within this time (ms). */
const SEQUENCE_MS = 1_200;

export function useKeys(actions: KeyActions): void {
  const { singleKeys } = usePreferences();
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    let gPressedAt = Number.NEGATIVE_INFINITY;
    function onKey(event: KeyboardEvent): void {
      const { search, help, goTo } = current.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        search();
        return;
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!singleKeys || !isPlain || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const afterG = event.timeStamp - gPressedAt < SEQUENCE_MS ? goTo[event.key] : undefined;
      gPressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (afterG !== undefined) afterG();
      else if (event.key === '/') search();
      else if (event.key === '?') help();
      else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
      else return;
      event.preventDefault();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [singleKeys]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null
  );
}

/** Rows of a table are walked by the link in each; Enter opens it, as it does any link. */
function moveRow(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tr[data-row] > :first-child a')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
}
