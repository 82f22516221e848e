import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, NO_ANSWER_YET } from '../api/error.ts';
import { useGo } from '../routing/link.tsx';
import { searchText } from '../routing/search.ts';
import { Failure } from '../ui/failure.tsx';
import { Skeleton } from '../ui/states.tsx';
import { OpenPage } from './open-frame.tsx';
import { SESSION_KEY, type Session, useSession } from './session.ts';

const SIGN_IN = '/sign-in';
/** Without an answer for this long the page says so (ms): before, a frame would only flash. */
const SLOW_MS = 1_500;

/** Lets through those who are signed in; others sign in first, and come back to where they wanted to go. */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data, error } = useSession();
  const queryClient = useQueryClient();
  const location = useLocation();
  const go = useGo();
  const isOut = data === undefined && error instanceof ApiError && error.status === 401;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it turns out that there is none
  useEffect(() => {
    // Signing in is on its way already.
    if (!isOut || location.pathname === SIGN_IN) return;
    // Refused queries are asked again.
    queryClient.clear();
    const next = location.pathname + searchText(location.search as Record<string, string>);
    go(`${SIGN_IN}${searchText(next === '/' ? {} : { next })}`, { replace: true });
  }, [isOut]);
  if (data !== undefined) return children(data);
  // A read that is under way is given up: another may be answered.
  const retry = () => void queryClient.resetQueries({ queryKey: SESSION_KEY });
  return <Unanswered error={isOut ? null : error} onRetry={retry} />;
}

/** One page from the first failure until there is an answer, so that its button keeps the focus. */
function Unanswered({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  if (error === null && !isSlow) return <Skeleton rows={8} />;
  return (
    <OpenPage name="Acuse">
      <Failure whole error={error ?? NO_ANSWER_YET} onRetry={onRetry} />
    </OpenPage>
  );
}
