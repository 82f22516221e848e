import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { elapsedMs, nowIso } from '../format/clock.ts';
import { Button } from '../ui/button.tsx';
import { useWords } from '../words/use-words.ts';
import { SESSION_KEY, useSession } from './session.ts';
import classes from './shell.module.css';
import { shellWords } from './shell-words.ts';

/** Announced this long before the end (ms). WCAG 2.2.1 */
const BEFORE_MS = 120_000;
/** Longer timers overflow; by then the session was read again (ms). */
const TIMER_MAX_MS = 2_147_000_000;

/** Says that the session is about to end, with the button that keeps it. */
export function SessionEnding() {
  const words = useWords(shellWords);
  const queryClient = useQueryClient();
  const { data } = useSession();
  const [ending, setEnding] = useState(false);
  const end = data?.expires_at;
  useEffect(() => {
    setEnding(false);
    if (end === undefined) return undefined;
    const left = elapsedMs(nowIso(), end) - BEFORE_MS;
    const timer = setTimeout(() => setEnding(true), Math.max(0, Math.min(left, TIMER_MAX_MS)));
    return () => clearTimeout(timer);
  }, [end]);
  return (
    <div role="status" aria-live="polite">
      {ending && (
        <div className={classes['ending']}>
          {words.endsSoon}
          <Button onClick={() => void queryClient.invalidateQueries({ queryKey: SESSION_KEY })}>
            {words.stay}
          </Button>
        </div>
      )}
    </div>
  );
}
