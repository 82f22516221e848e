import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { draftMessageManifest, finishManifest } from '@acuse/evidence/manifest';
import { leafHash, rootOf } from '@acuse/evidence/merkle';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FsckOptions, fsck } from '../../src/evidence/fsck/fsck.ts';
import { createPageThreads } from '../../src/evidence/fsck/fsck-pages.ts';
import type { FsckResult } from '../../src/evidence/fsck/fsck-report.ts';
import { type FsckState, loadFsckState, saveFsckState } from '../../src/evidence/fsck/fsck-state.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { attempt } from './deliveries.ts';
import { sealAll } from './seal-all.ts';
import {
  addMessages,
  addPlainMessage,
  addTenant,
  openWorld,
  startTsa,
  type TestMessage,
  type World,
} from './support.ts';

/** Each test tampers with a sealed log of its own and looks whether fsck sees that, and nothing else. */
let sealed: TestDatabase;
let world: World;
let tenantId: string;
let messages: TestMessage[];

beforeAll(async () => {
  sealed = await testDatabase();
  const made = await openWorld(systemClock, Promise.resolve(sealed));
  const { db, log } = made;
  const tsa = await startTsa();
  tenantId = await addTenant(db);
  await addPlainMessage(db, log, tenantId);
  messages = await addMessages(db, log, tenantId, 5);
  await sequenceBatch(made, log);
  await attempt(db, [messages[0]!], 'sent');
  messages.push(...(await addMessages(db, log, tenantId, 4)));
  await sealAll(made, tsa);
  // One that is not in the log yet.
  await addMessages(db, log, tenantId, 1);
  await tsa.close();
  await db.close();
});
beforeEach(async () => {
  world = await openWorld(systemClock, copyDatabase(sealed.url));
});
afterEach(() => world.close());
afterAll(() => sealed.drop());

/** Threads stay for the file, the database changes. */
const pages = createPageThreads({
  get connectionString() {
    return world.url;
  },
  threads: 2,
  env: {},
});
afterAll(() => pages.stop());

/** In threads, and here: they say the same, in the same order. */
async function check(options: FsckOptions = {}): Promise<FsckResult> {
  const { onProgress, onState, signal, ...same } = options;
  const result = await fsck({ db: world.db, pages }, options);
  expect(await fsck({ db: world.db }, same)).toEqual(result);
  return result;
}

const tamper = (statement: string, values: unknown[] = []) => world.db.execute(statement, values);

function told(result: FsckResult): string[] {
  return result.problems.map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`);
}

describe('fsck', () => {
  it('finds nothing wrong with what nobody touched, and says how much it saw', async () => {
    const progress: unknown[] = [];
    const result = await check({ onProgress: (step) => progress.push(step) });
    expect(told(result)).toEqual([]);
    expect(result.problemCount).toBe(0);
    expect(result.checked).toEqual({
      logs: 1,
      leaves: 10,
      messages: 9,
      outcomes: 1,
      erased: 0,
      archived: 0,
      tiles: 1,
      checkpoints: 2,
      certificates: 2,
      tenants: 1,
    });
    expect(result.authorities).toMatchObject([{ development: true, certificates: 2 }]);
    expect(progress).toEqual([
      { phase: 'log', done: 10, total: 10 },
      { phase: 'tenants', done: 1, total: 1 },
    ]);
  });

  it('takes content that was erased with its openings for what it is', async () => {
    const { messageId } = messages[0]!;
    const request = { messageId, tenantId, reason: 'asked for', by: 'test', force: true };
    const erasure = await eraseMessage({ ...world, certifiedYears: 10 }, request);
    expect(erasure.kind).toBe('erased');
    const result = await check();
    expect(told(result)).toEqual([]);
    expect(result.checked.erased).toBe(1);
  });

  it('says the same of pages one by one and of many at once', async () => {
    await tamper("update leaves set canonical_hash = sha256('x') where leaf_index in (1, 6)");
    const one = await check({ pageLeaves: 1 });
    expect(told(one)).toContainEqual(expect.stringMatching(/leaf 6/));
    expect(await check({ pageLeaves: 1, parallel: 4 })).toEqual(one);
  });

  it('says that the database is away when a thread finds that', async () => {
    const away = createPageThreads({
      connectionString: 'postgresql://127.0.0.1:1/none',
      threads: 1,
      env: {},
    });
    await expect(fsck({ db: world.db, pages: away })).rejects.toMatchObject({ code: 'unavailable' });
    await away.stop();
  });

  it('throws what went wrong in a thread, and waits for those at work', async () => {
    const count = (change: string) =>
      tamper(`update messages set tenant_sequence = tenant_sequence ${change} where message_id = $1`, [
        messages[3]!.messageId,
      ]);
    await count('+ 9007199254740992');
    await expect(fsck({ db: world.db, pages }, { pageLeaves: 1 })).rejects.toThrow(/fsck-page: int8 out of/);
    await count('- 9007199254740992');
    expect(told(await check({ pageLeaves: 1 }))).toEqual([]);
  });

  const id = 3;
  const cases: [string, () => Promise<unknown>, RegExp[]][] = [
    [
      'a changed leaf',
      () => tamper("update leaves set canonical_hash = sha256('x') where leaf_index = $1", [id]),
      [
        /^canonical_hash: .* leaf 3 .*the manifest hashes to/,
        /^canonical_hash: .* leaf 3 .*next to/,
        /^message: .* leaf 3 .*canonical_hash/,
        /^root: .*checkpoint 5/,
        /^tile: .*hash 3/,
      ],
    ],
    [
      'a dropped leaf',
      () => tamper('delete from leaves where leaf_index = $1', [id]),
      [
        /^leaf_missing: .*leaf 3/,
        /^certified: .*neither in the log/,
        /^counters: .* sealed says 9, there are 8/,
      ],
    ],
    [
      'a message dropped whole',
      dropMessage,
      [
        /^leaf_missing: .*leaf 3/,
        /^tenant_sequence: .*numbers 4 to 4 are missing/,
        /^counters: .*ingested says/,
        /^counters: .*ingested_certified/,
        /^counters: .* sealed/,
      ],
    ],
    [
      'a last message dropped before it was in the log',
      dropPending,
      [
        /^tenant_sequence: .*numbers 10 to 10 are missing/,
        /^counters: .*ingested says/,
        /^counters: .*ingested_certified/,
      ],
    ],
    ['two leaves that changed places', swapLeaves, [/^root: .*checkpoint 5/, /^tile: .*hash 2/]],
    ['an index given twice', repeatIndex, [/^leaf_index: .*leaf 3: two leaves/, /^manifest: .*leaf 3/]],
    [
      'a changed message',
      () =>
        tamper(
          "update message_contents set raw = convert_to(replace(convert_from(raw, 'UTF8'), 'Buenos', 'Buenas'), 'UTF8') where message_id = $1",
          [messages[id]!.messageId],
        ),
      [/^openings: .* leaf 3 .*mail.body does not open/],
    ],
    [
      'a changed request',
      () =>
        tamper("update message_contents set submission = 'x' where message_id = $1", [
          messages[id]!.messageId,
        ]),
      [/^openings: .* leaf 3 .*submission/],
    ],
    [
      'a changed recipient',
      () =>
        tamper("update messages set recipient_address = 'eva@example.test' where message_id = $1", [
          messages[id]!.messageId,
        ]),
      [/^openings: .* leaf 3 .*rcpt_to/],
    ],
    [
      'a changed time',
      () =>
        tamper("update messages set created_at = created_at + interval '1 ms' where message_id = $1", [
          messages[id]!.messageId,
        ]),
      [/^message: .* leaf 3 .*accepted_at/],
    ],
    [
      'a changed manifest',
      () =>
        tamper(
          'update leaf_contents set manifest = convert_to(replace(convert_from(manifest, \'UTF8\'), \'"tenant_sequence":"4"\', \'"tenant_sequence":"5"\'), \'UTF8\') where message_id = $1',
          [messages[id]!.messageId],
        ),
      [/^canonical_hash: .* leaf 3 .*the manifest hashes to/, /^message: .* leaf 3 .*tenant_sequence/],
    ],
    [
      'an unreadable manifest',
      () =>
        tamper("update leaf_contents set manifest = 'x' where message_id = $1", [messages[id]!.messageId]),
      [/^canonical_hash: .* leaf 3/, /^manifest: .* leaf 3 .*not JSON/],
    ],
    [
      'a manifest that is gone',
      () => tamper('delete from leaf_contents where message_id = $1', [messages[id]!.messageId]),
      [/^manifest: .*leaf 3 .*gone/, /^counters: .* sealed/],
    ],
    [
      'content that is gone alone',
      () => tamper('delete from message_contents where message_id = $1', [messages[id]!.messageId]),
      [/^content: .* leaf 3 .*the content is gone/],
    ],
    [
      'openings that are gone alone',
      () =>
        tamper('update leaf_contents set openings = null where message_id = $1', [messages[id]!.messageId]),
      [/^content: .* leaf 3 .*opens the commitments is gone/],
    ],
    [
      'content and openings that are gone together, without a record of it',
      shred,
      [/^content: .* leaf 3 .*the content is gone, and no erasure is on record/],
    ],
    [
      'content and openings that are gone, and a record that they had had their days',
      async () => {
        await shred();
        await tamper(
          "insert into content_deletions (tenant_id, message_id, cause, deleted_at) values ($1, $2, 'retention', now())",
          [tenantId, messages[id]!.messageId],
        );
      },
      [
        /^content: .* leaf 3 .*the content is gone, and no erasure is on record/,
        /^content: .*is certified: nothing deletes its content but an erasure/,
      ],
    ],
    [
      'an erasure on record that was none',
      () =>
        tamper(
          "insert into content_deletions (tenant_id, message_id, cause, deleted_at, reason, deleted_by) values ($1, $2, 'erasure', now(), 'x', 'y')",
          [tenantId, messages[id]!.messageId],
        ),
      [/^content: message .*is recorded as deleted, and is not/],
    ],
    [
      'the openings of an outcome that are gone',
      () => tamper("update leaf_contents set openings = null where kind = 'delivery'"),
      [/^delivery: .* leaf 5 .*what opens it is gone, and no erasure is on record/],
    ],
    [
      'plain content that is gone without a record',
      () =>
        tamper(
          'delete from message_contents where message_id in (select message_id from messages where not certified)',
        ),
      [/^content: message .*the content is gone, and no deletion is on record/],
    ],
    [
      'content that is gone of a message on its way into the log',
      () =>
        tamper('delete from message_contents where message_id in (select message_id from pending_leaves)'),
      [/^content: message .*the content is gone, and no deletion is on record/],
    ],
    [
      'openings cut short',
      () =>
        tamper('update leaf_contents set openings = substring(openings from 1 for 9) where message_id = $1', [
          messages[id]!.messageId,
        ]),
      [/^openings: .* leaf 3 .*9 bytes/],
    ],
    [
      'a delivery moved to another message',
      () =>
        tamper("update leaf_contents set message_id = $1 where kind = 'delivery'", [messages[id]!.messageId]),
      [
        /^leaf: .* leaf 5 .*its manifest is stored as that of/,
        /^outcomes: .*does not have one outcome leaf/,
        /^outcomes: .*does not have one outcome leaf/,
      ],
    ],
    [
      'a changed tile',
      () => tamper("update log_tiles set hashes = sha256('x') || substring(hashes from 33)"),
      [/^tile: .*hash 0 is not/],
    ],
    [
      'a tile cut short',
      () => tamper('update log_tiles set hashes = substring(hashes from 1 for 64)'),
      [/^tile: .*narrower/],
    ],
    ['a missing tile', () => tamper('delete from log_tiles'), [/^tile: .*missing/]],
    [
      'a swapped root',
      () => tamper("update checkpoints set root_hash = sha256('x') where tree_size = 5"),
      [
        /^checkpoint: .*checkpoint 5: is signed for the root/,
        /^root: .*checkpoint 5/,
        /^constancia: .*checkpoint 5: batch .* is not what was reported/,
      ],
    ],
    [
      'a forged note',
      () => tamper("update checkpoints set note = replace(note, E'\\n5\\n', E'\\n6\\n') where tree_size = 5"),
      [/^checkpoint: .*checkpoint 5: .*signature/],
    ],
    [
      'a checkpoint signed anew over a changed tree',
      resign,
      [
        /^constancia: .*checkpoint 5: imprint/,
        /^constancia: .*checkpoint 10: imprint/,
        /^constancia: .*checkpoint 5: batch .* is not what was reported/,
        /^constancia: .*checkpoint 10: batch .* is not what was reported/,
      ],
    ],
    [
      'a dropped checkpoint',
      dropCheckpoint,
      [/^checkpoint: .*checkpoint 10: follows 5, but the one before it is of 0/, /^counters/, /^events/],
    ],
    [
      'a log shortened',
      () => tamper('update logs set tree_size = 9'),
      [
        /^tree_size: .*9 leaves, its newest checkpoint 10/,
        /^tree_size: .*the log has 9 leaves, and is shown up to 10/,
      ],
    ],
    [
      'a log lengthened',
      () => tamper('update logs set tree_size = 12'),
      [
        /^tree_size: .*12 leaves/,
        /^leaf_missing: .*leaf 10/,
        /^leaf_missing: .*leaf 11/,
        /^tile: .*narrower/,
      ],
    ],
    [
      'a broken token',
      () => tamper('update certificates set token = substring(token from 1 for 900) where tree_size = 5'),
      [/^constancia: .*checkpoint 5: encoding/],
    ],
    [
      'a swapped token',
      () => tamper('update certificates set token = (select token from certificates where tree_size = 5)'),
      [/^constancia: .*checkpoint 10: imprint/, /^constancia: .*checkpoint 10/],
    ],
    [
      'another genTime beside the token',
      () => tamper("update certificates set gen_time = gen_time - interval '10 years' where tree_size = 5"),
      [/^constancia: .*checkpoint 5: gen_time/, /^counters/, /^counters/],
    ],
    [
      'another policy beside the token',
      () =>
        tamper('update certificates set policy = policy || \'{"policies": ["1.2.3"]}\' where tree_size = 5'),
      [/^constancia: .*checkpoint 5: policy/],
    ],
    [
      'a profile dressed up',
      () => tamper("update certificates set profile = 'nom151' where tree_size = 5"),
      [/^constancia: .*checkpoint 5: profile is stored as nom151/],
    ],
    [
      'a constancia that is gone',
      () => tamper('delete from certificates where tree_size = 5'),
      [/^stamp: .*checkpoint 5: has no constancia and is not in line/, /^events: /, /^counters: /],
    ],
    [
      'a checkpoint taken back from what was published',
      () => tamper('update logs set published_size = 5'),
      [/^stamp: .*checkpoint 10: has a constancia though it was not published/],
    ],
    [
      'a certified message made plain',
      () =>
        tamper(
          'update messages set certified = false, canonical_hash = null, tenant_sequence = null where message_id = $1',
          [messages[id]!.messageId],
        ),
      [
        /^message: .*tenant_sequence/,
        /^message: .*canonical_hash/,
        /^message: .*certified/,
        /^tenant_sequence: .*numbers 4 to 4/,
        /^certified: .*plain, but has a leaf/,
        /^counters: .*ingested_certified/,
      ],
    ],
    [
      'a sequence number given twice',
      () =>
        tamper('update messages set tenant_sequence = 3 where message_id = $1', [messages[id]!.messageId]),
      [
        /^message: .*tenant_sequence/,
        /^tenant_sequence: .*number 3 was given twice/,
        /^tenant_sequence: .*numbers 4 to 4/,
      ],
    ],
    [
      'a pending leaf changed',
      () => tamper("update pending_leaves set canonical_hash = sha256('x')"),
      [/^pending_leaf: /],
    ],
    [
      'a counter changed',
      () => tamper('update daily_counters set sealed = sealed + 1'),
      [/^counters: .*sealed says 10, there are 9/],
    ],
    [
      'an event told twice',
      () =>
        tamper(
          "insert into events select tenant_id, gen_random_uuid(), message_id, type, occurred_at, data from events where type = 'email.sealed' and message_id = $1",
          [messages[id]!.messageId],
        ),
      [/^events: .* leaf 3 .*recorded 2 times, not 1/],
    ],
    [
      'an event that is gone',
      () =>
        tamper("delete from events where type = 'email.sealed' and message_id = $1", [
          messages[id]!.messageId,
        ]),
      [/^events: .* leaf 3 .*recorded 0 times, not 1/],
    ],
  ];

  it.each(cases)('finds %s', async (_name, tampering, expected) => {
    await tampering();
    const found = told(await check());
    for (const pattern of expected) expect(found.join('\n')).toMatch(new RegExp(pattern.source, 'm'));
    // Nothing but what the tampering touched.
    const unexplained = found.filter((line) => !expected.some((pattern) => pattern.test(line)));
    expect(unexplained).toEqual([]);
  });
});

async function shred() {
  const { messageId } = messages[3]!;
  await tamper('delete from message_contents where message_id = $1', [messageId]);
  await tamper('update leaf_contents set openings = null where message_id = $1', [messageId]);
}

describe('a check that is broken off', () => {
  const small = { pageLeaves: 2, parallel: 3 };
  const path = join(tempFolder(), 'state.json');

  /** Every state that the check passes through, each as the file keeps it. */
  async function statesOf(): Promise<FsckState[]> {
    const states: FsckState[] = [];
    await check({
      ...small,
      onState: (state) => {
        saveFsckState(path, state());
        states.push(loadFsckState(path)!);
      },
    });
    return states;
  }

  it('goes on wherever it was, and comes to the same', async () => {
    await tamper("update leaves set canonical_hash = sha256('x') where leaf_index in (1, 6)");
    await tamper("update checkpoints set root_hash = sha256('x') where tree_size = 10");
    const whole = await check(small);
    const states = await statesOf();
    // Five pages and a tenant.
    expect(states).toHaveLength(6);
    for (const resume of states) expect(await check({ ...small, resume })).toEqual(whole);
  });

  it('stops when it is told to, and leaves a state to go on from', async () => {
    const abort = new AbortController();
    let state: FsckState | null = null;
    const broken = check({
      ...small,
      signal: abort.signal,
      onState: (now) => {
        state = now();
        abort.abort(new Error('killed'));
      },
    });
    await expect(broken).rejects.toThrow('killed');
    expect(state!.result.checked.leaves).toBe(2);
    expect(await check({ ...small, resume: state })).toEqual(await check(small));
  });

  it('sees what the log has got since, and lies about it', async () => {
    const [first, ...later] = await statesOf();
    await addMessages(world.db, world.log, tenantId, 3);
    await sequenceBatch(world, world.log);
    for (const resume of [first!, later.at(-1)!]) {
      const result = await check({ ...small, resume });
      expect(told(result)).toEqual([]);
      expect(result.checked).toMatchObject({ logs: 1, leaves: 14, checkpoints: 3, tenants: 1 });
    }
    await tamper("update leaves set canonical_hash = sha256('x') where leaf_index = 12");
    for (const resume of [first!, later.at(-1)!])
      expect(told(await check({ ...small, resume }))).toContainEqual(
        expect.stringMatching(/^canonical_hash: .* leaf 12 /),
      );
  });

  it('sees a history that is another one now, by the tree that it had built', async () => {
    const resume = (await statesOf())[1]!;
    await resign();
    expect(told(await check({ ...small, resume })).join('\n')).toMatch(/^root: .*checkpoint 5/m);
  });

  it('sees a log that has shrunk', async () => {
    const resume = (await statesOf()).at(-1)!;
    await tamper('delete from certificates where tree_size = 10');
    await tamper('delete from checkpoints where tree_size = 10');
    await tamper('update logs set tree_size = 5');
    expect(told(await check({ ...small, resume })).join('\n')).toMatch(
      /^tree_size: .*the log has 5 leaves, and had 10 before/m,
    );
  });

  it('does not go on with what is no state, or that of another database', async () => {
    expect(loadFsckState(`${path}.none`)).toBeNull();
    const resume = (await statesOf())[0]!;
    const text = readFileSync(path, 'utf8');
    for (const damaged of ['', '{}', text.replace('/v1', '/v2'), text.replace(/"size":\d+/, '"size":-1')]) {
      writeFileSync(path, damaged);
      expect(() => loadFsckState(path)).toThrow(/is not the state of a check/);
    }
    const [position] = resume.logs.values();
    const stranger = { ...resume, logs: new Map([['0197b1a0-0000-7000-8000-000000000009', position!]]) };
    await expect(check({ resume: stranger })).rejects.toThrow(/which is not here/);
  });
});

async function dropMessage() {
  const { messageId } = messages[3]!;
  for (const table of ['leaves', 'leaf_contents', 'message_contents', 'events', 'messages']) {
    await tamper(`delete from ${table} where message_id = $1`, [messageId]);
  }
}

async function dropPending() {
  const [pending] = await world.db.query<{ message_id: string }>('select message_id from pending_leaves');
  for (const table of ['pending_leaves', 'leaf_contents', 'message_contents', 'events', 'messages']) {
    await tamper(`delete from ${table} where message_id = $1`, [pending!.message_id]);
  }
}

async function swapLeaves() {
  await tamper('update leaves set leaf_index = 500, tree_size = 501 where leaf_index = 2');
  await tamper('update leaves set leaf_index = 2 where leaf_index = 3');
  await tamper('update leaves set leaf_index = 3, tree_size = 5 where leaf_index = 500');
}

async function repeatIndex() {
  await tamper(
    `insert into leaves select $1, gen_random_uuid(), log_id, message_id, canonical_hash, leaf_index,
      tree_size
       from leaves where leaf_index = 3`,
    [await addTenant(world.db)],
  );
}

async function dropCheckpoint() {
  await tamper('delete from certificates where tree_size = 5');
  await tamper('delete from checkpoints where tree_size = 5');
}

/**
 * Attempts of an operator with the log's key: another message, and its leaf, every tile, root and
 * signature made to fit.
 */
async function resign() {
  const { messageId, raw } = messages[3]!;
  const [row] = await world.db.query<{
    submission: Buffer;
    openings: Buffer;
    accepted_at: Date;
    recipient_address: string;
    reverse_path: string;
  }>(
    `select c.submission, l.openings, m.created_at as accepted_at, m.recipient_address, m.reverse_path
       from messages m
       join message_contents c using (tenant_id, message_id)
       join leaf_contents l using (tenant_id, message_id)
      where m.message_id = $1`,
    [messageId],
  );
  const forgedRaw = Buffer.from(raw.toString().replace('Buenos', 'Buenas'));
  const draft = draftMessageManifest(
    {
      raw: forgedRaw,
      submission: row!.submission,
      mailFrom: row!.reverse_path,
      rcptTo: row!.recipient_address,
      log: world.log.origin,
      messageId,
      tenantId,
      acceptedAt: row!.accepted_at,
      dkim: [],
      secret: row!.openings,
    },
    sha256,
  );
  const { manifestBytes, canonicalHash } = finishManifest(draft, 4n, sha256);
  await tamper('update message_contents set raw = $2 where message_id = $1', [messageId, forgedRaw]);
  await tamper('update messages set canonical_hash = $2 where message_id = $1', [messageId, canonicalHash]);
  await tamper('update leaf_contents set canonical_hash = $2, manifest = $3 where message_id = $1', [
    messageId,
    canonicalHash,
    manifestBytes,
  ]);
  await tamper('update leaves set canonical_hash = $2 where message_id = $1', [messageId, canonicalHash]);

  const leaves = await world.db.query<{ canonical_hash: Buffer }>(
    'select canonical_hash from leaves order by leaf_index',
  );
  const hashes = leaves.map((leaf) => leafHash(leaf.canonical_hash, sha256));
  await tamper('update log_tiles set hashes = $1', [Buffer.concat(hashes)]);
  for (const size of [5, 10]) {
    const rootHash = rootOf(hashes.slice(0, size), sha256);
    const note = signCheckpoint({ origin: world.log.origin, size, rootHash }, world.log.signer, sha256);
    await tamper('update checkpoints set root_hash = $1, note = $2 where tree_size = $3', [
      rootHash,
      note,
      size,
    ]);
  }
}
