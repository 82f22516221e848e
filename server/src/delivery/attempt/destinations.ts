import type { OutgoingMessage } from '@acuse/mail/smtp/commands';
import { DEFAULT_POOL } from '../../config/config-values.ts';
import type { Clock } from '../../platform/clock.ts';
import { Counts } from '../../platform/counts.ts';
import type { Stop } from '../../platform/light-abort.ts';
import type { Limits } from '../next-hop/receivers.ts';
import { placeKey } from '../next-hop/source-pools.ts';
import type { WindowReport } from '../operate/pause-store.ts';
import type { Chance } from './pipelining.ts';

/**
 * Limits concurrent mail per destination and source pool, and decides who is next.
 *
 * A destination has a window of conversations: it grows by one with each success, halves when the destination
 * is busy or unreachable, and closes for a while (a pause) if that continues. Waiting tenants take turns. A
 * pause sends all waiting messages back, so that a dead destination holds no worker.
 */
export interface Destinations {
  /** Waits for a place. Rejects with the signal's reason. */
  enter(place: Place, tenantId: string, signal: Stop, inLine?: InLine): Promise<Entry>;
  /** Destinations not to claim for the tenant now: it has enough waiting there, or they are paused. */
  leaveOut(tenantId: string, pools?: readonly string[]): string[];
  takesNoMore(place: Place, tenantId: string): boolean;
  /** Destinations that are paused for all of these, and when the first reopens. */
  paused(pools?: readonly string[]): Map<string, Date>;
  /** Returns waiting messages untried when an operator paused their destination or tenant. */
  dismiss(isPaused: (waiter: { destination: string; tenantId: string }) => boolean): void;
  report(): WindowReport[];
}

export interface Place {
  /** The destination's name, or its representative. */
  readonly key: string;
  readonly pool?: string;
}

export type Entry =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'paused'; readonly until: Date };

export interface InLine {
  /** Called if it must wait: time to prepare. */
  waits(): void;
  /** The message to pipeline behind another; null: not now. */
  beginBehind(chance: Chance): OutgoingMessage | null;
}

/** A place in the window; `leave` returns it once. */
export interface Turn {
  /** Offers the place to the next waiter before it is left. Null: nobody. */
  passOn(chance: Chance): OutgoingMessage | null;
  leave(news: WindowNews): void;
}

/** `ok`: it talked to us; `busy`: 421 or 4.7.x; `unreachable`: no conversation; `none`: nothing learned. */
export type WindowNews = 'ok' | 'busy' | 'unreachable' | 'none';

interface DestinationOptions {
  readonly clock: Clock;
  /** Fixed size for our own relay or mailbox; null: adaptive. */
  readonly fixedWindow: number | null;
  /** Noted of a destination; heeded unless the window is fixed. */
  limitsOf?(destination: string): Limits;
  /** A place came free or a pause ended. */
  onRoom(): void;
}

const ONLY_DEFAULT = [DEFAULT_POOL];
export const WINDOW_START = 5;
export const WINDOW_MAX = 20;
/** Windowfuls that a tenant may have waiting per destination: a claim and its reads take about as long. */
const WAITING_WINDOWS = 4;
/** Consecutive failures at window size 1 that close it. */
const PAUSE_AFTER = 3;
export const PAUSE_MIN_MS = 5_000;
export const PAUSE_MAX_MS = 300_000;
/** The burst of a destination with a rate (ms of its rate); then its window closes for as long. */
const RATE_BURST_MS = 10_000;
/** Beyond it, the longest idle one is forgotten. */
const MAX_DESTINATIONS = 20_000;

/*
 * A window is in one of four states. Only `turn`, `learn`, `pause` and `admitNext` move it on, and `enter`
 * into `full`.
 *
 * | state  | known by                     | who comes                  | what moves it on                        |
 * |--------|------------------------------|----------------------------|-----------------------------------------|
 * | open   | nobody waits                 | has a turn while there are | nobody has a place: full; PAUSE_AFTER   |
 * |        |                              | places                     | bad news in a row, at size 1: closed    |
 * | full   | in `full`: somebody waits    | waits                      | turns that end, until nobody waits: open |
 * | closed | in `closed`, `timer` runs    | is sent away, as who waits | the timer: probe, or open where the     |
 * |        |                              |                            | rate closed it                          |
 * | probe  | badInARow is PAUSE_AFTER - 1 | as open, with one place    | ok: open, larger; bad news: closed,     |
 * |        |                              |                            | twice as long                           |
 */
interface Window {
  readonly key: string;
  readonly destination: string;
  readonly pool: string;
  size: number;
  active: number;
  /** Tenant → waiters, oldest first; map order is turn order. */
  waiting: Map<string, Waiter[]>;
  badInARow: number;
  pauseMs: number;
  pausedUntilMs: number;
  /** Up to when its rate is used. */
  ratedUntilMs: number;
  timer: NodeJS.Timeout | undefined;
}

interface All extends DestinationOptions {
  readonly windows: Map<string, Window>;
  /** Windows with waiters or a pause: few of many. */
  readonly full: Set<Window>;
  readonly closed: Set<Window>;
}

interface Waiter {
  readonly inLine: InLine | undefined;
  admit(entry: Entry): void;
}

export function createDestinations(options: DestinationOptions): Destinations {
  const all: All = { ...options, windows: new Map(), full: new Set(), closed: new Set() };
  const { clock, full, closed } = all;

  return {
    enter(place, tenantId, signal, inLine) {
      const window = windowOf(all, place.key, place.pool ?? DEFAULT_POOL);
      if (window.timer !== undefined) return Promise.resolve(pausedEntry(all, window));
      if (window.active < placesOf(all, window) && window.waiting.size === 0)
        return Promise.resolve(turn(all, window, null));
      full.add(window);
      return new Promise((resolve, reject) => {
        const waiters = window.waiting.get(tenantId) ?? [];
        const waiter: Waiter = {
          inLine,
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
        else inLine?.waits();
      });
    },
    takesNoMore({ key, pool = DEFAULT_POOL }, tenantId) {
      const window = all.windows.get(placeKey(key, pool));
      return window !== undefined && (window.timer !== undefined || hasEnough(all, window, tenantId));
    },
    leaveOut(tenantId, pools = ONLY_DEFAULT) {
      const shut: string[] = [];
      for (const window of full)
        if ((pools.length === 1 || pools.includes(window.pool)) && hasEnough(all, window, tenantId))
          shut.push(window.destination);
      for (const window of closed) if (pools.includes(window.pool)) shut.push(window.destination);
      if (pools.length === 1) return shut;
      const counts = new Counts();
      return shut.filter((destination) => counts.add(destination, 1) === pools.length);
    },
    dismiss(isPaused) {
      for (const window of [...full]) {
        for (const [tenantId, waiters] of [...window.waiting]) {
          if (!isPaused({ destination: window.destination, tenantId })) continue;
          window.waiting.delete(tenantId);
          for (const waiter of waiters) waiter.admit({ kind: 'paused', until: clock.now() });
        }
        if (window.waiting.size === 0) full.delete(window);
      }
    },
    report() {
      return [...new Set([...full, ...closed])]
        .map((window) => reportOn(all, window))
        .sort((a, b) => b.waiting - a.waiting);
    },
    paused(pools = ONLY_DEFAULT) {
      const found = new Map<string, Date>();
      const counts = new Counts();
      for (const window of closed) {
        if (!pools.includes(window.pool)) continue;
        counts.add(window.destination, 1);
        const until = reopensAt(all, window);
        const first = found.get(window.destination);
        if (first === undefined || until < first) found.set(window.destination, until);
      }
      for (const destination of found.keys())
        if (counts.of(destination) < pools.length) found.delete(destination);
      return found;
    },
  };
}

function limitsOf(all: All, { destination }: Window): Limits | null {
  return all.fixedWindow === null ? (all.limitsOf?.(destination) ?? null) : null;
}

/** Conversations that the window may have at once. */
function placesOf(all: All, window: Window): number {
  return Math.min(window.size, limitsOf(all, window)?.conversations ?? window.size);
}

function hasEnough(all: All, window: Window, tenantId: string): boolean {
  return (window.waiting.get(tenantId)?.length ?? 0) >= placesOf(all, window) * WAITING_WINDOWS;
}

function windowOf(all: All, destination: string, pool: string): Window {
  const { windows, fixedWindow } = all;
  const key = placeKey(destination, pool);
  const known = windows.get(key);
  if (known !== undefined) return known;
  if (windows.size >= MAX_DESTINATIONS) forgetIdle(all);
  const made: Window = {
    key,
    destination,
    pool,
    size: fixedWindow ?? WINDOW_START,
    active: 0,
    waiting: new Map(),
    badInARow: 0,
    pauseMs: PAUSE_MIN_MS,
    pausedUntilMs: 0,
    ratedUntilMs: 0,
    timer: undefined,
  };
  windows.set(key, made);
  return made;
}

function forgetIdle({ windows }: All): void {
  for (const [key, window] of windows) {
    if (window.active === 0 && window.waiting.size === 0 && window.timer === undefined) {
      windows.delete(key);
      return;
    }
  }
}

function reopensAt({ clock }: All, window: Window): Date {
  return new Date(clock.now().getTime() + Math.max(0, window.pausedUntilMs - clock.monotonicMs()));
}

function reportOn(all: All, window: Window): WindowReport {
  const waiting = [...window.waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0);
  const closedUntil = window.timer === undefined ? null : reopensAt(all, window);
  const { destination, pool, active: inUse } = window;
  const places = placesOf(all, window);
  return { destination, pool, places, inUse, waiting, closedUntil };
}

function pausedEntry(all: All, window: Window): Entry {
  return { kind: 'paused', until: reopensAt(all, window) };
}

interface Holder {
  /** False while its predecessor still holds the place. */
  counts: boolean;
  left: boolean;
  heir: Holder | null;
}

/** `before`: the predecessor; null: none. */
function turn(all: All, window: Window, before: Holder | null): Entry {
  const holder: Holder = { counts: before === null, left: false, heir: null };
  spend(all, window);
  if (before === null) window.active++;
  else before.heir = holder;
  return {
    kind: 'turn',
    turn: {
      passOn: (chance) => passOn(all, window, holder, chance),
      leave(news) {
        if (holder.left) return;
        holder.left = true;
        const heir = heirOf(holder);
        if (heir !== null) heir.counts = holder.counts;
        else if (holder.counts) window.active--;
        if (all.fixedWindow === null) learn(all, window, news);
        admitNext(all, window);
        all.onRoom();
      },
    },
  };
}

/** The next in line; skips those that have left. */
function heirOf(holder: Holder): Holder | null {
  let heir = holder.heir;
  while (heir?.left === true) heir = heir.heir;
  return heir;
}

/** Only after good results: the previous message might close the window. */
function passOn(all: All, window: Window, holder: Holder, chance: Chance): OutgoingMessage | null {
  if (holder.heir !== null || window.timer !== undefined || window.badInARow > 0) return null;
  if (window.active > placesOf(all, window)) return null;
  const next = window.waiting.entries().next();
  if (next.done === true) return null;
  const [tenantId, waiters] = next.value;
  const message = waiters[0]!.inLine?.beginBehind(chance) ?? null;
  if (message === null) return null;
  const waiter = takeNext(window, tenantId, waiters);
  if (window.waiting.size === 0) all.full.delete(window);
  waiter.admit(turn(all, window, holder));
  return message;
}

function learn(all: All, window: Window, news: WindowNews): void {
  if (news === 'none') return;
  if (news === 'ok') {
    window.badInARow = 0;
    window.pauseMs = PAUSE_MIN_MS;
    window.size = Math.min(window.size + 1, limitsOf(all, window)?.conversations ?? WINDOW_MAX);
    return;
  }
  window.badInARow++;
  window.size = Math.max(1, window.size >> 1);
  if (window.size === 1 && window.badInARow >= PAUSE_AFTER && window.timer === undefined) pause(all, window);
}

function pause(all: All, window: Window): void {
  // One bad answer more closes it again: what comes first is a probe.
  close(all, window, window.pauseMs, () => {
    window.badInARow = PAUSE_AFTER - 1;
  });
  window.pauseMs = Math.min(window.pauseMs * 2, PAUSE_MAX_MS);
}

/** Counts a message against the destination's rate; when that is used up, the window closes. */
function spend(all: All, window: Window): void {
  const perMinute = limitsOf(all, window)?.messagesPerMinute ?? null;
  if (perMinute === null) return;
  const eachMs = 60_000 / perMinute;
  const nowMs = all.clock.monotonicMs();
  window.ratedUntilMs = Math.max(nowMs, window.ratedUntilMs) + eachMs;
  const usedMs = window.ratedUntilMs - nowMs;
  if (usedMs + eachMs > Math.max(RATE_BURST_MS, eachMs) && window.timer === undefined)
    close(all, window, usedMs, () => {});
}

function close(all: All, window: Window, forMs: number, onReopen: () => void): void {
  const { clock, full, closed } = all;
  window.pausedUntilMs = clock.monotonicMs() + forMs;
  closed.add(window);
  window.timer = setTimeout(() => {
    window.timer = undefined;
    closed.delete(window);
    onReopen();
    all.onRoom();
  }, forMs).unref();
  const sentAway = [...window.waiting.values()].flat();
  window.waiting.clear();
  full.delete(window);
  for (const waiter of sentAway) waiter.admit(pausedEntry(all, window));
}

function admitNext(all: All, window: Window): void {
  while (window.active < placesOf(all, window)) {
    const next = window.waiting.entries().next();
    if (next.done === true) break;
    takeNext(window, ...next.value).admit(turn(all, window, null));
  }
  if (window.waiting.size === 0) all.full.delete(window);
}

function takeNext(window: Window, tenantId: string, waiters: Waiter[]): Waiter {
  const waiter = waiters.shift()!;
  // To the back of the row, so that the next place is another tenant's.
  window.waiting.delete(tenantId);
  if (waiters.length > 0) window.waiting.set(tenantId, waiters);
  return waiter;
}
