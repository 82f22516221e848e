import type { ServerResponse } from 'node:http';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { type LogEnd, signLogEnd } from '@acuse/evidence/log-end';
import { type LyingLog, startLyingLog } from '@acuse/testkit/lying-log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogClient } from '../../../src/evidence/monitor/log-client.ts';
import { lookOnce } from '../../../src/evidence/monitor/monitor.ts';
import { emptyState, type MonitorState } from '../../../src/evidence/monitor/state.ts';
import { sha256 } from '../../../src/platform/sha256.ts';

/** The end of a log is no excuse for what it denies: a monitor holds it to what it saw. */
let log: LyingLog;
let next: LyingLog;
let state: MonitorState;

beforeEach(async () => {
  log = await startLyingLog();
  next = await startLyingLog('lying.test/log-2');
  state = emptyState();
});
afterEach(async () => {
  await log.close();
  await next.close();
});

async function look(seen: readonly string[] = []) {
  const signal = new AbortController().signal;
  const sleep = async () => {};
  const client = createLogClient({ url: log.url, signal, sleep });
  const deps = { client, key: log.key, now: () => new Date(), sleep, save() {} };
  const within = { constanciaWithinMs: 3_600_000, witnessWithinMs: 3_600_000 };
  const options = {
    promises: [],
    seen,
    secondKeys: [],
    authorities: null,
    witnessKeys: [],
    witnessQuorum: 0,
    ...within,
  };
  return lookOnce(deps, options, state);
}
const codesOf = async (seen?: readonly string[]) => (await look(seen)).alerts.map(({ code }) => code);

function grow(entries: number): string {
  log.append(entries);
  return log.publish();
}
const treeOf = (note: string) => openCheckpoint(note, [log.key]).checkpoint;

/** From now on the log says that it has ended, and what is left of it is under the id of its key. */
function end(change: Partial<LogEnd>, signer = log.signer): void {
  const said: LogEnd = {
    origin: log.key.name,
    ...{ kept: treeOf(log.note()), published: treeOf(log.note()) },
    ...{ endedAt: new Date(), successor: next.key, reason: 'lost', ...change },
  };
  const note = signLogEnd(said, [signer, next.signer], sha256);
  log.lie(/^(end$|of\/|checkpoint$)/, (path, reply) => void answer(path, reply, note));
}

async function answer(path: string, reply: ServerResponse, note: string): Promise<void> {
  if (path === 'end') return void reply.end(JSON.stringify({ ended: [{ origin: log.key.name, note }] }));
  if (path === 'checkpoint') return void reply.end(next.note());
  const rest = path.replace(/^of\/[0-9a-f]{8}\//, '');
  if (rest === 'checkpoint') return void reply.end(log.note());
  const honest = await fetch(`${log.url}/${rest}`);
  reply.writeHead(honest.status).end(new Uint8Array(await honest.arrayBuffer()));
}

test('an end that says what was seen is told, and nothing else', async () => {
  grow(5);
  await look();
  const published = grow(4);
  await look();
  log.rewind(5);
  end({ published: treeOf(published) });
  expect(await codesOf([published])).toEqual(['ended']);
  expect((await look()).incidents).toEqual([]);
});

test('an end that denies leaves that were shown is a rollback, with both statements', async () => {
  grow(5);
  const shown = grow(4);
  await look();
  log.rewind(5);
  end({});
  const { alerts } = await look();
  expect(alerts.map(({ code }) => code)).toEqual(['ended', 'rollback']);
  expect(alerts[1]).toMatchObject({
    detail: expect.stringContaining('a tree of 9 leaves'),
    notes: [shown, expect.any(String)],
  });
  state = emptyState();
  expect(await codesOf([shown])).toEqual(['ended', 'rollback']);
});

test('an end that says another tree than was shown is a fork, and stays one', async () => {
  grow(5);
  await look();
  end({
    kept: { size: 5, rootHash: new Uint8Array(32).fill(7) },
    published: { size: 5, rootHash: new Uint8Array(32).fill(7) },
  });
  expect(await codesOf()).toEqual(['ended', 'fork', 'inconsistent']);
  expect((await look()).incidents).toMatchObject([{ code: 'fork' }]);
});

test('what is left must be what its end says, and is read to its last entry', async () => {
  grow(5);
  await look();
  const published = grow(4);
  end({});
  const { alerts, checkpoint, entries_read: read } = await look();
  expect([alerts.map(({ code }) => code), checkpoint?.size, read]).toEqual([['ended'], 9, 4]);
  state = emptyState();
  end({ kept: { ...treeOf(published), size: 8 } });
  expect(await codesOf()).toEqual(['ended', 'inconsistent']);
});

test('an end that another key signed says nothing', async () => {
  grow(5);
  await look();
  end({}, { ...next.signer, name: log.key.name });
  expect(await codesOf()).toEqual(['checkpoint']);
});
