import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Admission } from './admission.ts';

/**
 * Sheds by time: a request for which there would be an answer only after its client has given up is refused
 * at the door, before its body is read, and so cheaply that those who are let in are served meanwhile.
 */
export interface Shedding {
  /**
   * What there is to do for a request; 0 for a route that does not shed. Null for one that would wait too
   * long, of an account that has its share under way: it is to be refused.
   */
  admit(request: FastifyRequest): number | null;
  /** Called for work that was done. */
  done(work: number): void;
  close(): void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route does work that waits its turn: for so many messages at most. */
    sheds?: number;
  }
}

export interface SheddingOptions {
  admission: Pick<Admission, 'tenants' | 'work'>;
  /** How long the work of an account that waits longest has waited (ms). */
  waitedMs(tenantId: string): number;
  /** How late the event loop is, over a while (ms). */
  loop: LoopLag;
  clock?: Pick<Clock, 'monotonicMs'>;
}

/**
 * A request that would wait longer than this (ms) for its work is not let in. Answers come within four times
 * that.
 */
const DOOR_WAIT_MS = 500;
/**
 * Turns of the event loop that a send takes from its first byte to its answer: read, commit in two round
 * trips, answer.
 */
const LOOP_TURNS = 4;
/**
 * A refusal is told after so long (ms). Clients that ask again at once, whatever they are told, would have
 * the process do nothing but refuse them; one that waits for its answer cannot.
 */
export const REFUSAL_PAUSE_MS = 500;
/**
 * So much an account may always have under way (small messages): a machine that is slow for a moment is not a
 * flood.
 */
const ALWAYS_MESSAGES = 64;
/**
 * What a message of a batch takes at least, and bytes that are as much work as a message (a small one,
 * whole).
 */
const MESSAGE_MIN_BYTES = 256;
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
      // An account that has less under way than others have on average did not make the load.
      const share = admission.work() / (2 * Math.max(1, admission.tenants()));
      const itsOwn = ofItsOwnMs > DOOR_WAIT_MS || underWay >= share;
      return itsOwn && underWay >= ALWAYS_MESSAGES ? null : work;
    },
    done: pace.done,
    close: loop.close,
  };
}

/** In small messages. What a body of unknown length holds is not known either. */
function workOf({ headers }: FastifyRequest, most: number): number {
  const bytes = Number(headers['content-length'] ?? 0);
  return Math.max(1, Math.min(most, bytes / MESSAGE_MIN_BYTES)) + bytes / BYTES_LIKE_A_MESSAGE;
}

/**
 * Until it is known better (ms per message), and its bounds: what a machine does that has nothing, or
 * everything, else to do.
 */
const PACE_START_MS = 0.5;
const PACE_MIN_MS = 0.05;
const PACE_MAX_MS = 20;
const PACE_WINDOW_MS = 250;
/** With less than this under way (messages) it is the clients that set the pace. */
const PACE_LOADED = 64;
/** Weight of the last window. */
const PACE_WEIGHT = 0.3;

/**
 * How long a message takes while there are enough of them, by what was done in windows that were loaded from
 * end to end.
 */
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

export interface LoopLag {
  lateMs(): number;
  close(): void;
}

const LOOK_EVERY_MS = 50;
/** Looks that all must find the loop late: one long turn is not a load. */
const LOOKS = 4;

/** Not asked for so long (ms), nobody is served, and nothing is watched. */
const WATCHED_MS = 5_000;

/**
 * The least of the last looks at how late a timer came. It looks while it is asked, so that an idle process
 * does not wake for it.
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
