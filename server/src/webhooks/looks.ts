import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/db.ts';
import { createQueueStatistics } from '../platform/database/queue-statistics.ts';
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

/** A worker's looks for endpoints with something to do, one after the other. */
export interface Looks {
  /**
   * Endpoints with deliveries that are due, and those that are off with anything that waits for them. Nobody
   * is overlooked for long, however many there are.
   */
  look(): Promise<EndpointWork[]>;
  /** Where claims begin. */
  readonly mark: Date | null;
}

/**
 * Where more is due than a look reads, what it found goes for so long (ms): the next would read as much again
 * and find the same, once for each 64 deliveries. By so much an endpoint that comes new waits longer then.
 */
const KEPT_FOR_MS = 100;
/** Between two looks for what waits for endpoints that are off (ms). */
const CLOSED_EVERY_MS = 400;

export function createLooks(deps: { db: Queryable; clock: Clock; log: Log; sandbox: boolean }): Looks {
  const { db, clock, sandbox } = deps;
  const statistics = createQueueStatistics(deps);
  const lowWater = createLowWater(clock);
  const open = createRound(clock, NO_ENDPOINT);
  const closed = createRound(clock, NO_ENDPOINT);
  let closedAtMs = Number.NEGATIVE_INFINITY;
  let kept: { readonly untilMs: number; readonly endpoints: EndpointWork[] } | null = null;
  const keyOf = ({ tenant_id, webhook_id }: Key): Key => ({ tenant_id, webhook_id });

  async function askClosed(): Promise<EndpointWork[]> {
    const nowMs = clock.monotonicMs();
    if (nowMs - closedAtMs < CLOSED_EVERY_MS) return [];
    closedAtMs = nowMs;
    const asked = await closed.next((after, limit) => askClosedEndpoints(db, sandbox, after, limit), keyOf);
    return asked.filter(({ waits }) => waits).map((each) => ({ ...keyOf(each), enabled: false }));
  }

  return {
    async look() {
      if (kept !== null && clock.monotonicMs() < kept.untilMs) return kept.endpoints;
      kept = null;
      const now = clock.now();
      const found = await lowWater.look(now, (from) => findDueEndpoints(db, sandbox, now, from));
      const all = new Map(found.endpoints.map((each) => [each.webhook_id, each]));
      for (const each of await askClosed()) all.set(each.webhook_id, each);
      if (!found.more) return [...all.values()];
      statistics.seen('webhook_queue', OLDEST_MAX);
      const asking = { sandbox, now, from: lowWater.mark };
      const asked = await open.next((after, limit) => askEndpoints(db, asking, after, limit), keyOf);
      for (const { due, ...each } of asked) if (due) all.set(each.webhook_id, each);
      const endpoints = [...all.values()];
      kept = {
        untilMs: clock.monotonicMs() + KEPT_FOR_MS,
        endpoints: endpoints.filter(({ enabled }) => enabled),
      };
      return endpoints;
    },
    get mark() {
      return lowWater.mark;
    },
  };
}
