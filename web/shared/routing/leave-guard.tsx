import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';

interface Way {
  readonly currentLocation: { readonly pathname: string };
  readonly nextLocation: { readonly pathname: string };
}

interface Question {
  answer(stays: boolean): void;
}

/** Asks before somebody leaves a form that has unsaved changes at that moment. */
export function useLeaveGuard(isUnsaved: () => boolean) {
  const { history } = useRouter();
  const latest = useRef(isUnsaved);
  latest.current = isUnsaved;
  const [question, ask] = useState<Question | null>(null);
  // Before it is seen: an effect after the paint came too late for who types and leaves at once.
  useLayoutEffect(
    () =>
      history.block({
        enableBeforeUnload: () => latest.current(),
        async blockerFn({ currentLocation, nextLocation }: Way) {
          // Tabs and filters of the same page lose nothing.
          if (!latest.current() || currentLocation.pathname === nextLocation.pathname) return false;
          const stays = await new Promise<boolean>((answer) => ask({ answer }));
          ask(null);
          return stays;
        },
      }),
    [history],
  );
  return {
    asks: question !== null,
    leave: () => question?.answer(false),
    stay: () => question?.answer(true),
  };
}
