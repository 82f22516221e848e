import type { DbAndClock } from '../platform/database/db.ts';
import type { Log } from '../platform/logger.ts';
import type { Backlog } from '../platform/queue/backlog.ts';
import { createRoundRobin } from '../platform/queue/round-robin.ts';
import { createScans, type Scans } from '../platform/queue/scans.ts';
import {
  askClosedEndpoints,
  askEndpoints,
  type EndpointTurn,
  type EndpointWork,
  findDueEndpoints,
  type Key,
  OLDEST_MAX,
} from './due-store.ts';

/**
 * A worker's scans for endpoints with work: enabled ones with due deliveries, and disabled ones with waiting
 * deliveries.
 */
export type EndpointScans = Scans<EndpointWork>;

/** Pause between scans of disabled endpoints (ms). */
const CLOSED_EVERY_MS = 400;

interface EndpointScansDeps extends DbAndClock {
  readonly log: Log;
  readonly sandbox: boolean;
  readonly backlog: Backlog;
  wake(): void;
}

export function createEndpointScans(deps: EndpointScansDeps): EndpointScans {
  const { db, sandbox } = deps;
  return createScans<EndpointWork, EndpointTurn>({
    ...deps,
    queue: 'webhook_queue',
    oldestMax: OLDEST_MAX,
    keyOf: ({ webhook_id }) => webhook_id,
    find: (tx, now, from) => findDueEndpoints(tx, sandbox, now, from),
    ask: (span, after, limit) => askEndpoints(db, { sandbox, ...span }, after, limit),
    ownerOf: ({ due: _, ...endpoint }) => endpoint,
    others: createClosedScans(deps),
    keeps: ({ enabled }) => enabled,
  });
}

function createClosedScans({
  db,
  clock,
  sandbox,
}: EndpointScansDeps): (among: readonly string[] | null) => Promise<EndpointWork[]> {
  const everyone = createRoundRobin<Key & { waits: boolean }>(clock);
  let atMs = Number.NEGATIVE_INFINITY;
  return async (among) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - atMs < CLOSED_EVERY_MS) return [];
    atMs = nowMs;
    const asked = await everyone.next((after, limit) =>
      askClosedEndpoints(db, { sandbox, among }, after, limit),
    );
    return asked.filter(({ waits }) => waits).map(({ waits: _, ...key }) => ({ ...key, enabled: false }));
  };
}
