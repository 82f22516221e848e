import { Counts } from '../platform/counts.ts';

/**
 * Endpoints whose deliveries wait in the queue, as far as this process knows: what comes for them now begins
 * after those. All of them, until the first look, and while more is due than a look shows.
 */
export interface InLine {
  has(webhookId: string): boolean;
  /** Something of these is put in line by a transaction; returns what is to be called once that has ended. */
  put(webhookIds: ReadonlySet<string>): () => void;
  /** Before the queue is read: what was put in line later is not in what comes of it. */
  moment(): number;
  /** A look since `moment` found these, and nothing else unless there is `more`. */
  found(webhookIds: readonly string[], more: boolean, moment: number): void;
  /** A claim since `moment` left nothing of this one. */
  emptied(webhookId: string, moment: number): void;
}

export function createInLine(): InLine {
  let isEverybody = true;
  let turn = 0;
  /** Of transactions that have not ended. */
  const coming = new Counts();
  /** Since when what waits for each can be seen. */
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
