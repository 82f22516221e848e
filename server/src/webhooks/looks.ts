import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { createQueueStatistics } from '../platform/database/queue-statistics.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import { createKeptLook } from '../platform/kept-look.ts';
import type { Log } from '../platform/logger.ts';
import { createLowWater } from '../platform/low-water.ts';
import { createRound } from '../platform/round.ts';
import {
  askClosedEndpoints,
  askEndpoints,
  type EndpointWork,
  findDueEndpoints,
  type Key,
  NO_ENDPOINT,
  OLDEST_MAX,
} from './due-store.ts';
import type { InLine } from './in-line.ts';

/** A worker's looks for endpoints with something to do, one after the other. */
export interface Looks {
  /**
   * Endpoints with deliveries that are due, and those that are off with anything that waits for them. Nobody
   * is overlooked for long, however many there are.
   */
  look(): Promise<EndpointWork[]>;
  /** A claim since `moment` found less at this endpoint than it asked for: there is no more. */
  drained(webhookId: string, moment: number): void;
  /** There may be something that the last look did not find. */
  expect(): void;
  /** How long it is until the next look may be made (ms); 0 as well while what the last one found goes on. */
  restMs(): number;
  /** Where claims begin. */
  readonly mark: Date | null;
}

/** Looks are so far apart (ms): one finds what came due in between. After a pause the first is at once. */
const APART_MS = 20;
/**
 * And so far while the last one found nothing and nothing is expected, however much is handed over meanwhile:
 * what other processes append waits so long, at most, while this one is at work.
 */
const IDLE_APART_MS = 100;
/** Between two looks for what waits for endpoints that are off (ms). */
const CLOSED_EVERY_MS = 400;

export interface LooksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sandbox: boolean;
  readonly inLine: InLine;
}

export function createLooks(deps: LooksDeps): Looks {
  const { db, clock, sandbox, inLine } = deps;
  const statistics = createQueueStatistics(deps);
  const lowWater = createLowWater(clock);
  const open = createRound(clock, NO_ENDPOINT);
  const closed = createRound(clock, NO_ENDPOINT);
  let closedAtMs = Number.NEGATIVE_INFINITY;
  /** A look is worth its cost. */
  let expects = true;
  const kept = createKeptLook<EndpointWork>(clock);
  const keyOf = ({ tenant_id, webhook_id }: Key): Key => ({ tenant_id, webhook_id });

  async function askClosed(): Promise<EndpointWork[]> {
    const nowMs = clock.monotonicMs();
    if (nowMs - closedAtMs < CLOSED_EVERY_MS) return [];
    closedAtMs = nowMs;
    const asked = await closed.next((after, limit) => askClosedEndpoints(db, sandbox, after, limit), keyOf);
    return asked.filter(({ waits }) => waits).map((each) => ({ ...keyOf(each), enabled: false }));
  }

  async function askInTurn(now: Date): Promise<EndpointWork[]> {
    statistics.seen('webhook_queue', OLDEST_MAX);
    const asking = { sandbox, now, from: lowWater.mark };
    const asked = await open.next((after, limit) => askEndpoints(db, asking, after, limit), keyOf);
    return asked.filter(({ due }) => due).map(({ due: _, ...each }) => each);
  }

  return {
    async look() {
      const left = kept.values();
      if (left !== null) return left;
      kept.begin();
      expects = false;
      const moment = inLine.moment();
      const now = clock.now();
      const found = await lowWater.look(now, (from) =>
        db.observe((tx) => {
          // A queue that filled at once is believed to be short: all that is due would be read and sorted.
          readInOrder(tx);
          return findDueEndpoints(tx, sandbox, now, from);
        }),
      );
      const all = new Map(found.endpoints.map((each) => [each.webhook_id, each]));
      for (const each of await askClosed()) all.set(each.webhook_id, each);
      if (found.more) for (const each of await askInTurn(now)) all.set(each.webhook_id, each);
      inLine.found([...all.keys()], found.more, moment);
      const endpoints = [...all.values()];
      expects ||= endpoints.length > 0;
      kept.keep(new Map(endpoints.filter(({ enabled }) => enabled).map((each) => [each.webhook_id, each])));
      return endpoints;
    },
    drained(webhookId, moment) {
      kept.drained(webhookId);
      inLine.emptied(webhookId, moment);
    },
    expect() {
      expects = true;
    },
    restMs() {
      if (kept.values() !== null) return 0;
      return Math.max(0, (expects ? APART_MS : IDLE_APART_MS) - kept.sinceMs());
    },
    get mark() {
      return lowWater.mark;
    },
  };
}
