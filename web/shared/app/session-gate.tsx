import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/error.ts';
import { useGo } from '../routing/link.tsx';
import { searchText } from '../routing/search.ts';
import { Failure } from '../ui/failure.tsx';
import { Skeleton } from '../ui/states.tsx';
import { OpenPage } from './open-frame.tsx';
import { type Session, useSession } from './session.ts';

const SIGN_IN = '/sign-in';

/** Lets through those who are signed in; others sign in first, and come back to where they wanted to go. */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data, error, refetch } = useSession();
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
  if (error !== null && !isOut)
    return (
      <OpenPage name="Acuse">
        <Failure whole error={error} onRetry={() => void refetch()} />
      </OpenPage>
    );
  return <Skeleton rows={8} />;
}
