import { setMaxListeners } from 'node:events';
import { limitedSignal } from '../../platform/limited-signal.ts';
/** The limits of an attack; it stops by itself. */
export interface Limits {
  readonly seconds: number;
  readonly sockets: number;
  readonly bytes: number;
}

export const LIMITS_MAX: Limits = { seconds: 120, sockets: 10_000, bytes: 1024 * 1024 * 1024 };
export const LIMITS_DEFAULT: Limits = { seconds: 10, sockets: 2_000, bytes: 256 * 1024 * 1024 };

export interface Budget {
  readonly limits: Limits;
  /** Aborted when the time of this door is over, or everything is to stop. */
  readonly signal: AbortSignal;
  /** Bytes that may still be sent, up to `wanted`. */
  takeBytes(wanted: number): number;
}

export function createBudget(limits: Limits, stop: AbortSignal): (ms: number) => Budget {
  let left = limits.bytes;
  return (ms) => {
    const signal = limitedSignal(ms, stop);
    // Each attacker waits for it.
    setMaxListeners(0, signal);
    return {
      limits,
      signal,
      takeBytes(wanted) {
        const taken = Math.min(wanted, left);
        left -= taken;
        return taken;
      },
    };
  };
}
