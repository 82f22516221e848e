import { useEffect, useRef } from 'react';
import { usePreferences } from '../../shared/app/preferences.tsx';

export interface KeyActions {
  next(): void;
  previous(): void;
  search(): void;
  close(): void;
}

const ACTIONS: Readonly<Record<string, keyof KeyActions>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  '/': 'search',
  Escape: 'close',
};

/** Single keys, but where somebody types or has switched them off. WCAG 2.1.4 */
export function useKeys(actions: KeyActions): void {
  const { singleKeys } = usePreferences();
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!singleKeys) return;
    const pressed = (event: KeyboardEvent) => {
      const action = ACTIONS[event.key];
      const target = event.target as Element;
      if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.matches('input, textarea, select, pre, [role=tab]') || target.closest('dialog') !== null)
        return;
      event.preventDefault();
      latest.current[action]();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [singleKeys]);
}
