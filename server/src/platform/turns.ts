import { FairPlaces } from './fair-places.ts';
import { ClientGone } from './http/http-errors.ts';

/**
 * Runs little costly work at once. The rest waits and is taken from each holder in turn; when too much waits,
 * the holder with most loses its first request (docs/decisions/0051).
 */
export type Turns = <T>(asker: Asker, work: () => Promise<T>) => Promise<T>;

interface Asker {
  readonly holders: readonly string[];
  readonly known?: boolean;
  readonly gone?: AbortSignal;
}

interface TurnsOptions {
  readonly atOnce: number;
  /** Places that unknown askers may use, so that a known one finds one free. Default: all. */
  readonly unknownAtOnce?: number;
  readonly waitingMax: number;
  /** Thrown at the one that lost its place. */
  tooMany(): Error;
}

interface Turn {
  readonly known: boolean;
  begin(): void;
  refuse(error: Error): void;
}

/** The work throws as it does, and ClientGone. */
export function createTurns(options: TurnsOptions): Turns {
  const { atOnce, unknownAtOnce = atOnce } = options;
  let running = 0;
  let runningUnknown = 0;
  const waiting = new FairPlaces<Turn>({ max: options.waitingMax });

  function goOn(): void {
    while (running < atOnce) {
      const turn = waiting.next(runningUnknown < unknownAtOnce ? 'all' : 'known');
      if (turn === null) return;
      running++;
      if (!turn.known) runningUnknown++;
      turn.begin();
    }
  }

  function awaitTurn({ holders, known = false, gone }: Asker): Promise<void> {
    return new Promise((resolve, reject) => {
      if (gone?.aborted === true) return reject(new ClientGone());
      const turn = { known, begin: resolve, refuse: reject };
      gone?.addEventListener('abort', () => {
        waiting.leave(turn);
        reject(new ClientGone());
      });
      waiting.enter(turn, holders, known)?.refuse(options.tooMany());
      goOn();
    });
  }

  return async (asker, work) => {
    await awaitTurn(asker);
    try {
      return await work();
    } finally {
      running--;
      if (asker.known !== true) runningUnknown--;
      goOn();
    }
  };
}
