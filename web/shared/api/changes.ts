/** Says that something changed, and what to read again. `messages` without an id: too many to name each. */
export interface Hint {
  readonly kind: string;
  readonly id: string | null;
}

/** A browser without a stream waits this long before it tries again (ms): another tab may have it. */
const AGAIN_AFTER_MS = 30_000;

/**
 * One stream of hints for all tabs of a browser: the tab with the lock holds it, and passes each hint to the
 * others. Returns a function that ends it. A browser without locks or streams polls, as all do now and then.
 */
export function followChanges(address: string, onHint: (hint: Hint) => void): () => void {
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return () => {};
  const ended = new AbortController();
  const others = new BroadcastChannel(`acuse ${address}`);
  others.onmessage = ({ data }: MessageEvent<Hint>) => onHint(data);
  const lead = () =>
    new Promise<void>((resolve) => {
      const stream = new EventSource(address);
      const stop = () => {
        stream.close();
        resolve();
      };
      ended.signal.addEventListener('abort', stop);
      stream.onmessage = ({ data }) => {
        const hint = JSON.parse(String(data)) as Hint;
        others.postMessage(hint);
        onHint(hint);
      };
      // While the connection is only lost, the browser tries again by itself.
      stream.onerror = () => {
        if (stream.readyState === EventSource.CLOSED) setTimeout(stop, AGAIN_AFTER_MS);
      };
    });
  const takeTurns = async () => {
    while (!ended.signal.aborted)
      await navigator.locks.request(`acuse ${address}`, { signal: ended.signal }, lead);
  };
  takeTurns().catch(() => {
    // Ended while it waited for its turn.
  });
  return () => {
    ended.abort();
    others.close();
  };
}
