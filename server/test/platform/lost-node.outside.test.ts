import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { distribute } from '../../src/platform/database/distribute.ts';
import { isUnavailable, lostNode } from '../../src/platform/database/failures.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { readNodes } from '../../src/platform/database/nodes-store.ts';
import { addTenant } from '../evidence/support.ts';
import { CITUS_URL, type CitusDatabase, citusDatabase, NEEDS_CITUS, query } from '../support/citus.ts';

describe.skipIf(CITUS_URL === undefined)(`a cluster that loses a node${NEEDS_CITUS}`, () => {
  let database: CitusDatabase;
  let db: Db;
  /** Of a closed port, which is where the node is from then on. */
  const LOST = '127.0.0.1:1';

  beforeAll(async () => {
    database = await citusDatabase(CITUS_URL!);
    await migrate(database.url);
    const { url, coordinator, workers } = database;
    await distribute({ url, coordinator, workers, shards: 4 });
    db = openDb({ connectionString: url, poolSize: 2, applicationName: 'acuse-test' });
  });
  afterAll(async () => {
    await db?.close();
    await database?.drop();
  });

  test('names it, and goes on for accounts on the others', async () => {
    const tenants: string[] = [];
    for (let n = 0; n < 12; n++) tenants.push(await addTenant(db));
    expect((await db.observe(readNodes)).map(({ reachable }) => reachable)).toEqual([true, true]);
    await query(
      database.url,
      "update pg_dist_node set nodename = '127.0.0.1', nodeport = 1 where nodeid = (select max(nodeid) from pg_dist_node where shouldhaveshards)",
    );
    expect((await db.observe(readNodes)).filter(({ reachable }) => !reachable)).toEqual([
      { name: LOST, reachable: false },
    ]);
    const answers = await Promise.all(
      tenants.map((tenantId) =>
        db.query('select name from tenants where tenant_id = $1', [tenantId]).then(
          (rows) => rows.length,
          (error) => [lostNode(error), isUnavailable(error)],
        ),
      ),
    );
    expect(answers).toContainEqual(1);
    expect(answers).toContainEqual([LOST, true]);
    expect(answers.filter((answer) => answer !== 1).every((answer) => Array.isArray(answer))).toBe(true);
  });
});
