/**
 * Aborts after `ms`, or with any of `others`. As AbortSignal.any, which in Node 20 does not hold its sources:
 * a timeout that nobody else holds is collected with its timer, and what it limits never ends.
 */
export function limitedSignal(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // Until it aborts, a signal with a listener is not collected.
  timeout.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([timeout, ...others]);
}
