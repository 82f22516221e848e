import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Admission } from './admission.ts';

/**
 * Sheds load by time: a request that could not be answered before its client gives up is refused before its
 * body is read.
 */
export interface Shedding {
  /**
   * The work of a request; 0 for a route that does not shed. Null: refuse it, because it would wait too long
   * and its account already has its share.
   */
  admit(request: FastifyRequest): number | null;
  done(work: number): void;
  close(): void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route queues work: messages at most. */
    sheds?: number;
  }
}

interface SheddingOptions {
  admission: Pick<Admission, 'tenants' | 'work'>;
  waitedMs(tenantId: string): number;
  loop: LoopLag;
  clock?: Pick<Clock, 'monotonicMs'>;
}

/** Longest expected wait that is admitted (ms). Answers come within four times that. */
const DOOR_WAIT_MS = 500;
/** Event-loop turns of a send: read, commit in two round trips, answer. */
const LOOP_TURNS = 4;
/** Delay of a refusal (ms), which slows down clients that ignore Retry-After. */
export const REFUSAL_PAUSE_MS = 500;
/** Always admitted for an account (small messages): a briefly slow machine is no flood. */
const ALWAYS_MESSAGES = 64;
/** A batched message counts as at least this many bytes. */
const MESSAGE_MIN_BYTES = 256;
/** So many bytes cost as much as a small message. */
const BYTES_LIKE_A_MESSAGE = 64 * 1024;

export function createShedding(options: SheddingOptions): Shedding {
  const { admission, waitedMs, loop } = options;
  const pace = createPace(admission, options.clock ?? { monotonicMs: () => performance.now() });
  return {
    admit(request) {
      const most = request.routeOptions.config.sheds;
      if (most === undefined) return 0;
      const { tenantId } = request.principal;
      const work = workOf(request, most);
      const ofItsOwnMs = waitedMs(tenantId);
      const aheadMs = Math.max(LOOP_TURNS * loop.lateMs(), admission.work() * pace.msPerMessage());
      if (ofItsOwnMs + aheadMs <= DOOR_WAIT_MS) return work;
      const underWay = admission.work(tenantId);
      // An account below the average did not cause the load.
      const share = admission.work() / (2 * Math.max(1, admission.tenants()));
      const itsOwn = ofItsOwnMs > DOOR_WAIT_MS || underWay >= share;
      return itsOwn && underWay >= ALWAYS_MESSAGES ? null : work;
    },
    done: pace.done,
    close: loop.close,
  };
}

/** In small messages. A body of unknown length counts as the most. */
function workOf({ headers }: FastifyRequest, most: number): number {
  const bytes = Number(headers['content-length'] ?? 0);
  return Math.max(1, Math.min(most, bytes / MESSAGE_MIN_BYTES)) + bytes / BYTES_LIKE_A_MESSAGE;
}

/** Initial pace (ms per message), and its bounds. */
const PACE_START_MS = 0.5;
const PACE_MIN_MS = 0.05;
const PACE_MAX_MS = 20;
const PACE_WINDOW_MS = 250;
/** Below this load the clients set the pace. */
const PACE_LOADED = 64;
const PACE_WEIGHT = 0.3;

/** Time per message, measured over windows with constant load. */
function createPace(admission: Pick<Admission, 'work'>, clock: Pick<Clock, 'monotonicMs'>) {
  let paceMs = PACE_START_MS;
  let windowMs = clock.monotonicMs();
  let doneInWindow = 0;
  let loaded = false;

  function look(): void {
    const nowMs = clock.monotonicMs();
    const tookMs = nowMs - windowMs;
    const stillLoaded = admission.work() >= PACE_LOADED;
    if (tookMs < PACE_WINDOW_MS && (stillLoaded || !loaded)) {
      loaded ||= stillLoaded && doneInWindow === 0;
      return;
    }
    if (loaded && stillLoaded && doneInWindow > 0) {
      const seen = Math.min(PACE_MAX_MS, Math.max(PACE_MIN_MS, tookMs / doneInWindow));
      paceMs += PACE_WEIGHT * (seen - paceMs);
    }
    windowMs = nowMs;
    doneInWindow = 0;
    loaded = stillLoaded;
  }

  return {
    msPerMessage(): number {
      look();
      return paceMs;
    },
    done(work: number): void {
      doneInWindow += work;
      look();
    },
  };
}

interface LoopLag {
  lateMs(): number;
  close(): void;
}

const LOOK_EVERY_MS = 50;
/** Consecutive late checks required: a single long turn is not overload. */
const LOOKS = 4;

/** Stops watching after this time without a request (ms). */
const WATCHED_MS = 5_000;

/**
 * Event-loop lag: the least of the last checks. Watches only while in use, so that an idle process sleeps.
 */
export function watchLoopLag(): LoopLag {
  const late: number[] = Array.from({ length: LOOKS }, () => 0);
  let timer: NodeJS.Timeout | undefined;
  let dueMs = 0;
  let askedMs = 0;
  let at = 0;

  function look(): void {
    const nowMs = performance.now();
    late[at++ % LOOKS] = Math.max(0, nowMs - dueMs);
    dueMs = nowMs + LOOK_EVERY_MS;
    if (nowMs - askedMs > WATCHED_MS) close();
  }

  function close(): void {
    clearInterval(timer);
    timer = undefined;
    late.fill(0);
  }

  return {
    lateMs() {
      askedMs = performance.now();
      if (timer === undefined) {
        dueMs = askedMs + LOOK_EVERY_MS;
        timer = setInterval(look, LOOK_EVERY_MS).unref();
      }
      return Math.min(...late);
    },
    close,
  };
}
