import { useLayoutEffect, useRef } from 'react';
import { usePreferences } from './preferences.tsx';

/** Keys that work on every page. Single ones do nothing in a field, and can be switched off. */
export interface KeyActions {
  readonly search: () => void;
  readonly help: () => void;
  /** After `g`, however much later: letter → where to. */
  readonly goTo: Readonly<Record<string, () => void>>;
}

export function useKeys(actions: KeyActions): void {
  const { singleKeys } = usePreferences();
  const current = useRef(actions);
  current.current = actions;
  // What is seen can be used: an effect after the paint came too late for a key pressed at once.
  useLayoutEffect(() => {
    let afterG = false;
    function onKey(event: KeyboardEvent): void {
      const { search, help, goTo } = current.current;
      const go = afterG ? goTo[event.key] : undefined;
      afterG = false;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        search();
        return;
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!singleKeys || !isPlain || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      afterG = event.key === 'g';
      if (go !== undefined) go();
      else if (event.key === '/') search();
      else if (event.key === '?') help();
      else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
      else return;
      event.preventDefault();
    }
    const onPointer = () => {
      afterG = false;
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPointer);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPointer);
    };
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
