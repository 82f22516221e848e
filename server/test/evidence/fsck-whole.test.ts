import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as deletions from '../../src/evidence/fsck/fsck-deletion-store.ts';
import * as lives from '../../src/evidence/fsck/fsck-life-store.ts';
import * as records from '../../src/evidence/fsck/fsck-store.ts';
import type { Tx } from '../../src/platform/database/db.ts';
import { readWhole } from '../../src/platform/database/read-whole.ts';
import { type Crowd, fillCrowd } from '../support/crowd.ts';

/**
 * Questions of fsck to all rows of an account, before its tables have statistics: no row may be held to each
 * other row. That costs no buffers, but the square of the rows: 20 000 outcomes took 22 s.
 */
const MESSAGES = 5_000;
const TABLES = ['messages', 'leaf_contents', 'leaves', 'pending_leaves', 'attempts', 'events'];
const STATEMENTS: [string, (tx: Tx, tenantId: string) => Promise<unknown>][] = [
  ['numbers', records.findSequenceFaults],
  ['certified messages', records.findCertifiedWithoutLeaf],
  ['outcomes on record', records.findOutcomesWithoutLeaf],
  ['outcomes in no log', lives.findOutcomesInNoLog],
  ['lives', lives.findLifeFaults],
  ['idempotency keys', lives.findWrongClaims],
  ['plain messages', records.findPlainWithLeaf],
  ['vanished content', deletions.findVanishedContent],
  ['undeleted content', deletions.findUndeletedContent],
  ['certified content', deletions.findCertifiedRetention],
  ['pending leaves', records.findWrongPending],
];

let database: TestDatabase;
let owner: pg.Client;
let crowd: Crowd;

beforeAll(async () => {
  database = await testDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  for (const table of TABLES) await owner.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await owner.query('set role acuse_worker');
  crowd = await fillCrowd(owner, MESSAGES);
  // An outcome for every message, as a leaf that is in the log.
  await owner.query(
    `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, ordinal, canonical_hash, manifest, created_at)
     select tenant_id, gen_random_uuid(), message_id, 'delivery', 1, sha256('x'), 'x', created_at from messages`,
  );
  await owner.query(
    `insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
     select tenant_id, leaf_id, $1, message_id, canonical_hash, 1000000 + row_number() over (), 2000000
       from leaf_contents where kind = 'delivery'`,
    [crowd.logId],
  );
  await owner.query(
    `insert into attempts (tenant_id, message_id, attempt, started_at, finished_at, outcome, sessions)
     select tenant_id, message_id, 1, created_at, created_at, 'sent', '[]' from messages
     on conflict do nothing`,
  );
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

interface Plan {
  'Rows Removed by Join Filter'?: number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Pairs of rows that were held to each other and did not belong together. */
function comparisons(plan: Plan): number {
  const own = (plan['Rows Removed by Join Filter'] ?? 0) * plan['Actual Loops'];
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + comparisons(each), 0);
}

/** A transaction that has each statement explained. */
function explaining(found: Plan[]): Tx {
  return {
    send: (text: string, values: unknown[]) => void owner.query(text, values),
    async query(text: string, values: unknown[]) {
      const { rows } = await owner.query(`explain (analyze, timing off, format json) ${text}`, values);
      found.push(rows[0]['QUERY PLAN'][0].Plan);
      return [];
    },
  } as unknown as Tx;
}

test.each(STATEMENTS)('%s', async (_, statement) => {
  const found: Plan[] = [];
  const tx = explaining(found);
  await owner.query('begin');
  try {
    readWhole(tx);
    await statement(tx, crowd.tenantId);
  } finally {
    await owner.query('rollback');
  }
  expect(found).not.toEqual([]);
  for (const plan of found) expect(comparisons(plan)).toBeLessThan(4 * MESSAGES);
});
