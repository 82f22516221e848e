import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDb } from '../../src/platform/database/db.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 1, applicationName: 'acuse-test' });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe('rows that are copied out', () => {
  it('have the values that a query has, of every type that is read, and null', async () => {
    const id = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
    const rows = await db.copyOut(
      `select 7, -8::bigint, 9007199254740991, true, false, 'ñ 漢 📎', '\\x00ff10'::bytea, $1::uuid,
              timestamptz '2026-03-04 05:06:07.089Z', timestamptz '1969-12-31 23:59:59.999Z', '', ''::bytea
        union all
       select null, null, null, null, null, null, null, null, null, null, null, null`,
      [id],
    );
    const read = () => [
      rows.integer(),
      rows.integer(),
      rows.integer(),
      rows.boolean(),
      rows.boolean(),
      rows.text(),
      rows.bytes()?.toString('hex'),
      rows.uuid(),
      rows.time()?.toISOString(),
      rows.time()?.toISOString(),
      rows.text(),
      rows.bytes()?.length,
    ];
    expect(rows.next()).toBe(true);
    expect(read()).toEqual([
      ...[7, -8, 9_007_199_254_740_991, true, false, 'ñ 漢 📎', '00ff10', id],
      ...['2026-03-04T05:06:07.089Z', '1969-12-31T23:59:59.999Z', '', 0],
    ]);
    expect(rows.next()).toBe(true);
    expect(read().every((value) => value == null)).toBe(true);
    expect(rows.next()).toBe(false);
  });

  it('hold records, absent ones among them', async () => {
    const rows = await db.copyOut(
      "select 1, (select record_send(row('a'::text, null::bigint, 5)) where n = 1), n from generate_series(1, 2) n",
      [],
    );
    const read = () => [
      rows.integer(),
      rows.record(() => [rows.text(), rows.integer(), rows.integer()]),
      rows.integer(),
    ];
    expect([rows.next(), read()]).toEqual([true, [1, ['a', null, 5], 1]]);
    expect([rows.next(), read()]).toEqual([true, [1, null, 2]]);
    expect(rows.next()).toBe(false);
  });

  it('come whole, in whatever pieces they travel', async () => {
    const sizes = [0, 1, 65_535, 65_536, 3_000_000, 17];
    const rows = await db.copyOut(
      `select convert_to(repeat('x', size), 'UTF8'), size from unnest('{${sizes}}'::integer[]) as size`,
      [],
    );
    const read: unknown[] = [];
    while (rows.next()) {
      const bytes = rows.bytes()!;
      expect(bytes.every((byte) => byte === 0x78)).toBe(true);
      read.push([bytes.length, rows.integer()]);
    }
    expect(read).toEqual(sizes.map((size) => [size, size]));
  });

  it('take values as values, whatever is in them', async () => {
    for (const text of ["it's", "\\'; select 1; --", '$1', 'back\\slash', '']) {
      const rows = await db.copyOut('select $1, $2::bigint', [text, -5]);
      expect([rows.next(), rows.text(), rows.integer()]).toEqual([true, text, -5]);
    }
    await expect(async () => db.copyOut('select $1', [1.5])).rejects.toThrow('not a value');
    await expect(async () => db.copyOut('select $2', ['x'])).rejects.toThrow('not a value');
  });

  it('say what went wrong, and leave the connection usable', async () => {
    await expect(db.copyOut('select 1 / n from generate_series(3, 0, -1) n', [])).rejects.toMatchObject({
      code: '22012',
    });
    const rows = await db.copyOut('select 9007199254740993', []);
    expect(rows.next()).toBe(true);
    expect(() => rows.integer()).toThrow('int8 out of the safe range: 9007199254740993');
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('see what their transaction wrote, and fail it when they fail', async () => {
    const undone = db.transact(async (tx) => {
      await tx.execute('create temporary table seen (n integer)');
      await tx.execute('insert into seen values (7)');
      const rows = await tx.copyOut('select n from seen', []);
      expect([rows.next(), rows.integer(), rows.next()]).toEqual([true, 7, false]);
      await tx.copyOut('select 1 / 0', []).catch(() => {});
    });
    await expect(undone).rejects.toMatchObject({ code: '22012' });
    expect(await db.query("select to_regclass('seen') as seen")).toEqual([{ seen: null }]);
  });
});
