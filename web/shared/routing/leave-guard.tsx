import { useBlocker } from '@tanstack/react-router';

/** Asks before somebody leaves a form that holds what was not saved. */
export function useLeaveGuard(unsaved: boolean) {
  const { status, proceed, reset } = useBlocker({
    // Tabs and filters of the same page lose nothing.
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return { asks: status === 'blocked', leave: () => proceed?.(), stay: () => reset?.() };
}
