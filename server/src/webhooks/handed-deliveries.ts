import type { Mark } from '../platform/queue/leases.ts';
import type { Endpoint } from './concurrency.ts';
import type { NewDelivery } from './queue-store.ts';

/** Appended here and committed with a lease. */
export interface HandedDelivery {
  readonly delivery: NewDelivery;
  readonly leaseId: string;
  readonly leasedAt: Mark;
  readonly committedMs: number;
}

export interface HandedDeliveries {
  add(items: readonly HandedDelivery[]): void;
  has(webhookId: string): boolean;
  endpoints(): readonly Endpoint[];
  take(webhookId: string, limit: number): HandedDelivery[];
  /** Takes all deliveries of each endpoint whose oldest is too old, to keep their order. */
  takeLate(beforeMs: number): HandedDelivery[];
  readonly size: number;
}

export function createHandedDeliveries(): HandedDeliveries {
  const queues = new Map<string, HandedDelivery[]>();

  function take(webhookId: string, limit: number): HandedDelivery[] {
    const queue = queues.get(webhookId) ?? [];
    const taken = queue.splice(0, limit);
    if (queue.length === 0) queues.delete(webhookId);
    return taken;
  }

  return {
    add(items) {
      for (const item of items) {
        const { webhookId } = item.delivery;
        const queue = queues.get(webhookId);
        if (queue === undefined) queues.set(webhookId, [item]);
        else queue.push(item);
      }
    },
    has: (webhookId) => queues.has(webhookId),
    endpoints: () => [...queues.values()].map(([first]) => first!.delivery),
    take,
    takeLate(beforeMs) {
      const late = [...queues].filter(([, [oldest]]) => oldest!.committedMs <= beforeMs);
      return late.flatMap(([webhookId]) => take(webhookId, Number.POSITIVE_INFINITY));
    },
    get size() {
      return queues.size;
    },
  };
}
