import type { Clock } from '../clock.ts';
import type { Db, Queryable, Tx } from '../database/db.ts';
import { isDistributed } from '../database/distributed.ts';
import { createReach } from '../database/reach.ts';
import type { Log } from '../logger.ts';
import type { Backlog } from './backlog.ts';
import { createRoundRobin } from './round-robin.ts';

/** Scans of a queue for owners (accounts, endpoints) with due rows. None is overlooked for long. */
export interface Scans<Owner> {
  /** Owners worth a claim; none if the last scan was just now. */
  due(): Promise<readonly Owner[]>;
  /** New rows may exist that the last scan did not find. */
  expect(): void;
  /** Rows of this owner were queued here: it needs no scan to have a turn. */
  add(owner: Owner): void;
  /** A claim since `moment` found less than it asked for. */
  drained(key: string, moment: number): void;
  /** Start of claims: nothing is due before. */
  readonly start: Date | null;
}

/** The result of a scan; `more`: there are more due rows than it reads. */
export interface Found<Owner> {
  readonly owners: readonly Owner[];
  readonly more: boolean;
  readonly oldest: Date | null;
  /** PostgreSQL's time (ms). */
  readonly tookMs?: number;
}

export interface AskSpan {
  readonly now: Date;
  readonly from: Date | null;
  /** Accounts whose owners are scanned; null: all. */
  readonly among: readonly string[] | null;
}

interface ScansOptions<Owner, Row extends { due: boolean }> {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly backlog: Backlog;
  readonly queue: 'delivery_queue' | 'webhook_queue';
  /** Oldest due rows that `find` reads. */
  readonly oldestMax: number;
  keyOf(owner: Owner): string;
  find(tx: Tx, now: Date, from: Date | null): Promise<Found<Owner>>;
  /** The owners after `after`, and whether they have due rows: finds owners that a flood hides. */
  ask(span: AskSpan, after: Row | null, limit: number): Promise<Row[]>;
  ownerOf(row: Row): Owner;
  /** Owners that need a turn for another reason than due rows. */
  others?(among: readonly string[] | null): Promise<readonly Owner[]>;
  /** False: found once, and not again before the next scan. */
  keeps?(owner: Owner): boolean;
  wake(): void;
}

/** Pause between scans (ms); the first one after an idle time runs at once. */
const APART_MS = 20;
/** Pause after an empty scan with nothing expected (ms): the longest delay of other processes' rows. */
const IDLE_APART_MS = 100;
/**
 * Owners with more rows than were claimed stay found until drained, for this time (ms): another scan would
 * read up to a thousand rows and find the same. Newcomers wait that much longer.
 */
const KEPT_FOR_MS = 100;

export function createScans<Owner, Row extends { due: boolean }>(
  options: ScansOptions<Owner, Row>,
): Scans<Owner> {
  const { clock, backlog, keyOf } = options;
  const statistics = createQueueStatistics(options);
  const reach = createReach(options);
  const scanStart = createScanStart(clock);
  const everyone = createRoundRobin<Row>(clock);
  const wakeLater = createWakeLater(clock, options.wake);
  let kept = new Map<string, Owner>();
  let beganMs = Number.NEGATIVE_INFINITY;
  let expects = true;

  const keyed = (owners: readonly Owner[]) => new Map(owners.map((owner) => [keyOf(owner), owner]));
  const sinceMs = () => clock.monotonicMs() - beganMs;

  async function scan(): Promise<readonly Owner[]> {
    beganMs = clock.monotonicMs();
    kept.clear();
    expects = false;
    const moment = backlog.moment();
    const now = clock.now();
    const { all, more } = await reach.look((among) => find(now, among));
    backlog.found([...all.keys()], more, moment);
    expects ||= all.size > 0;
    const again = [...all].filter(([, owner]) => options.keeps?.(owner) ?? true);
    // Some may have been added meanwhile.
    kept = new Map([...again, ...kept]);
    return [...all.values()];
  }

  async function find(now: Date, among: readonly string[] | null) {
    // Among some, each is asked in turn.
    const found = among === null ? await findDue(now) : { owners: [], more: true };
    const others = (await options.others?.(among)) ?? [];
    const asked = found.more ? await askInTurn(now, among) : [];
    return { all: keyed([...found.owners, ...others, ...asked]), more: found.more };
  }

  const findDue = (now: Date) =>
    scanStart.look(now, (from) => options.db.observe((tx) => options.find(tx, now, from)));

  async function askInTurn(now: Date, among: readonly string[] | null): Promise<Owner[]> {
    if (among === null) statistics.seen(options.queue, options.oldestMax);
    const span = { now, from: scanStart.mark, among };
    const asked = await everyone.next((after, limit) => options.ask(span, after, limit));
    return asked.filter(({ due }) => due).map(options.ownerOf);
  }

  return {
    async due() {
      if (kept.size > 0 && sinceMs() < KEPT_FOR_MS) return [...kept.values()];
      const restMs = (expects ? APART_MS : IDLE_APART_MS) - sinceMs();
      if (restMs <= 0) return scan();
      wakeLater(restMs);
      return [];
    },
    expect() {
      expects = true;
    },
    add(owner) {
      expects = true;
      kept.set(keyOf(owner), owner);
    },
    drained(key, moment) {
      kept.delete(key);
      backlog.emptied(key, moment);
    },
    get start() {
      return scanStart.mark;
    },
  };
}

/** Keeps the earliest wake-up. */
export function createWakeLater(clock: Clock, wake: () => void): (ms: number) => void {
  let waiting: NodeJS.Timeout | undefined;
  let atMs = Number.POSITIVE_INFINITY;
  return (ms) => {
    const wishedMs = clock.monotonicMs() + Math.ceil(ms);
    if (wishedMs >= atMs) return;
    clearTimeout(waiting);
    atMs = wishedMs;
    waiting = setTimeout(() => {
      atMs = Number.POSITIVE_INFINITY;
      wake();
    }, Math.ceil(ms)).unref();
  };
}

/**
 * Keeps PostgreSQL from planning for an empty queue after it was vacuumed while empty: it would then compare
 * 64 rows with every row of the queue.
 */
interface QueueStatistics {
  /** Reports the number of rows seen; analyzes the table if PostgreSQL's estimate is lower. */
  seen(queue: 'delivery_queue' | 'webhook_queue', rows: number): void;
}

const ASK_EVERY_MS = 5_000;

function createQueueStatistics({
  db,
  clock,
  log,
}: {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
}): QueueStatistics {
  let askedAtMs = Number.NEGATIVE_INFINITY;

  async function refresh(queue: string, rows: number): Promise<void> {
    // With Citus each node has its own statistics.
    if (await isDistributed(db)) return;
    const believed = await db.query(
      'select 1 from pg_class where oid = $1::regclass and relpages > 0 and reltuples < $2',
      [queue, rows],
      'ask_queue_statistics',
    );
    if (believed.length > 0) await db.query('select refresh_queue_statistics()');
  }

  return {
    seen(queue, rows) {
      const nowMs = clock.monotonicMs();
      if (nowMs - askedAtMs < ASK_EVERY_MS) return;
      askedAtMs = nowMs;
      refresh(queue, rows).catch((error) => log.debug({ error }, 'statistics of the queues not refreshed'));
    },
  };
}

/**
 * Where scans of a queue begin. Dead index entries remain until vacuum, which an old snapshot (a dump, a
 * forgotten transaction) can block, and a full scan steps over all of them. When that takes long, most scans
 * begin just before the oldest live row of the last scan. Rows that appear below (a slow commit, a slow
 * clock) are found by the next full scan, which runs rarely.
 */
interface ScanStart {
  /**
   * `ask` gets the start (null: the beginning) and returns the oldest due time found (null: none) and the
   * time that PostgreSQL took (ms); absent: measured here.
   */
  look<Found extends { readonly oldest: Date | null; readonly tookMs?: number }>(
    now: Date,
    ask: (from: Date | null) => Promise<Found>,
  ): Promise<Found>;
  /** Start of claims: the last scan found nothing below. Null: the beginning. */
  readonly mark: Date | null;
}

/** Commits that began longer ago are not expected (ms). */
const LAG_MS = 2_000;
/** A full scan that takes longer has many dead entries (ms). */
const LONG_MS = 5;
/** Full scans take at most 1/20 of the time. */
const APART = 20;
/** Longest pause between full scans (ms): one slow scan may be a stalled machine. */
const MOST_APART_MS = 10_000;

export function createScanStart(clock: Clock): ScanStart {
  let mark: Date | null = null;
  let fullAtMs = Number.NEGATIVE_INFINITY;
  return {
    async look(now, ask) {
      const startedMs = clock.monotonicMs();
      const from = startedMs >= fullAtMs ? null : mark;
      const found = await ask(from);
      const endedMs = clock.monotonicMs();
      const tookMs = found.tookMs ?? endedMs - startedMs;
      if (from === null)
        fullAtMs = tookMs < LONG_MS ? startedMs : endedMs + Math.min(APART * tookMs, MOST_APART_MS);
      const oldestMs = Math.min(found.oldest?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
      const markMs = Math.max(oldestMs - LAG_MS, from?.getTime() ?? Number.NEGATIVE_INFINITY);
      mark = fullAtMs <= endedMs && from === null ? null : new Date(markMs);
      return found;
    },
    get mark() {
      return mark;
    },
  };
}
