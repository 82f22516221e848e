import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import type { Log } from '../platform/log.ts';
import type { ClaimedMessage } from './claimed.ts';
import { extendLeases } from './store.ts';

/**
 * What this worker holds, from claim to record. Short leases, extended while work goes on: after a crash mail moves again
 * within two minutes, however long a conversation may take. A lease found lost ends its conversation: somebody else has the message.
 */
export interface Leases {
  /** Takes claimed messages into the books; returns those that are new. One held already only gets its new fence. */
  hold(items: readonly ClaimedMessage[]): ClaimedMessage[];
  /** Aborted when the lease is lost. */
  signalOf(item: ClaimedMessage): AbortSignal;
  /** Breaks off all that is held: we are stopping. */
  abortAll(reason: unknown): void;
  /** Strikes messages out of the books. */
  drop(items: readonly ClaimedMessage[]): void;
  /** Messages held, in all and by one tenant. */
  readonly size: number;
  heldBy(tenantId: string): number;
  /** Extends the leases that have run for a while; called by the timer, and by tests. */
  extend(): Promise<void>;
  start(): void;
  stop(): void;
}

/** How long a claim holds without being extended. */
export const LEASE_MS = 120_000;
/** Leases this old are extended; several tries fit before one ends. */
const EXTEND_AFTER_MS = 30_000;
const EXTEND_EVERY_MS = 5_000;
/** Most leases in one statement. */
const EXTEND_GROUP = 1_000;

interface Held {
  readonly item: ClaimedMessage;
  readonly abort: AbortController;
  extendedAtMs: number;
}

export function createLeases(deps: { db: Db; clock: Clock; log: Log }): Leases {
  const { db, clock, log } = deps;
  const held = new Map<string, Held>();
  const tenants = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let extending = false;

  async function extend(): Promise<void> {
    if (extending) return;
    extending = true;
    try {
      const nowMs = clock.monotonicMs();
      const old = [...held.values()].filter((entry) => nowMs - entry.extendedAtMs >= EXTEND_AFTER_MS);
      for (let from = 0; from < old.length; from += EXTEND_GROUP)
        await extendGroup(old.slice(from, from + EXTEND_GROUP));
    } catch (error) {
      // Nobody else can claim while the database is away; when it is back, the next try or a claim of our own finds them again.
      log.warn({ err: error }, 'extending delivery leases failed; trying again');
    } finally {
      extending = false;
    }
  }

  async function extendGroup(group: readonly Held[]): Promise<void> {
    const askedAtMs = clock.monotonicMs();
    const fences = group.map(({ item }) => ({
      tenantId: item.tenantId,
      messageId: item.messageId,
      attempt: item.fence,
    }));
    const kept = await extendLeases(db, fences, new Date(clock.now().getTime() + LEASE_MS));
    for (const [at, entry] of group.entries()) {
      const { messageId, fence } = entry.item;
      // Recorded or claimed anew by us meanwhile: what the statement said is about the past.
      if (held.get(messageId) !== entry || fence !== fences[at]!.attempt) continue;
      if (kept.has(messageId)) entry.extendedAtMs = askedAtMs;
      else entry.abort.abort(new Error('the lease was lost'));
    }
  }

  return {
    hold(items) {
      const fresh: ClaimedMessage[] = [];
      for (const item of items) {
        const known = held.get(item.messageId);
        if (known !== undefined) {
          known.item.fence = item.fence;
          known.extendedAtMs = clock.monotonicMs();
          continue;
        }
        held.set(item.messageId, { item, abort: new AbortController(), extendedAtMs: clock.monotonicMs() });
        tenants.set(item.tenantId, (tenants.get(item.tenantId) ?? 0) + 1);
        fresh.push(item);
      }
      return fresh;
    },
    signalOf(item) {
      return (
        held.get(item.messageId)?.abort.signal ?? AbortSignal.abort(new Error('the message is not held'))
      );
    },
    abortAll(reason) {
      for (const { abort } of held.values()) abort.abort(reason);
    },
    drop(items) {
      for (const item of items) {
        if (!held.delete(item.messageId)) continue;
        const left = (tenants.get(item.tenantId) ?? 1) - 1;
        if (left === 0) tenants.delete(item.tenantId);
        else tenants.set(item.tenantId, left);
      }
    },
    get size() {
      return held.size;
    },
    heldBy: (tenantId) => tenants.get(tenantId) ?? 0,
    extend,
    start() {
      timer ??= setInterval(() => void extend(), EXTEND_EVERY_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
