import { useBlocker } from '@tanstack/react-router';

/** Asks before somebody leaves a form that holds what was not saved. */
export function useLeaveGuard(unsaved: boolean) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => unsaved,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return { asks: status === 'blocked', leave: () => proceed?.(), stay: () => reset?.() };
}
