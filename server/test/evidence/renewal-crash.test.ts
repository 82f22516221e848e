import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { type RenewalRound, renewDue } from '../../src/evidence/renewal/renew.ts';
import { createRenewals, type RenewalsDeps } from '../../src/evidence/renewal/renewals.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import type { Db, Queryable, Tx } from '../../src/platform/database/db.ts';
import { type AgingTsa, DAY_MS, PastClock, startAgingTsa } from './aging.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import {
  addMessages,
  authoritiesOf,
  InjectedCrash,
  quietLog,
  sealerOf,
  secrets,
  type World,
} from './support.ts';

/**
 * The state after renewal when its process dies, is overtaken, or has more to do than one time-stamp
 * covers.
 */
const RENEW_BEFORE_DAYS = 90;
/** Sealed under such a certificate a batch is due at once. */
const SHORT_DAYS = 50;
const LONG_DAYS = 900;
/** Longer than a lease, and than the pause after a failure. */
const LATER_DAYS = 0.02;

let clock: PastClock;
let world: World;
let tsa: AgingTsa;
let tenantId: string;

beforeAll(async () => {
  clock = new PastClock(400);
  ({ world, tsa, tenantId } = await openSealingWorld(startAgingTsa(clock, SHORT_DAYS), clock));
});
afterAll(() => world.close());

/**
 * A database whose process dies before or after its n-th step (a statement, a commit), and does nothing from
 * then on.
 */
function dyingDb(db: Db, dies: { at: number; persisted: boolean }): Db & { readonly steps: () => number } {
  let steps = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new InjectedCrash();
  };
  async function step<T>(run: () => Promise<T>): Promise<T> {
    if (dead) return die();
    const last = ++steps === dies.at;
    if (last && !dies.persisted) return die();
    const value = await run();
    return last ? die() : value;
  }
  const watched = (q: Queryable): Pick<Queryable, 'query' | 'execute'> => ({
    query: (text, values, name) => step(() => q.query(text, values, name)) as never,
    execute: (text, values, name) => step(() => q.execute(text, values, name)),
  });
  return {
    ...db,
    ...watched(db),
    steps: () => steps,
    transact: async (work) => {
      let persisted = false;
      const value = await db.transact(async (tx) => {
        const worked = await work({
          kind: 'tx',
          distributed: tx.distributed,
          ...watched(tx),
          send: tx.send,
        } as Tx);
        persisted = steps + 1 === dies.at && dies.persisted;
        if (!persisted) await step(async () => {});
        else steps++;
        return worked;
      });
      return persisted ? die() : value;
    },
  };
}

const depsOver = (db: Db, sealer: Sealer = sealerOf(tsa)): RenewalsDeps => ({
  ...world,
  db,
  log: quietLog,
  secrets,
  authorities: authoritiesOf({ db, clock }, sealer),
  renewBeforeMs: RENEW_BEFORE_DAYS * DAY_MS,
});

const renew = (db: Db = world.db, sealer: Sealer = sealerOf(tsa)): Promise<RenewalRound> =>
  renewDue({ ...depsOver(db, sealer), logOf: async () => world.log }, AbortSignal.timeout(PATIENCE_MS));

/**
 * So many batches of one message, under a certificate that ends soon; then the authority gets one that lasts.
 */
async function dueBatches(count: number): Promise<void> {
  tsa.renewSigner(SHORT_DAYS);
  for (let i = 0; i < count; i++) {
    await addMessages(world.db, world.log, tenantId, 1, clock.now());
    await sealAll(world, tsa);
  }
  tsa.renewSigner(LONG_DAYS);
}

/** How often each batch was renewed. */
async function timesRenewed(): Promise<number[]> {
  const rows = await world.db.query<{ times: number }>(
    `select (select count(*) from renewals r where r.log_id = c.log_id and r.tree_size = c.tree_size)::int as
      times
       from certificates c order by c.tree_size`,
  );
  return rows.map(({ times }) => times);
}

async function expectEachRenewedOnce(): Promise<void> {
  expect(new Set(await timesRenewed())).toEqual(new Set([1]));
  expect(await world.db.query('select from certificates where renewing_until is not null')).toEqual([]);
  const idle =
    'select from renewal_stamps where renewal_stamp_id not in (select renewal_stamp_id from renewals)';
  expect(await world.db.query(idle)).toEqual([]);
}

describe('a process that dies', () => {
  it('before or after any step, loses nothing and costs at most one more time-stamp', async () => {
    const priced = () => sealerOf(tsa, { priceMicros: 1_000 });
    for (const persisted of [false, true]) {
      for (let at = 1; ; at++) {
        await dueBatches(2);
        const before = tsa.requests();
        const db = dyingDb(world.db, { at, persisted });
        const died = await renew(db, priced()).then(
          () => false,
          (error) => error instanceof InjectedCrash,
        );
        clock.forward(LATER_DAYS);
        await renew(world.db, priced());
        expect(tsa.requests() - before, `step ${at}, persisted: ${persisted}`).toBeLessThanOrEqual(
          died ? 2 : 1,
        );
        await expectEachRenewedOnce();
        if (!died) {
          // Claim, both reads, the authority's pauses and success, the stamp, the renewals, their cost, the
          // commit.
          expect(at).toBeGreaterThan(8);
          break;
        }
      }
      expect((await fsck(world)).problems).toEqual([]);
    }
  });

  it('while the authority is asked, leaves its batches to whoever comes after the lease', async () => {
    await dueBatches(2);
    const before = tsa.requests();
    // By the time that the authority answers, the lease has ended, and another process has renewed both.
    const slow = sealerOf(tsa, {
      stamp: async (wanted, signal) => {
        clock.forward(LATER_DAYS);
        expect(await renew()).toMatchObject({ renewed: 2 });
        return sealerOf(tsa).stamp(wanted, signal);
      },
    });
    expect(await renew(world.db, slow)).toMatchObject({ renewed: 0, notDue: 2, postponed: 0 });
    expect(tsa.requests()).toBe(before + 2);
    await expectEachRenewedOnce();
  });
});

it('more than one time-stamp covers is renewed by several, and whoever waits is told how far it is', async () => {
  await dueBatches(5);
  const before = tsa.requests();
  const told: number[] = [];
  const renewals = createRenewals({ ...depsOver(world.db), together: 2 });
  const onRound = ({ renewed }: RenewalRound) => void told.push(renewed);
  expect(await renewals.renewNow({ onRound })).toMatchObject({ renewed: 5, postponed: 0, more: false });
  expect(told).toEqual([2, 4]);
  expect(tsa.requests()).toBe(before + 3);
  await expectEachRenewedOnce();
});
