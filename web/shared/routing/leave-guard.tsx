import { useBlocker } from '@tanstack/react-router';

/** Asks before somebody leaves a form that has unsaved changes at that moment. */
export function useLeaveGuard(isUnsaved: () => boolean) {
  const { status, proceed, reset } = useBlocker({
    // Tabs and filters of the same page lose nothing.
    shouldBlockFn: ({ current, next }) => isUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return { asks: status === 'blocked', leave: () => proceed?.(), stay: () => reset?.() };
}
