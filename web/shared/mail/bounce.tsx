import { lazy, Suspense } from 'react';
import type { Bounce } from '../api/portal-types.ts';

const Advice = lazy(() => import('./bounce-advice.tsx'));

/** Why it bounced and what to do; nothing where a server or an older message says no reason. */
export function BounceAdvice({
  bounce,
  className,
}: {
  bounce: Bounce | null | undefined;
  className?: string | undefined;
}) {
  const reason = bounce?.reason ?? null;
  if (bounce === null || bounce === undefined || reason === null) return null;
  return (
    <Suspense>
      <Advice bounce={bounce} reason={reason} className={className} />
    </Suspense>
  );
}
