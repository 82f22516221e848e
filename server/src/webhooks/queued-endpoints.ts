import { Counts } from '../platform/counts.ts';

/**
 * Endpoints with queued deliveries, as far as known: new ones go behind them. All endpoints, until the first
 * scan and while a scan is incomplete.
 */
export interface QueuedEndpoints {
  has(webhookId: string): boolean;
  /** Marks them as queued by a transaction; call the result when it ends. */
  put(webhookIds: ReadonlySet<string>): () => void;
  /** Taken before the queue is read, to ignore older results. */
  moment(): number;
  /** A scan since `moment` found these; complete unless `more`. */
  found(webhookIds: readonly string[], more: boolean, moment: number): void;
  /** A claim since `moment` left nothing. */
  emptied(webhookId: string, moment: number): void;
}

export function createQueuedEndpoints(): QueuedEndpoints {
  let isEverybody = true;
  let turn = 0;
  /** Open transactions. */
  const coming = new Counts();
  /** When each endpoint's queued deliveries became visible. */
  const since = new Map<string, number>();

  function leave(webhookId: string, moment: number): void {
    if (since.get(webhookId)! < moment) since.delete(webhookId);
  }

  return {
    has: (webhookId) => isEverybody || since.has(webhookId) || coming.of(webhookId) > 0,
    put(webhookIds) {
      for (const id of webhookIds) coming.add(id, 1);
      return () => {
        for (const id of webhookIds) {
          coming.add(id, -1);
          since.set(id, turn);
        }
      };
    },
    moment: () => ++turn,
    found(webhookIds, more, moment) {
      isEverybody = more;
      const still = new Set(webhookIds);
      if (!more) for (const id of since.keys()) if (!still.has(id)) leave(id, moment);
      for (const id of still) if (!since.has(id)) since.set(id, 0);
    },
    emptied(webhookId, moment) {
      if (since.has(webhookId)) leave(webhookId, moment);
    },
  };
}
