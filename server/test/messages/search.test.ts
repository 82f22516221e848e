import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteMessages } from '../../src/messages/erase-store.ts';
import { readMessages } from '../../src/messages/list.ts';
import { readMessageFilter } from '../../src/messages/list-filter.ts';
import { collectWords } from '../../src/messages/search/collect.ts';
import { COST_MAX } from '../../src/messages/search/search.ts';
import { matches, queryWords, type Searched } from '../../src/messages/search/words.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import type { ScannedList } from '../../src/platform/http/page.ts';
import { type Crowd, fillCrowd } from '../support/crowd.ts';

/** Finding messages by words among more than a page reads, with and without the words collected. */
const MESSAGES = 24_000;
/** Of a segment: so many that some are left over. */
const SEGMENT = 1_000;
const LIMIT = 50;
/** Of a list; the others are as these. */
const PAGES_MAX = 40;
const PACE = { mayGoOn: () => true, rest: async () => {} };

let database: TestDatabase;
let owner: pg.Client;
let crowd: Crowd;
let db: Db;
let all: ({ message_id: string } & Searched)[];

beforeAll(async () => {
  database = await testDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('set role acuse_worker');
  crowd = await fillCrowd(owner, MESSAGES);
  await owner.query(
    `update messages set header_to = 'José Ibáñez <pepe.ibanez@busy.example>', subject = 'Última cotización'
      where message_id = any ($1)`,
    [[crowd.id(0), crowd.id(12_345), crowd.id(MESSAGES - 1)]],
  );
  await owner.query(
    `update messages set last_reply = '{"code":250,"text":"Ok: queued as 4XyZ12ab","enhanced":null,"mx":null}'
      where message_id = $1`,
    [crowd.id(777)],
  );
  await owner.query('analyze messages');
  all = (await owner.query('select message_id, header_to, subject, last_reply from messages order by 1 desc'))
    .rows;
  db = openDb({ connectionString: database.url, poolSize: 4, applicationName: 'search' });
});
afterAll(async () => {
  await Promise.all([owner.end(), db.close()]);
  await database.drop();
});
beforeEach(async () => {
  await owner.query('delete from search_words');
  await owner.query('delete from search_segments');
});

const collect = () => collectWords({ db, clock: systemClock }, crowd.tenantId, PACE, SEGMENT);

/** Page after page. */
async function pages(query: Parameters<typeof readMessageFilter>[0]) {
  const filter = readMessageFilter(query);
  const found: string[][] = [];
  let afterId: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    let last: string | null = null;
    const {
      data,
      scanned_to: scannedTo,
      next_cursor: next,
    }: ScannedList<string> = await readMessages(
      db,
      crowd.tenantId,
      filter,
      { limit: LIMIT, fetch: LIMIT + 1, afterId, list: 'test' },
      (row) => {
        last = row.message_id;
        return row.message_id;
      },
    );
    found.push(data);
    if (next === null) return found;
    afterId = scannedTo === null ? last : idOfCursor(next);
  }
  return found;
}

function idOfCursor(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const matching = (q: string) =>
  all
    .filter((each) => matches(each, queryWords(q)))
    .map((each) => each.message_id)
    .slice(0, PAGES_MAX * LIMIT);

const QUERIES = [
  'ultima cotizacion',
  'IBÁÑEZ',
  'banez@busy',
  'pepe',
  '4xyz12AB',
  'invoice 777 march',
  'r777',
  'example7.com 3',
  'nobody@nowhere.example',
  'invoice zzzyx',
  'of',
];

describe('finds what matches, newest first, page by page', () => {
  test.each(QUERIES)('%s, of messages that are read', async (q) => {
    expect((await pages({ q })).flat()).toEqual(matching(q));
  });

  test('of segments, of those that are not collected yet, and of both', async () => {
    const { segments, more } = await collect();
    expect([segments, more]).toEqual([MESSAGES / SEGMENT, false]);
    for (const q of QUERIES) expect([q, (await pages({ q })).flat()]).toEqual([q, matching(q)]);
    // The newest two segments, and one in between, are read message by message.
    await owner.query(
      'delete from search_segments where after_id in (select after_id from search_segments order by 1 desc limit 2)',
    );
    await owner.query('update search_segments set made = false where after_id < $1 and last_id >= $1', [
      crowd.id(12_345),
    ]);
    for (const q of QUERIES) expect([q, (await pages({ q })).flat()]).toEqual([q, matching(q)]);
  });
});

test('with other filters', async () => {
  await collect();
  const found = await pages({ q: 'invoice', status: ['complained'] });
  const { rows } = await owner.query(
    "select message_id from messages where status = 'complained' and subject like 'Invoice%' order by 1 desc",
  );
  expect(found.flat()).toEqual(rows.map((row) => row.message_id));
  expect((await pages({ q: 'pepe', to: 'nobody@busy.example' })).flat()).toEqual([]);
});

test('a page costs no more than its bound, and says how far it went', async () => {
  const [first, ...others] = await pages({ q: 'nobody@nowhere.example' });
  expect([first, others.length]).toEqual([[], Math.ceil(MESSAGES / COST_MAX) - 1]);
  await collect();
  expect(await pages({ q: 'nobody@nowhere.example' })).toEqual([[]]);
  expect((await pages({ q: 'ibanez' }))[0]).toEqual(matching('ibanez'));
});

test('several processes collect the same words once', async () => {
  const all = await Promise.all([collect(), collect(), collect()]);
  expect(all.reduce((sum, { segments }) => sum + segments, 0)).toBe(MESSAGES / SEGMENT);
  const { rows } = await owner.query(
    'select count(*)::int as overlaps from search_segments a join search_segments b on a.after_id < b.last_id and b.after_id < a.after_id',
  );
  expect(rows[0].overlaps).toBe(0);
});

test('an erasure takes the words at once, and the segment is collected again without them', async () => {
  await collect();
  const id = crowd.id(5_000);
  const wordsWith = async (text: string) =>
    (await owner.query('select count(*)::int as n from search_words where position($1 in words) > 0', [text]))
      .rows[0].n;
  expect(await wordsWith('\n5000 ')).toBeGreaterThan(0);
  const deps = { db, clock: systemClock, certifiedYears: 10 };
  const erased = await eraseMessage(deps, {
    ...{ messageId: id, tenantId: null, reason: 'asked', by: 'test', force: true },
  });
  expect(erased.kind).toBe('erased');
  expect(await wordsWith('\n5000 ')).toBe(0);
  const others = matching('5001');
  expect((await pages({ q: '5001' })).flat()).toEqual(others);
  expect((await pages({ q: '5000' })).flat()).toEqual([]);
  expect(await collect()).toEqual({ segments: 1, more: false });
  expect(await wordsWith('\n5000 ')).toBe(0);
  expect(await wordsWith('\n5001 ')).toBeGreaterThan(0);
  expect((await pages({ q: '5001' })).flat()).toEqual(others);
});

test('a segment whose messages are gone goes too', async () => {
  await collect();
  const gone = Array.from({ length: SEGMENT }, (_, n) => crowd.id(n));
  await owner.query('delete from message_contents where message_id = any ($1)', [gone]);
  await owner.query('delete from content_deletions where message_id = any ($1)', [gone]);
  await db.transact(async (tx) => deleteMessages(tx, crowd.tenantId, gone.slice(0, 10)));
  expect(await collect()).toEqual({ segments: 1, more: false });
  await db.transact(async (tx) => deleteMessages(tx, crowd.tenantId, gone));
  expect(await collect()).toEqual({ segments: 1, more: false });
  const { rows } = await owner.query('select min(after_id::text) as first from search_segments');
  expect(rows[0].first).toBe(gone.at(-1));
  expect((await pages({ q: 'ibanez' })).flat()).toEqual(matching('ibanez').slice(0, -1));
});
