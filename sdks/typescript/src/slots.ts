/** How many requests a client has under way at once; further ones wait their turn. */

export interface Slots {
  /** Answers what gives the place back. Rejects with the signal's reason when it aborts first. */
  take(signal?: AbortSignal): Promise<() => void>;
}

export function createSlots(max: number): Slots {
  let taken = 0;
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (next === undefined) taken--;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    take(signal) {
      if (taken < max) {
        taken++;
        return Promise.resolve(release);
      }
      return new Promise((resolve, reject) => {
        const stop = () => {
          waiting.delete(go);
          reject(signal?.reason);
        };
        const go = () => {
          signal?.removeEventListener('abort', stop);
          resolve(release);
        };
        waiting.add(go);
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
  };
}
