import type { DbAndClock } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import type { Backlog } from '../platform/queue/backlog.ts';
import { createWakeLater } from '../platform/queue/scans.ts';
import type { ConcurrencyLimits, Endpoint } from './concurrency.ts';
import type { EndpointScans } from './endpoint-scans.ts';
import type { Handed } from './handover.ts';
import { type ClaimedDelivery, claimDeliveries, failWaiting } from './queue-store.ts';

export interface EndpointTurns {
  shards(): Promise<string[]>;
  claim(shard: string, limit: number): Promise<ClaimedDelivery[]>;
}

interface EndpointTurnsDeps extends DbAndClock {
  readonly scans: EndpointScans;
  readonly backlog: Backlog;
  readonly handed: Handed;
  readonly places: ConcurrencyLimits;
  readonly perTurn: number;
  wake(): void;
}

/** Turns before the next scan. */
const TURNS_PER_ROUND = 16;
/** Deliveries failed per statement. */
const FAIL_PAGE = 5_000;
/** Gathers claims while less than half of the window is free (ms). */
const GATHER_MS = 20;

export function createEndpointTurns(deps: EndpointTurnsDeps): EndpointTurns {
  const { db, clock, scans, backlog, handed, places } = deps;
  let off = new Set<string>();
  let each = deps.perTurn;
  let allAtMs = Number.NEGATIVE_INFINITY;
  const wakeLater = createWakeLater(clock, deps.wake);

  function worthwhile(order: readonly Endpoint[]): readonly Endpoint[] {
    const nowMs = clock.monotonicMs();
    const waitMs = allAtMs + GATHER_MS - nowMs;
    if (waitMs <= 0) {
      allAtMs = nowMs;
      return order;
    }
    const chosen = order.filter(places.isHalfFree);
    if (chosen.length < order.length) wakeLater(waitMs);
    return chosen;
  }

  return {
    async shards() {
      const found = await scans.due();
      const closed = found.filter(({ enabled }) => !enabled).map(shardOf);
      off = new Set(closed);
      const open = new Map<string, Endpoint>(handed.endpoints().map((each) => [each.webhookId, each]));
      for (const { tenant_id: tenantId, webhook_id: webhookId, enabled } of found)
        if (enabled) open.set(webhookId, { tenantId, webhookId });
      if (open.size === 0) return closed.slice(0, TURNS_PER_ROUND);
      const turns = places.turns([...open.values()]);
      each = turns.each;
      // A claim takes time: turns are decided again soon.
      const next = worthwhile(turns.order).slice(0, TURNS_PER_ROUND);
      return [
        ...closed.slice(0, TURNS_PER_ROUND),
        ...next.map(({ tenantId, webhookId }) => `${tenantId}/${webhookId}`),
      ];
    },

    async claim(shard, limit) {
      const [tenantId, webhookId] = shard.split('/') as [string, string];
      if (handed.waitsFor(webhookId)) {
        const room = () => Math.min(limit, each, places.room(tenantId, webhookId));
        return room() === 0 ? [] : handed.take({ tenantId, webhookId }, room);
      }
      if (off.has(shard)) {
        await failWaiting(db, tenantId, webhookId, FAIL_PAGE);
        return [];
      }
      const room = Math.min(limit, each, places.room(tenantId, webhookId));
      if (room === 0) return [];
      const moment = backlog.moment();
      const now = clock.now();
      const claim = { tenantId, webhookId, leaseId: newId(), now, limit: room, from: scans.start };
      const claimed = await claimDeliveries(db, claim);
      if (claimed.length < room) scans.drained(webhookId, moment);
      return claimed;
    },
  };
}

function shardOf(endpoint: { tenant_id: string; webhook_id: string }): string {
  return `${endpoint.tenant_id}/${endpoint.webhook_id}`;
}
