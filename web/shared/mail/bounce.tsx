import { lazy, Suspense } from 'react';
import type { Bounce, Deferral } from '../api/portal-types.ts';

const Advice = lazy(() => import('./bounce-advice.tsx'));

interface Props {
  readonly bounce?: Bounce | null | undefined;
  readonly deferral?: Deferral | null | undefined;
  readonly className?: string | undefined;
}

/**
 * Why it bounced, or waits, and what to do; nothing where a server or an older message says no reason.
 */
export function BounceAdvice({ bounce = null, deferral = null, className }: Props) {
  const said = bounce ?? deferral;
  if (said === null || said.reason === null) return null;
  return (
    <Suspense>
      <Advice source={said.source} reason={said.reason} waits={bounce === null} className={className} />
    </Suspense>
  );
}
