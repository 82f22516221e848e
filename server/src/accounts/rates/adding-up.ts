import type { Db } from '../../platform/database/db.ts';
import { every } from '../../platform/every.ts';
import type { Log } from '../../platform/logger.ts';
import { addToDays, takeAdditions } from './count-store.ts';

interface AddingUpDeps {
  readonly db: Db;
  readonly log: Log;
}

/** Reads include rows not yet added up, so nothing waits (ms). */
const ADD_UP_EVERY_MS = 2_000;
/** Some 20 ms of work. */
const ADDITIONS_PER_PAGE = 10_000;

/** Any number of processes may run it. */
export function createAddingUp({ db, log }: AddingUpDeps) {
  const repeating = every(ADD_UP_EVERY_MS, addUp, {
    onError: (error) => log.warn({ err: error }, 'counts could not be added up'),
  });
  let stopping = false;

  async function addUp(): Promise<void> {
    while (!stopping && (await addUpPage(db, ADDITIONS_PER_PAGE)) === ADDITIONS_PER_PAGE);
  }

  return {
    start: repeating.start,
    stop() {
      stopping = true;
      return repeating.stop();
    },
  };
}

/** A result below `limit`: nothing is left. */
export function addUpPage(db: Db, limit: number): Promise<number> {
  return db.transact(async (tx) => {
    const { taken, sums } = await takeAdditions(tx, limit);
    if (sums.length > 0) await addToDays(tx, sums);
    return taken;
  });
}
