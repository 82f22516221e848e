import { Counts } from '../counts.ts';

/**
 * Owners (accounts, endpoints) with queued rows, as far as known: new ones go behind them. All owners, until
 * the first scan and while a scan is incomplete.
 */
export interface Backlog {
  has(owner: string): boolean;
  /** A transaction queues rows of these; call the result when it ends. */
  put(owners: ReadonlySet<string>): (committed: boolean) => void;
  /** Taken before the queue is read, to ignore older results. */
  moment(): number;
  /** A scan since `moment` found these; complete unless `more`. */
  found(owners: readonly string[], more: boolean, moment: number): void;
  /** A claim since `moment` left nothing. */
  emptied(owner: string, moment: number): void;
}

export function createBacklog(): Backlog {
  let isEverybody = true;
  let turn = 0;
  /** Open transactions. */
  const coming = new Counts();
  /** When each owner's queued rows became visible. */
  const since = new Map<string, number>();

  function leave(owner: string, moment: number): void {
    if (since.get(owner)! < moment) since.delete(owner);
  }

  return {
    has: (owner) => isEverybody || since.has(owner) || coming.of(owner) > 0,
    put(owners) {
      for (const owner of owners) coming.add(owner, 1);
      return (committed) => {
        for (const owner of owners) {
          coming.add(owner, -1);
          if (committed) since.set(owner, turn);
        }
      };
    },
    moment: () => ++turn,
    found(owners, more, moment) {
      isEverybody = more;
      const still = new Set(owners);
      if (!more) for (const owner of since.keys()) if (!still.has(owner)) leave(owner, moment);
      for (const owner of still) if (!since.has(owner)) since.set(owner, 0);
    },
    emptied(owner, moment) {
      if (since.has(owner)) leave(owner, moment);
    },
  };
}
