import type { Authorities } from '../../src/evidence/stamp/authorities.ts';
import type { Db, Queryable, Tx } from '../../src/platform/database/db.ts';
import { InjectedCrash } from './support.ts';

/**
 * A process that dies at one named step: a statement by its name, the commit of a transaction, or the
 * question to an authority. `before`: the step never happened; `after`: it did, and nobody heard of it.
 */
export interface CrashPoint {
  readonly step: string;
  readonly when: 'before' | 'after';
}

export const COMMIT = 'commit';
export const ASK = 'ask the authority';

/** Tells every step that is taken, in order; with a point, dies there the first time. */
export function createSteps(point?: CrashPoint): {
  readonly taken: string[];
  db(db: Db): Db;
  authorities(authorities: Authorities): Authorities;
} {
  const taken: string[] = [];
  let alive = true;

  async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
    // Requests that a dead process had still in flight are not sent.
    if (!alive) throw new InjectedCrash();
    taken.push(name);
    if (point?.step !== name) return run();
    alive = false;
    if (point.when === 'after') await run();
    throw new InjectedCrash();
  }

  function watched(q: Queryable): Pick<Queryable, 'query' | 'execute'> {
    return {
      query: (text, values, name) => step(name ?? text, () => q.query(text, values, name)) as never,
      execute: (text, values, name) => step(name ?? text, () => q.execute(text, values, name)),
    };
  }

  function watchedTx(tx: Tx): Tx {
    const send: Tx['send'] = (text, values, name) => {
      if (!alive) throw new InjectedCrash();
      taken.push(name ?? text);
      const dies = point?.step === (name ?? text);
      if (!dies || point.when === 'after') tx.send(text, values, name);
      if (!dies) return;
      alive = false;
      throw new InjectedCrash();
    };
    const { copyOut, distributed, note, onEnd } = tx;
    return { kind: 'tx', ...watched(tx), copyOut, distributed, send, note, onEnd };
  }

  return {
    taken,
    db: (db) => ({
      ...db,
      ...watched(db),
      async transact(work) {
        const dies = point?.step === COMMIT;
        const value = await db.transact(async (tx) => {
          const result = await work(watchedTx(tx));
          taken.push(COMMIT);
          if (!dies || point.when === 'after') return result;
          alive = false;
          throw new InjectedCrash();
        });
        if (!dies) return value;
        alive = false;
        throw new InjectedCrash();
      },
    }),
    authorities: (authorities) => ({
      ...authorities,
      obtain: (wanted, signal) => step(ASK, () => authorities.obtain(wanted, signal)),
    }),
  };
}
