import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import type { EndpointWork } from './due-store.ts';
import type { Handed } from './handover.ts';
import type { InLine } from './in-line.ts';
import type { Looks } from './looks.ts';
import type { Endpoint, Places } from './places.ts';
import { type ClaimedDelivery, claimDeliveries, failWaiting } from './queue-store.ts';

/** Who has a turn in a worker's round, and what is claimed in it. */
export interface Rounds {
  /** Endpoints that have their turn now, as `tenant/webhook`. */
  shards(): Promise<string[]>;
  claim(shard: string, limit: number): Promise<ClaimedDelivery[]>;
}

export interface RoundsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly looks: Looks;
  readonly inLine: InLine;
  /** Has its turns with what is due. */
  readonly handed: Handed;
  readonly places: Places;
  /** Attempts that one endpoint may begin in a turn. */
  readonly perTurn: number;
  /** There is something for a round now. */
  wake(): void;
}

/** Endpoints that have their turn before it is looked again who is due. */
const TURNS_PER_ROUND = 16;
/** Deliveries of an endpoint that is off that are failed in one statement. */
const FAIL_PAGE = 5_000;
/**
 * With less than half of its window free an endpoint waits so long for its turn (ms), so that one claim takes
 * what many small ones would: each is a statement of its own.
 */
const GATHER_MS = 20;

export function createRounds(deps: RoundsDeps): Rounds {
  const { db, clock, looks, inLine, handed, places } = deps;
  /** Those of the endpoints with work that are off. */
  let off = new Set<string>();
  /** Attempts that one endpoint may begin in a turn of this round. */
  let each = deps.perTurn;
  let allAtMs = Number.NEGATIVE_INFINITY;
  const wakeLater = createWakeLater(clock, deps.wake);

  /** Those whose turn is worth a claim. */
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

  /** Nothing, where the last look was just now. */
  async function lookIfRested(): Promise<readonly EndpointWork[]> {
    const restMs = looks.restMs();
    if (restMs <= 0) return looks.look();
    wakeLater(restMs);
    return [];
  }

  return {
    async shards() {
      const found = await lookIfRested();
      const closed = found.filter(({ enabled }) => !enabled).map(shardOf);
      off = new Set(closed);
      const open = new Map<string, Endpoint>(handed.endpoints().map((each) => [each.webhookId, each]));
      for (const { tenant_id: tenantId, webhook_id: webhookId, enabled } of found)
        if (enabled) open.set(webhookId, { tenantId, webhookId });
      if (open.size === 0) return closed.slice(0, TURNS_PER_ROUND);
      const turns = places.turns([...open.values()]);
      each = turns.each;
      // A claim takes a while: whose turn it is is asked again soon.
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
      const moment = inLine.moment();
      const now = clock.now();
      const claim = { tenantId, webhookId, leaseId: newId(), now, limit: room, from: looks.mark };
      const claimed = await claimDeliveries(db, claim);
      if (claimed.length < room) looks.drained(webhookId, moment);
      return claimed;
    },
  };
}

/** The soonest of several wishes is kept: what comes of it is asked for again. */
function createWakeLater(clock: Clock, wake: () => void): (ms: number) => void {
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

function shardOf(endpoint: { tenant_id: string; webhook_id: string }): string {
  return `${endpoint.tenant_id}/${endpoint.webhook_id}`;
}
