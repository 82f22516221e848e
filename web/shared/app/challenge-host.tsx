import { lazy, Suspense } from 'react';
import type { Challenges } from './challenge.ts';

const ChallengeDialog = lazy(() => import('./challenge-dialog.tsx'));

/** Where the reader is asked for what a call was refused without. */
export function ChallengeHost({ challenges }: { challenges: Challenges }) {
  const asked = challenges.useAsked();
  return (
    <Suspense>
      {asked !== null && <ChallengeDialog key={asked} asked={asked} challenges={challenges} />}
    </Suspense>
  );
}
