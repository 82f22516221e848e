import '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { createBarrier } from '../../src/platform/database/durability.ts';
import { isUnavailable } from '../../src/platform/database/failures.ts';
import { createLeases } from '../../src/platform/queue/leases.ts';
import { createLoop } from '../../src/platform/queue/loop.ts';
import { type SynchronousPair, startSynchronousPair } from '../support/synchronous-pair.ts';

const HERE = { waits: true, server: 'here' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a barrier', () => {
  test('is shared by all who came before it was sent, and by nobody who came later', async () => {
    const sent: (() => void)[] = [];
    const barrier = createBarrier(() => new Promise((resolve) => sent.push(() => resolve('here'))));
    const passed: string[] = [];
    const ask = (name: string) => barrier.passed(HERE).then(() => passed.push(name));
    const asked = [ask('a'), ask('b')];
    await turn();
    expect(sent).toHaveLength(1);
    asked.push(ask('c'), ask('d'));
    await turn();
    // One under way at a time.
    expect(sent).toHaveLength(1);
    sent[0]!();
    await turn();
    expect([passed, sent.length]).toEqual([['a', 'b'], 2]);
    sent[1]!();
    await Promise.all(asked);
    expect(passed).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is not sent where nothing waits for a standby', async () => {
    const barrier = createBarrier(() => Promise.reject(new Error('sent')));
    await barrier.passed({ waits: false, server: 'here' });
  });

  test('is in doubt when it takes too long, fails, or another server answers; the next one is sent all the same', async () => {
    let answer: () => Promise<string> = () => new Promise((resolve) => setTimeout(resolve, 50, 'here'));
    const barrier = createBarrier(() => answer(), 10);
    await expect(barrier.passed(HERE)).rejects.toMatchObject({ code: '40003' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    answer = () => Promise.reject(new Error('gone'));
    await expect(barrier.passed(HERE)).rejects.toMatchObject({ code: '40003' });
    answer = async () => 'elsewhere';
    await expect(barrier.passed(HERE)).rejects.toMatchObject({ code: '40003' });
    answer = async () => 'here';
    await barrier.passed(HERE);
  });
});

describe('with a synchronous standby', () => {
  let pair: SynchronousPair;
  let db: Db;
  beforeAll(async () => {
    pair = await startSynchronousPair();
  });
  afterAll(() => pair.end());
  beforeEach(() => {
    db = openDb({ connectionString: pair.url, poolSize: 4, applicationName: 'test', barrierTimeoutMs: 300 });
  });
  afterEach(async () => {
    await pair.thaw();
    await db.close();
    await pair.onPrimary('alter role acuse reset all');
    await pair.onPrimary('delete from global_suppressions');
  });

  const INSERT = `insert into global_suppressions (address, reason, created_at) values ($1, 'test', now())`;
  const COUNT = 'select count(*)::int as n from global_suppressions';
  const count = (tx: Pick<Db, 'query'>) => tx.query<{ n: number }>(COUNT).then((rows) => rows[0]!.n);
  /** The state once the standby answers in time again: a busy machine needs longer than a barrier. */
  const confirmed = () =>
    eventually(() =>
      db.transact(count).catch((error) => {
        if (error.code === '40003') return null;
        throw error;
      }),
    );
  const onStandby = async () => (await pair.onStandby(COUNT))[0].n as number;
  const TENANT = '01900000-0000-7000-8000-000000000001';

  const WRITES: [string, () => Promise<unknown>][] = [
    ['a statement alone', () => db.execute(INSERT, ['a@x.test'])],
    ['a statement that returns rows', () => db.query(`${INSERT} returning address`, ['a@x.test'])],
    ['a transaction', () => db.transact((tx) => tx.execute(INSERT, ['a@x.test']))],
    ['a transaction without a barrier', () => db.observe((tx) => tx.execute(INSERT, ['a@x.test']))],
  ];
  const BREAKS = ['pg_cancel_backend', 'pg_terminate_backend'];

  for (const by of BREAKS)
    test.each(WRITES)(`a commit whose wait is broken off by ${by} is in doubt: %s`, async (_, write) => {
      await pair.freeze();
      const written = write();
      written.catch(() => {});
      const [pid] = await pair.waiting();
      await pair.onPrimary(`select ${by}($1)`, [pid]);
      const error = await written.catch((thrown) => thrown);
      expect(isUnavailable(error)).toBe(true);
      // Visible here, and not there.
      expect([await count(db), await onStandby()]).toEqual([1, 0]);
      await expect(db.transact(count)).rejects.toMatchObject({ code: '40003' });
      await pair.thaw();
      expect([await confirmed(), await onStandby()]).toEqual([1, 1]);
    });

  test('what a read rests on is confirmed for answers and refusals alike, and not for what only wrote or is only looked at', async () => {
    await pair.freeze();
    const doubt = { code: '40003' };
    await expect(db.transact(count)).rejects.toMatchObject(doubt);
    await expect(db.asTenant(TENANT, (tx) => tx.query('select 1'))).rejects.toMatchObject(doubt);
    const refused = db.transact(async (tx) => {
      await count(tx);
      throw new Error('there is one already');
    });
    await expect(refused).rejects.toMatchObject(doubt);
    const nothing = db.transact((tx) => tx.execute("delete from global_suppressions where address = 'x'"));
    await expect(nothing).rejects.toMatchObject(doubt);
    expect(await db.observe(count)).toBe(0);
    expect(await count(db)).toBe(0);
  });

  test('a setting of the role does not take the wait or its warning away', async () => {
    await pair.onPrimary('alter role acuse set synchronous_commit = off');
    await pair.onPrimary('alter role acuse set client_min_messages = error');
    await pair.freeze();
    const written = db.transact((tx) => tx.execute(INSERT, ['a@x.test']));
    written.catch(() => {});
    const [pid] = await pair.waiting();
    await pair.onPrimary('select pg_cancel_backend($1)', [pid]);
    await expect(written).rejects.toMatchObject({ code: '40003' });
  });

  test('another warning with the same code is no doubt: a statement on what belongs to somebody else', async () => {
    await pair.onPrimary('alter table global_suppressions owner to acuse');
    await db.transact(async (tx) => {
      await tx.execute('set local role acuse_worker');
      await tx.execute('analyze global_suppressions');
      await tx.execute("do $$ begin raise warning 'of a function' using errcode = '01000'; end $$");
      await tx.execute(INSERT, ['a@x.test']);
    });
    expect([await count(db), await onStandby()]).toEqual([1, 1]);
  });

  test('statement_timeout does not end the wait', async () => {
    await pair.freeze();
    let ended = false;
    const written = db.transact(async (tx) => {
      await tx.execute('set local statement_timeout = 100');
      await tx.execute(INSERT, ['a@x.test']);
    });
    void written.finally(() => (ended = true));
    const [pid] = await pair.waiting();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect([ended, await pair.waiting()]).toEqual([false, [pid]]);
    await pair.thaw();
    await written;
    expect(await onStandby()).toBe(1);
  });

  test('after a crash of the primary what only it has is visible, and not answered with', async () => {
    await pair.freeze();
    const written = db.transact((tx) => tx.execute(INSERT, ['a@x.test']));
    written.catch(() => {});
    await pair.waiting();
    await pair.killPrimary();
    await expect(written).rejects.toThrow();
    await pair.restartPrimary();
    expect(await count(db)).toBe(1);
    await expect(db.transact(count)).rejects.toMatchObject({ code: '40003' });
    await pair.thaw();
    expect([await confirmed(), await onStandby()]).toEqual([1, 1]);
  });

  test('a loop begins nothing that it claimed in doubt', async () => {
    await pair.onPrimary(INSERT.replace('$1', "'a@x.test'"));
    const begun: string[] = [];
    const recorded: number[] = [];
    const loop = createLoop<string, string>({
      name: 'test',
      clock: systemClock,
      log: { error: () => {}, warn: () => {} },
      concurrency: 1,
      pollMs: 20,
      shards: async () => ['one'],
      async claim() {
        const rows = await db.query<{ address: string }>(
          `update global_suppressions set reason = 'claimed' where reason = 'test' returning address`,
        );
        return rows.map(({ address }) => address);
      },
      leases: createLeases<string>({
        ...{ clock: systemClock, log: { error() {}, warn() {} }, name: 'test' },
        keyOf: (address) => address,
        extend: async (addresses) => new Set(addresses),
      }),
      async act(address) {
        begun.push(address);
        return address;
      },
      async record() {
        recorded.push(
          await db.transact((tx) =>
            tx.execute(`update global_suppressions set reason = 'done' where reason = 'claimed'`),
          ),
        );
      },
    });
    await pair.freeze();
    loop.start();
    try {
      const [claiming] = await pair.waiting();
      await pair.onPrimary('select pg_cancel_backend($1)', [claiming]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(begun).toEqual([]);
      await pair.thaw();
      // Its lease ends.
      await pair.onPrimary(`update global_suppressions set reason = 'test'`);
      await expect.poll(() => recorded).toEqual([1]);
      expect(begun).toEqual(['a@x.test']);
    } finally {
      await pair.thaw();
      await loop.stop();
    }
  });
});
