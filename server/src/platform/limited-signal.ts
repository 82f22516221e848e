/**
 * Aborts after `ms`, or with any of `others`. Replaces AbortSignal.any, which in Node 20 does not hold its
 * sources: a timeout without another holder is collected with its timer, and the limited work never ends.
 */
export function limitedSignal(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // Until it aborts, a signal with a listener is not collected.
  timeout.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([timeout, ...others]);
}
