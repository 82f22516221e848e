import { setMaxListeners } from 'node:events';
import type { StopSignal } from '@acuse/mail/smtp/types';

/** The part of AbortSignal that interruptible work needs. */
export interface Stop extends StopSignal {
  readonly reason: unknown;
}

/**
 * A light AbortController: Node's with a listener or two costs some 6 µs per message. Each listener is called
 * once, in order; one that throws does not stop the others.
 */
export class LightAbort implements Stop {
  aborted = false;
  reason: unknown;
  readonly #listeners: (() => void)[] = [];

  get signal(): Stop {
    return this;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // A called listener may remove a later one.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift())
      callApart(next);
  }
}

/** An exception ends the process, as with an AbortSignal. */
function callApart(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** For APIs that take only Node's own. */
export function abortSignalOf(stop: Stop): AbortSignal {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  if (stop.aborted) abort.abort(stop.reason);
  else stop.addEventListener('abort', () => abort.abort(stop.reason));
  return abort.signal;
}
