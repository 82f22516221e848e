import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { enterProcesses, type Identity, type OwnProcess } from '../../src/platform/processes.ts';

let database: TestDatabase;
let db: Db;
const entered: OwnProcess[] = [];
const log = { error() {}, warn() {}, info() {} };

beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 6, applicationName: 'test' });
});
beforeEach(async () => {
  await Promise.all(entered.splice(0).map((each) => each.leave()));
  await db.execute('delete from processes');
});
afterAll(() => db.close());

/** True if it found itself alone. */
async function enter(identity?: Identity): Promise<boolean> {
  const freeLeases = vi.fn(async () => {});
  entered.push(
    await enterProcesses({
      db,
      log,
      roles: ['api'],
      freeLeases,
      ...(identity === undefined ? {} : { identity }),
    }),
  );
  return freeLeases.mock.calls.length === 1;
}

const here = () => ({
  boot_id: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
  pid_namespace: readlinkSync('/proc/self/ns/pid'),
});

async function dead(): Promise<Identity> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return { ...here(), pid: child.pid!, started_ticks: 1 };
}

async function standsIn(identity: Identity, beatSecondsAgo = 0): Promise<void> {
  await db.execute(
    `insert into processes (process_id, boot_id, pid_namespace, pid, started_ticks, beat_at)
     values ($1, $2, $3, $4, $5, now() - $6 * interval '1 second')`,
    [newId(), identity.boot_id, identity.pid_namespace, identity.pid, identity.started_ticks, beatSecondsAgo],
  );
}

test('the first process frees what is leased; a second one, while it lives, does not', async () => {
  expect([await enter(), await enter()]).toEqual([true, false]);
  expect(await db.query('select from processes')).toHaveLength(2);
});

test('of many that start at once, one frees what is leased', async () => {
  const alone = await Promise.all(Array.from({ length: 5 }, () => enter()));
  expect(alone.filter(Boolean)).toHaveLength(1);
});

test('one that was killed is known to be dead by its kernel, at once', async () => {
  await standsIn(await dead());
  expect(await enter()).toBe(true);
  expect(await db.query('select from processes')).toHaveLength(1);
});

test('a later process with the number of a dead one is not taken for it', async () => {
  await standsIn({ ...here(), pid: process.pid, started_ticks: 1 });
  expect(await enter()).toBe(true);
});

test('of another machine, or of another container, only silence tells', async () => {
  const identity = await dead();
  await standsIn({ ...identity, boot_id: 'another' });
  await standsIn({ ...identity, pid_namespace: 'pid:[1]' });
  await standsIn({ boot_id: null, pid_namespace: null, pid: 1, started_ticks: null });
  expect(await enter()).toBe(false);
  await db.execute("update processes set beat_at = now() - interval '31 seconds'");
  expect(await enter()).toBe(true);
});

test('one that stopped cleanly leaves nothing behind', async () => {
  await enter();
  await entered.pop()!.leave();
  expect(await db.query('select from processes')).toEqual([]);
});

test('a process hears of others by their beats, and of their leaving', async () => {
  const beating = async () => {
    entered.push(
      await enterProcesses({ db, log, roles: ['api'], freeLeases: async () => {}, beatEveryMs: 5 }),
    );
    return entered.at(-1)!;
  };
  const first = await beating();
  await vi.waitFor(() => expect(first.alone()).toBe(true), PATIENCE);
  const second = await beating();
  await vi.waitFor(() => expect([first.alone(), second.alone()]).toEqual([false, false]), PATIENCE);
  await entered.pop()!.leave();
  await vi.waitFor(() => expect(first.alone()).toBe(true), PATIENCE);
});

test('a process that has not heard anything yet takes itself for one of several', async () => {
  entered.push(
    await enterProcesses({ db, log, roles: ['api'], freeLeases: async () => {}, beatEveryMs: 60_000 }),
  );
  expect(entered.at(-1)!.alone()).toBe(false);
});
