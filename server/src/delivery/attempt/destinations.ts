import type { Clock } from '../../platform/clock.ts';
import { DEFAULT_POOL, placeKey } from '../next-hop/source-pools.ts';
import type { WindowReport } from '../operate/pause-store.ts';

/**
 * How much mail may be on its way to each destination at once, and who is next. All of it is counted by source pool: what a
 * destination thinks of one is not held against another.
 *
 * A destination has a window of conversations: it opens by one with each success, halves when the destination is busy or
 * cannot be reached, and closes for a while (a pause) when it stays so. Tenants waiting for the same destination take turns.
 * A pause sends all who wait away, so that a dead destination holds no worker.
 */
export interface Destinations {
  /** Waits for a place in the destination's window. Rejects with the signal's reason when aborted. */
  enter(place: Place, tenantId: string, signal: AbortSignal): Promise<Entry>;
  /** Destinations for which this tenant has enough waiting, or that are paused for its pool: not to be claimed for it now. */
  leaveOut(tenantId: string, pool?: string): string[];
  /** Destinations that are paused for a pool, and when they open again. */
  paused(pool?: string): Map<string, Date>;
  /** Sends away who waits for a destination, or of a tenant, that an operator paused; they go back untried. */
  dismiss(isPaused: (waiter: { destination: string; tenantId: string }) => boolean): void;
  /** Destinations that take no more now, those first for which most are waiting. */
  report(): WindowReport[];
}

/** Whose window: that of a destination for one source pool. */
export interface Place {
  /** The destination's name, or what stands for it. */
  readonly key: string;
  /** The default pool unless said otherwise. */
  readonly pool?: string;
}

export type Entry =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'paused'; readonly until: Date };

/** A place in the window; given back once, by `leave`. */
export interface Turn {
  /** What the conversation told of the destination; see WindowNews. */
  leave(news: WindowNews): void;
}

/** `ok`: it talked to us, whatever it said of the message; `busy`: 421 or 4.7.x; `unreachable`: no conversation; `none`: nothing learned. */
export type WindowNews = 'ok' | 'busy' | 'unreachable' | 'none';

export interface DestinationOptions {
  readonly clock: Clock;
  /** A window of this size that never moves or pauses, for a relay or mailbox of our own; null for the adaptive one. */
  readonly fixedWindow: number | null;
  /** Called when a place came free or a pause ended: more may be claimed. */
  onRoom(): void;
}

export const WINDOW_START = 5;
export const WINDOW_MAX = 20;
/** Windowfuls that a tenant may have waiting at a destination before no more is claimed for it: a claim and its reads take as long as a few. */
const WAITING_WINDOWS = 4;
/** Bad news in a row, with the window down to one, that close it. */
const PAUSE_AFTER = 3;
export const PAUSE_MIN_MS = 5_000;
export const PAUSE_MAX_MS = 300_000;
/** Destinations remembered; the one used longest ago and idle goes first. */
const MAX_DESTINATIONS = 20_000;

interface Window {
  readonly destination: string;
  readonly pool: string;
  size: number;
  active: number;
  /** Tenant → its waiters, oldest first; the map's order is whose turn it is. */
  waiting: Map<string, Waiter[]>;
  badInARow: number;
  pauseMs: number;
  pausedUntilMs: number;
  timer: NodeJS.Timeout | undefined;
}

interface Waiter {
  admit(entry: Entry): void;
}

export function createDestinations(options: DestinationOptions): Destinations {
  const { clock, fixedWindow } = options;
  const windows = new Map<string, Window>();
  /** Where somebody waits, and what is paused: few, where windows are many. */
  const full = new Set<string>();
  const closed = new Map<string, Window>();

  function windowOf(destination: string, pool: string): [string, Window] {
    const key = placeKey(destination, pool);
    const known = windows.get(key);
    if (known !== undefined) return [key, known];
    if (windows.size >= MAX_DESTINATIONS) forgetIdle();
    const made: Window = {
      destination,
      pool,
      size: fixedWindow ?? WINDOW_START,
      active: 0,
      waiting: new Map(),
      badInARow: 0,
      pauseMs: PAUSE_MIN_MS,
      pausedUntilMs: 0,
      timer: undefined,
    };
    windows.set(key, made);
    return [key, made];
  }

  function forgetIdle(): void {
    for (const [key, window] of windows) {
      if (window.active === 0 && window.waiting.size === 0 && window.timer === undefined) {
        windows.delete(key);
        return;
      }
    }
  }

  function reopensAt(window: Window): Date {
    return new Date(clock.now().getTime() + Math.max(0, window.pausedUntilMs - clock.monotonicMs()));
  }

  function reportOn(window: Window): WindowReport {
    const waiting = [...window.waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0);
    const closedUntil = window.timer === undefined ? null : reopensAt(window);
    const { destination, pool, size: places, active: inUse } = window;
    return { destination, pool, places, inUse, waiting, closedUntil };
  }

  function pausedEntry(window: Window): Entry {
    return { kind: 'paused', until: reopensAt(window) };
  }

  function turn(key: string, window: Window): Entry {
    window.active++;
    let left = false;
    return {
      kind: 'turn',
      turn: {
        leave(news) {
          if (left) return;
          left = true;
          window.active--;
          if (fixedWindow === null) learn(key, window, news);
          admitNext(key, window);
          options.onRoom();
        },
      },
    };
  }

  function learn(key: string, window: Window, news: WindowNews): void {
    if (news === 'none') return;
    if (news === 'ok') {
      window.badInARow = 0;
      window.pauseMs = PAUSE_MIN_MS;
      window.size = Math.min(window.size + 1, WINDOW_MAX);
      return;
    }
    window.badInARow++;
    window.size = Math.max(1, window.size >> 1);
    if (window.size === 1 && window.badInARow >= PAUSE_AFTER && window.timer === undefined)
      pause(key, window);
  }

  function pause(key: string, window: Window): void {
    window.pausedUntilMs = clock.monotonicMs() + window.pauseMs;
    closed.set(key, window);
    window.timer = setTimeout(() => {
      window.timer = undefined;
      closed.delete(key);
      // One bad answer more closes it again: what comes first is a probe.
      window.badInARow = PAUSE_AFTER - 1;
      options.onRoom();
    }, window.pauseMs).unref();
    window.pauseMs = Math.min(window.pauseMs * 2, PAUSE_MAX_MS);
    const sentAway = [...window.waiting.values()].flat();
    window.waiting.clear();
    full.delete(key);
    for (const waiter of sentAway) waiter.admit(pausedEntry(window));
  }

  function admitNext(key: string, window: Window): void {
    while (window.active < window.size) {
      const next = window.waiting.entries().next();
      if (next.done === true) break;
      const [tenantId, waiters] = next.value;
      const waiter = waiters.shift()!;
      // To the back of the row, so that the next place is another tenant's.
      window.waiting.delete(tenantId);
      if (waiters.length > 0) window.waiting.set(tenantId, waiters);
      waiter.admit(turn(key, window));
    }
    if (window.waiting.size === 0) full.delete(key);
  }

  return {
    enter(place, tenantId, signal) {
      const [key, window] = windowOf(place.key, place.pool ?? DEFAULT_POOL);
      if (window.timer !== undefined) return Promise.resolve(pausedEntry(window));
      if (window.active < window.size && window.waiting.size === 0) return Promise.resolve(turn(key, window));
      full.add(key);
      return new Promise((resolve, reject) => {
        const waiters = window.waiting.get(tenantId) ?? [];
        const waiter: Waiter = {
          admit(entry) {
            signal.removeEventListener('abort', onAbort);
            resolve(entry);
          },
        };
        const onAbort = () => {
          const at = waiters.indexOf(waiter);
          if (at !== -1) waiters.splice(at, 1);
          if (waiters.length === 0 && window.waiting.get(tenantId) === waiters)
            window.waiting.delete(tenantId);
          reject(signal.reason);
        };
        waiters.push(waiter);
        window.waiting.set(tenantId, waiters);
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
      });
    },
    leaveOut(tenantId, pool = DEFAULT_POOL) {
      const out: string[] = [];
      for (const key of full) {
        const window = windows.get(key);
        if (
          window !== undefined &&
          (window.waiting.get(tenantId)?.length ?? 0) >= window.size * WAITING_WINDOWS
        )
          out.push(window.destination);
      }
      for (const window of closed.values()) if (window.pool === pool) out.push(window.destination);
      return out;
    },
    dismiss(isPaused) {
      for (const key of [...full]) {
        const window = windows.get(key)!;
        for (const [tenantId, waiters] of [...window.waiting]) {
          if (!isPaused({ destination: window.destination, tenantId })) continue;
          window.waiting.delete(tenantId);
          for (const waiter of waiters) waiter.admit({ kind: 'paused', until: clock.now() });
        }
        if (window.waiting.size === 0) full.delete(key);
      }
    },
    report() {
      return [...new Set([...full, ...closed.keys()])]
        .map((key) => reportOn(windows.get(key)!))
        .sort((a, b) => b.waiting - a.waiting);
    },
    paused(pool = DEFAULT_POOL) {
      const found = new Map<string, Date>();
      for (const window of closed.values())
        if (window.pool === pool) found.set(window.destination, reopensAt(window));
      return found;
    },
  };
}
