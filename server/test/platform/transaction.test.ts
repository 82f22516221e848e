import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import fc from '@acuse/testkit/properties';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonArray, plainArray, textArray, timeArray } from '../../src/platform/database/array-text.ts';
import { type Db, openDb, type Tx } from '../../src/platform/database/db.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 2, applicationName: 'acuse-test' });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});
beforeEach(() => db.execute('delete from global_suppressions'));

const INSERT = `insert into global_suppressions (address, reason, created_at) values ($1, 'test', now())`;
const stored = async () =>
  (await db.query<{ address: string }>('select address from global_suppressions order by 1')).map(
    (row) => row.address,
  );

describe('a statement that is sent without waiting', () => {
  test('is committed with the rest', async () => {
    const value = await db.transact(async (tx) => {
      tx.send(INSERT, ['a@x.test']);
      await tx.execute(INSERT, ['b@x.test']);
      tx.send(INSERT, ['c@x.test']);
      return 'done';
    });
    expect(value).toBe('done');
    expect(await stored()).toEqual(['a@x.test', 'b@x.test', 'c@x.test']);
  });

  test('fails the transaction with its own error when PostgreSQL refuses it', async () => {
    const done = db.transact(async (tx) => {
      tx.send(INSERT, ['a@x.test']);
      tx.send(INSERT, ['a@x.test']);
      tx.send(INSERT, ['b@x.test']);
    });
    await expect(done).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([]);
  });

  test('fails the transaction when it cannot even be sent, of which PostgreSQL knows nothing', async () => {
    const unsendable = {
      toPostgres() {
        throw new Error('no such value');
      },
    };
    const done = db.transact(async (tx) => {
      tx.send(INSERT, ['a@x.test']);
      tx.send(INSERT, [unsendable]);
    });
    await expect(done).rejects.toThrow('no such value');
    expect(await stored()).toEqual([]);
    // The connection is as good as before.
    await Promise.all([1, 2, 3].map((n) => db.transact(async (tx) => tx.send(INSERT, [`${n}@x.test`]))));
    expect(await stored()).toHaveLength(3);
  });

  test('is undone when the work behind it throws', async () => {
    const done = db.transact(async (tx) => {
      tx.send(INSERT, ['a@x.test']);
      throw new Error('changed my mind');
    });
    await expect(done).rejects.toThrow('changed my mind');
    expect(await stored()).toEqual([]);
  });
});

describe('array parameters as text', () => {
  test('come back as what they were, whatever stands in them', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).filter((it) => !it.includes('\0') && it.isWellFormed()),
      fc.constantFrom('', 'NULL', 'null', '{}', '{"a"}', '"', '\\', '\\"', ',', ' a ', 'a\nb', '(1,2)'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(text)),
        fc.array(fc.array(text)),
        fc.array(fc.integer()),
        async (texts, nested, numbers) => {
          const rows = await db.query<{ texts: string[]; nested: string[]; numbers: number[] }>(
            'select $1::text[] as texts, $2::text[] as nested, $3::integer[] as numbers',
            [textArray(texts), textArray(nested.map(textArray)), plainArray(numbers)],
          );
          expect(rows[0]).toEqual({ texts, nested: nested.map(textArray), numbers });
          const inner = await db.query<{ inner: string[] }>(
            'select t.it::text[] as inner from unnest($1::text[]) with ordinality as t (it, at) order by t.at',
            [textArray(nested.map(textArray))],
          );
          expect(inner.map((row) => row.inner)).toEqual(nested);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('of times is read back to the millisecond, with those that are none', async () => {
    const times = fc.array(
      fc.option(fc.date({ min: new Date(0), max: new Date('2200'), noInvalidDate: true })),
    );
    await fc.assert(
      fc.asyncProperty(times, async (given) => {
        // Each twice: a text that is kept is that of its own time.
        const wanted = given.flatMap((time) => [time, time]);
        const values = [timeArray(wanted)];
        const [row] = await db.query<{ times: unknown }>('select $1::timestamptz[] as times', values);
        expect(row!.times).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });

  test('of JSON text is read back as what was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Characters that PostgreSQL's text cannot hold are taken out before: no NUL, no half of a surrogate
        // pair.
        fc.array(fc.option(fc.json({ stringUnit: 'grapheme' }).filter((json) => !json.includes('\\u0000'))), {
          maxLength: 8,
        }),
        async (texts) => {
          const [row] = await db.query<{ texts: string[] }>('select $1::text[] as texts', [jsonArray(texts)]);
          expect(row!.texts).toEqual(texts);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the end of a transaction', () => {
  async function toldOf(work: (tx: Tx) => Promise<unknown>) {
    const told: boolean[] = [];
    const done = db
      .transact(async (tx) => {
        tx.onEnd((committed) => void told.push(committed));
        return work(tx);
      })
      .then(
        () => [...told],
        () => null,
      );
    // Nobody hears of it before.
    return { before: await done, told };
  }

  test('is told before anybody hears of the commit', async () => {
    const { before, told } = await toldOf(async (tx) => tx.send(INSERT, ['a@x.test']));
    expect([before, told]).toEqual([[true], [true]]);
    expect(await stored()).toEqual(['a@x.test']);
  });

  test.each([
    ['its work throws', () => Promise.reject(new Error('changed my mind'))],
    ['a statement fails', async (tx: Tx) => tx.send('select 1 / 0')],
    ['its connection is lost', (tx: Tx) => tx.query('select pg_terminate_backend(pg_backend_pid())')],
  ] as const)('is told as no commit when %s', async (_, work) => {
    const { before, told } = await toldOf(work);
    expect([before, told]).toEqual([null, [false]]);
  });

  test('is told of each try', async () => {
    let tries = 0;
    const { told } = await toldOf(async (tx) => {
      if (tries++ === 0) await tx.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
    });
    expect(told).toEqual([false, true]);
  });
});
