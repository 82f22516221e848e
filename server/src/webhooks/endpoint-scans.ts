import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import type { Log } from '../platform/logger.ts';
import { createRoundRobin } from '../platform/queue/round-robin.ts';
import { createScanCache } from '../platform/queue/scan-cache.ts';
import { createScanStart } from '../platform/queue/scan-start.ts';
import { createQueueStatistics } from '../platform/queue/statistics.ts';
import {
  askClosedEndpoints,
  askEndpoints,
  type EndpointWork,
  findDueEndpoints,
  type Key,
  NO_ENDPOINT,
  OLDEST_MAX,
} from './due-store.ts';
import type { QueuedEndpoints } from './queued-endpoints.ts';

/** A worker's scans for endpoints with work. */
export interface EndpointScans {
  /**
   * Enabled endpoints with due deliveries, and disabled ones with waiting deliveries. None is overlooked for
   * long.
   */
  look(): Promise<EndpointWork[]>;
  /** A claim since `moment` found less than it asked for. */
  drained(webhookId: string, moment: number): void;
  /** New work may exist that the last scan did not find. */
  expect(): void;
  /** Time until the next scan may run (ms); 0 while the last one still has results. */
  restMs(): number;
  /** Start of claims. */
  readonly mark: Date | null;
}

/** Pause between scans (ms); the first one after an idle time runs at once. */
const APART_MS = 20;
/** Pause after an empty scan with nothing expected (ms): the longest delay of other processes' events. */
const IDLE_APART_MS = 100;
/** Pause between scans of disabled endpoints (ms). */
const CLOSED_EVERY_MS = 400;

export interface EndpointScansDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sandbox: boolean;
  readonly inLine: QueuedEndpoints;
}

export function createEndpointScans(deps: EndpointScansDeps): EndpointScans {
  const { db, clock, sandbox, inLine } = deps;
  const statistics = createQueueStatistics(deps);
  const lowWater = createScanStart(clock);
  const open = createRoundRobin(clock, NO_ENDPOINT);
  const closed = createRoundRobin(clock, NO_ENDPOINT);
  let closedAtMs = Number.NEGATIVE_INFINITY;
  let expects = true;
  const kept = createScanCache<EndpointWork>(clock);
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
          // The planner takes a suddenly full queue for a short one, and would sort it all.
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
