import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openCheckpoint, signCheckpoint } from '@acuse/evidence/checkpoint';
import { assertCosigned, cosign } from '@acuse/evidence/cosignature';
import { leafHash, rootOf } from '@acuse/evidence/merkle';
import { formatSignatureLine, parseNote } from '@acuse/evidence/note';
import { readPinnedPolicy } from '@acuse/evidence/policy';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { verifyBundle } from '@acuse/evidence/verify';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LogSigner, openLog } from '../../src/evidence/log/log-key.ts';
import { findLogsToSequence, findNewestNote } from '../../src/evidence/log/log-store.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { listStoppedLogs, stopLog } from '../../src/evidence/log/stop-store.ts';
import { readWitnesses, type Witnesses } from '../../src/evidence/log/witnesses.ts';
import { createWitnessing } from '../../src/evidence/log/witnessing.ts';
import { addSealingMetrics } from '../../src/evidence/metrics.ts';
import { formatWitnessKey, readWitnessKey } from '../../src/evidence/witness/key.ts';
import { type RunningWitness, serveWitness } from '../../src/evidence/witness/serve.ts';
import { openWitnessState } from '../../src/evidence/witness/state.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { Loop } from '../../src/platform/queue/loop.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { sealMessage } from '../support/sealed.ts';
import { startTestService } from '../support/service.ts';
import { worldOf } from './seal-all.ts';
import { addLeaves, addTenant, openTestDb, openWorld, quietLog, secrets, type World } from './support.ts';

/** One installation: a log of its own, and a witness for the others. */
interface Installation {
  readonly world: World;
  readonly tenantId: string;
  readonly vkey: string;
  readonly url: () => string;
  /** (Re)starts its witness, for these logs. */
  witness(logs: readonly LogSigner[]): Promise<void>;
  stopWitness(): Promise<void>;
  /** A batch of leaves, sequenced. */
  grow(leaves: number): Promise<void>;
  close(): Promise<void>;
}

async function install(name: string): Promise<Installation> {
  const world = await openWorld();
  const log = await openLog({ db: world.db, secrets, clock: world.clock }, `${name}.test/log`);
  const tenantId = await addTenant(world.db);
  const folder = tempFolder();
  const key = readWitnessKey(formatWitnessKey(`${name}.test/witness`, randomBytes(32)));
  let running: RunningWitness | undefined;
  let port = 0;
  const own: World = { ...world, log };
  return {
    world: own,
    tenantId,
    vkey: key.vkey,
    url: () => `http://127.0.0.1:${port}`,
    async witness(logs) {
      running = await serveWitness(
        {
          key,
          logKeys: logs.map((each) => each.key),
          state: openWitnessState(join(folder, 'state'), key.vkey),
          clock: world.clock,
          log: quietLog,
        },
        { host: '127.0.0.1', port },
      );
      port = running.port;
    },
    async stopWitness() {
      await running?.stop();
      running = undefined;
    },
    async grow(leaves) {
      await addLeaves(own.db, log, tenantId, leaves);
      await sequenceBatch(own, log);
    },
    async close() {
      await running?.stop();
      await world.close();
    },
  };
}

const witnessesOf = (...list: { url: string; vkey: string }[]): Witnesses =>
  readWitnesses({ quorum: list.length, witnesses: list });

const loops: Loop[] = [];
/** How long a test waits for a witness that does not answer, and for one that will (ms). */
const [SHORT_MS, LONG_MS] = [300, 30_000];

function follow(world: World, witnesses: Witnesses, db = world.db, timeoutMs = LONG_MS): Loop {
  const loop = createWitnessing({
    db,
    clock: world.clock,
    log: quietLog,
    logSigner: world.log,
    witnesses,
    changes: { announce: async () => {} },
    random: Math.random,
    pollMs: 20,
    timeoutMs,
  });
  loops.push(loop);
  loop.start();
  return loop;
}
const stopLoops = () => Promise.all(loops.splice(0).map((loop) => loop.stop()));
afterEach(stopLoops);

const cosigned = async ({ db, log }: World) =>
  (
    await db.query<{ tree_size: number }>(
      'select tree_size from cosignatures where log_id = $1 order by tree_size',
      [log.logId],
    )
  ).map((row) => row.tree_size);
const stopped = async ({ db }: World) => (await listStoppedLogs(db))[0];
/** Both notes that stopped a log are its own, and the sizes of them. */
async function stoppedSizes(world: World): Promise<number[]> {
  const stop = await eventually(() => stopped(world));
  return [stop!.note, stop!.ownNote!].map((note) => openCheckpoint(note, [world.log.key]).checkpoint.size);
}
const lastError = async ({ db, log }: World) =>
  (
    await db.query<{ last_error: string | null }>('select last_error from witnesses where log_id = $1', [
      log.logId,
    ])
  )[0]?.last_error ?? null;
/** The next request goes out now, however long the back-off was to last. */
const hurry = ({ db }: World) => db.execute("update witnesses set due_at = now() - interval '1 s'");

describe('two installations that witness each other', () => {
  let a: Installation;
  let b: Installation;
  beforeEach(async () => {
    [a, b] = await Promise.all([install('a'), install('b')]);
    await a.witness([b.world.log]);
    await b.witness([a.world.log]);
  });
  afterEach(async () => {
    await stopLoops();
    await Promise.all([a.close(), b.close()]);
  });

  test('each checkpoint is cosigned by the other, in turn, and served so', async () => {
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    follow(b.world, witnessesOf({ url: a.url(), vkey: a.vkey }));
    for (const leaves of [3, 1, 300]) {
      await a.grow(leaves);
      await eventually(async () => (await cosigned(a.world)).length > 0);
    }
    await b.grow(7);
    await eventually(async () => (await cosigned(a.world)).join() === '3,4,304');
    await eventually(async () => (await cosigned(b.world)).join() === '7');
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const { note } = (await findNewestNote(one.world.db, one.world.log.logId))!;
      const { checkpoint } = openCheckpoint(note, [one.world.log.key]);
      const seconds = assertCosigned(parseNote(Buffer.from(note)), parseVerifierKey(other.vkey, sha256));
      expect([checkpoint.origin, Math.abs(seconds - Date.now() / 1000) < 60]).toEqual([
        one.world.log.origin,
        true,
      ]);
    }
  });

  test('one that is down delays nothing, and sees every checkpoint once it is back', async () => {
    await a.grow(5);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    await eventually(async () => (await cosigned(a.world)).join() === '5');
    await b.stopWitness();
    for (let i = 0; i < 4; i++) await a.grow(10);
    await eventually(async () => (await lastError(a.world)) !== null);
    expect(await lastError(a.world)).toMatch(/no answer from http:\/\/127\.0\.0\.1:\d+\/add-checkpoint/);
    const { checkpoint } = openCheckpoint((await findNewestNote(a.world.db, a.world.log.logId))!.note, [
      a.world.log.key,
    ]);
    expect(checkpoint.size).toBe(45);
    await b.witness([a.world.log]);
    await hurry(a.world);
    await eventually(async () => (await cosigned(a.world)).join() === '5,15,25,35,45');
    expect(await lastError(a.world)).toBeNull();
  });

  test('a log that forked gets no cosignature, whichever way it tells its second history', async () => {
    await a.grow(5);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    await eventually(async () => (await cosigned(a.world)).join() === '5');
    await stopLoops();
    await rewrite(a.world);
    await a.grow(5);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    expect(await stoppedSizes(a.world)).toEqual([5, 10]);
    await stopLoops();
    // The same size told anew, as if its cosignature had been lost.
    await goOn(a.world);
    await a.world.db.execute('delete from cosignatures');
    await a.world.db.execute('update witnesses set tree_size = 0');
    await a.world.db.execute('delete from stamp_queue where tree_size > 5');
    await a.world.db.execute('delete from checkpoints where tree_size > 5');
    await a.world.db.execute('update logs set tree_size = 5, published_size = 5');
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    expect(await stoppedSizes(a.world)).toEqual([5, 5]);
    expect(await cosigned(a.world)).toEqual([]);
  });

  test('a log that was rolled back hears that it was', async () => {
    await a.grow(5);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    await eventually(async () => (await cosigned(a.world)).join() === '5');
    await a.grow(5);
    await eventually(async () => (await cosigned(a.world)).join() === '5,10');
    await stopLoops();
    // As from a backup of before.
    for (const table of ['cosignatures', 'stamp_queue', 'checkpoints'])
      await a.world.db.execute(`delete from ${table} where tree_size > 5`);
    await a.world.db.execute('update witnesses set tree_size = 0');
    await a.world.db.execute('update logs set tree_size = 5, published_size = 5');
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    expect(await stoppedSizes(a.world)).toEqual([10, 5]);
    expect((await stopped(a.world))!.witness).toBe('b.test/witness');
    // Whoever has leaves that wait signs nothing, and what was signed once is proof enough.
    await addLeaves(a.world.db, a.world.log, a.tenantId, 3);
    expect(await sequenceBatch(a.world, a.world.log)).toEqual({ kind: 'stopped' });
    expect(await findLogsToSequence(a.world.db, new Date(), new Date())).toEqual([]);
  });

  test('one that was set back while nobody could be asked hears of it with its next checkpoint', async () => {
    await a.grow(5);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    await eventually(async () => (await cosigned(a.world)).join() === '5');
    await stopLoops();
    await b.stopWitness();
    await rewrite(a.world);
    follow(a.world, witnessesOf({ url: b.url(), vkey: b.vkey }));
    await a.grow(5);
    await eventually(async () => (await lastError(a.world)) !== null);
    expect(await stopped(a.world)).toBeUndefined();
    await b.witness([a.world.log]);
    await hurry(a.world);
    expect(await stoppedSizes(a.world)).toEqual([5, 10]);
  });

  test('an answer that was lost on the way is asked for again', async () => {
    await a.grow(5);
    const witnesses = witnessesOf({ url: b.url(), vkey: b.vkey });
    follow(a.world, witnesses);
    await eventually(async () => (await cosigned(a.world)).join() === '5');
    await stopLoops();
    // The witness signed; what we wrote of it did not last.
    await a.world.db.execute('delete from cosignatures');
    await a.world.db.execute('update witnesses set tree_size = 0');
    follow(a.world, witnesses);
    await eventually(async () => (await cosigned(a.world)).join() === '5');
  });

  test('two processes of the sealing role ask for each cosignature once', async () => {
    const second = openTestDb(a.world.url);
    const witnesses = witnessesOf({ url: b.url(), vkey: b.vkey });
    try {
      follow(a.world, witnesses);
      follow(a.world, witnesses, second);
      for (let i = 0; i < 12; i++) await a.grow(2);
      await eventually(async () => (await cosigned(a.world)).at(-1) === 24);
      expect(await lastError(a.world)).toBeNull();
    } finally {
      await stopLoops();
      await second.close();
    }
  });
});

/** As if nobody had stopped it. */
const goOn = ({ db }: World) =>
  db.execute(
    'update logs set stopped_at = null, stop_witness = null, stop_note = null, stop_own_note = null',
  );

/**
 * Attempts of an operator with the log's key: another second leaf, and every tile, root and signature made
 * to fit.
 */
async function rewrite({ db, log }: World): Promise<void> {
  await db.execute("update leaves set canonical_hash = sha256('x') where leaf_index = 1 and log_id = $1", [
    log.logId,
  ]);
  const leaves = await db.query<{ hash: Buffer }>(
    'select canonical_hash as hash from leaves where log_id = $1 order by leaf_index',
    [log.logId],
  );
  const hashes = leaves.map(({ hash }) => leafHash(hash, sha256));
  await db.execute('update log_tiles set hashes = $1 where log_id = $2', [Buffer.concat(hashes), log.logId]);
  const rootHash = rootOf(hashes, sha256);
  const note = signCheckpoint({ origin: log.origin, size: hashes.length, rootHash }, log.signer, sha256);
  await db.execute('update checkpoints set root_hash = $1, note = $2 where log_id = $3', [
    rootHash,
    note,
    log.logId,
  ]);
}

describe('a witness that lies', () => {
  let world: World;
  let server: Server;
  let behave: RequestListener;
  const key = readWitnessKey(formatWitnessKey('liar.test/witness', randomBytes(32)));
  beforeAll(async () => {
    world = await openWorld();
    const tenantId = await addTenant(world.db);
    await addLeaves(world.db, world.log, tenantId, 5);
    await sequenceBatch(world, world.log);
    server = createServer((request, answer) => behave(request, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => world.db.execute('delete from witnesses'));
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await world.close();
  });

  const text = async () =>
    parseNote(Buffer.from((await findNewestNote(world.db, world.log.logId))!.note)).text;
  const line = async (seconds: number, of = '') =>
    formatSignatureLine(cosign(of || (await text()), seconds, key.signer, sha256));
  const say =
    (status: number, body: () => string | Promise<string>): RequestListener =>
    async (_request, answer) =>
      answer.writeHead(status).end(await body());

  test.each<[string, RequestListener, RegExp]>([
    [
      'a signature of another checkpoint',
      say(200, () => line((Date.now() / 1000) | 0, 'other\n1\nAAAA\n')),
      /cosignature/,
    ],
    [
      'a signature of last year',
      say(200, () => line(((Date.now() / 1000) | 0) - 366 * 86_400)),
      /which is not now/,
    ],
    ['a time beyond all calendars', say(200, () => line(9_000_000_000_000)), /which is not now/],
    ['nothing', say(200, () => ''), /note/],
    ['an error page', say(200, () => '<html>'), /note/],
    ['a refusal', say(403, () => 'no\u001b[2J such log'), /HTTP 403: "no \[2J such log"/],
    ['a size that is none', say(409, () => 'many\n'), /HTTP 409/],
    ['the size that we said', say(409, () => '0\n'), /one of the two histories is false/],
    ['a size that we never had', say(409, () => '99\n'), /rolled back/],
    [
      'another size each time',
      (() => {
        let n = 0;
        return say(409, () => `${1 + (n++ % 4)}\n`);
      })(),
      /another size each time/,
    ],
    [
      'a body without end',
      (_request, answer) => {
        const more = () =>
          void (answer.destroyed || answer.write('x'.repeat(60_000), () => setImmediate(more)));
        answer.writeHead(200);
        more();
      },
      /over \d+ bytes/,
    ],
    ['no answer at all', () => {}, /nothing within 300 ms/],
    ['a redirect', (_request, answer) => answer.writeHead(302, { location: '/elsewhere' }).end(), /HTTP 302/],
  ])('%s is no cosignature', async (name, behaviour, reason) => {
    behave = behaviour;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const timeoutMs = name === 'no answer at all' ? SHORT_MS : LONG_MS;
    follow(world, witnessesOf({ url, vkey: key.vkey }), world.db, timeoutMs);
    const error = await eventually(() => lastError(world));
    expect(error).toMatch(reason);
    expect(await cosigned(world)).toEqual([]);
    expect(await stopped(world)).toBeUndefined();
  });

  const ownNote = async () => (await findNewestNote(world.db, world.log.logId))!.note;
  const forged = async (size: number) => {
    const { signer } = readWitnessKey(formatWitnessKey(world.log.origin, randomBytes(32)));
    const rootHash = sha256(randomBytes(32));
    return signCheckpoint({ origin: world.log.origin, size, rootHash }, signer, sha256);
  };
  test.each<[string, () => Promise<string>]>([
    ['a checkpoint that is larger, signed by a key of its own under our name', () => forged(99)],
    ['one of the same size, signed so', () => forged(5)],
    ['what we have ourselves', ownNote],
    ['what we have, enlarged', async () => (await ownNote()).replace('\n5\n', '\n99\n')],
    [
      'another log of the same key',
      async () => (await ownNote()).replace(world.log.origin, 'other.test/log'),
    ],
    ['no checkpoint', async () => '<html>'],
  ])('that says that the log was rolled back, and shows %s, stops nothing', async (_name, note) => {
    behave = async (request, answer) =>
      request.method === 'GET' ? say(200, note)(request, answer) : say(409, () => '99\n')(request, answer);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    follow(world, witnessesOf({ url, vkey: key.vkey }));
    expect(await eventually(() => lastError(world))).toMatch(/rolled back/);
    expect(await stopped(world)).toBeUndefined();
  });
});

describe('what the file of witnesses may hold', () => {
  const vkey = readWitnessKey(formatWitnessKey('witness.example/w1', randomBytes(32))).vkey;
  const one = { url: 'https://witness.example/', vkey };
  test.each([
    [null],
    [[]],
    [{ quorum: 1, witnesses: [] }],
    [{ quorum: 2, witnesses: [one] }],
    [{ quorum: -1, witnesses: [one] }],
    [{ quorum: 1, witnesses: [one, one] }],
    [{ quorum: 1, witnesses: [{ ...one, url: 'ftp://witness.example' }] }],
    [{ quorum: 1, witnesses: [{ ...one, url: 'https://witness.example/?key=1' }] }],
    [{ quorum: 1, witnesses: [{ ...one, vkey: 'witness.example/w1' }] }],
    [
      {
        quorum: 1,
        witnesses: [{ ...one, vkey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW' }],
      },
    ],
    [{ quorum: 1, witnesses: [{ ...one, extra: 1 }] }],
    [{ quorum: 1, witnesses: [{ ...one, monitoring_url: 'ftp://witness.example' }] }],
    [{ quorum: 1, witnesses: Array(17).fill(one) }],
  ])('not %j', (value) => {
    expect(() => readWitnesses(value)).toThrow(/^(witnesses|key): /);
  });

  test('a slash at the end of a prefix counts for nothing', () => {
    const [read] = readWitnesses({ quorum: 1, witnesses: [one] }).list;
    expect([read!.url, read!.monitoringUrl]).toEqual(['https://witness.example', 'https://witness.example']);
    const apart = { ...one, monitoring_url: 'https://shown.example/w/' };
    expect(readWitnesses({ quorum: 1, witnesses: [apart] }).list[0]!.monitoringUrl).toBe(
      'https://shown.example/w',
    );
  });
});

test('a log that was stopped counts no outcomes and promises nothing more, and a scrape says so', async () => {
  const service = await startTestService();
  try {
    const { id } = await sealMessage(service);
    const waiting = await service.send();
    expect(waiting.body.promise).toContain('acuse/promise/v1');
    const { db, services } = service;
    const { note } = (await findNewestNote(db, services.logSigner.logId))!;
    const stop = { witness: 'w.test/w1', note, ownNote: note };
    await db.transact((tx) => stopLog(tx, services.logSigner.logId, stop, services.clock.now()));
    await services.logState.look();

    // As JSON: the ZIP was made, and its count signed, before.
    const headers = { accept: 'application/json' };
    for (const part of ['evidence', 'proof-bundle']) {
      const refused = await service.call('GET', `/v1/messages/${id}/${part}`, { headers });
      expect([part, refused.status, refused.body.error.code]).toEqual([part, 503, 'unavailable']);
      expect(refused.headers['retry-after']).toBe('60');
    }
    // Requests that need no signature are answered.
    const read = await service.call('GET', `/v1/messages/${waiting.body.id}`);
    expect([read.status, read.body.promise]).toEqual([200, null]);
    const metrics = createMetrics({ log: quietLog, process: false });
    addSealingMetrics(metrics, { development: false, ...services, logId: services.logSigner.logId });
    expect(await metrics.text()).toMatch(/^acuse_log_stopped 1$/m);
  } finally {
    await service.stop();
  }
});

test('a bundle carries the cosignatures, and says of the quorum what was configured and what was reached', async () => {
  const folder = tempFolder();
  const key = readWitnessKey(formatWitnessKey('w.test/witness', randomBytes(32)));
  const absent = readWitnessKey(formatWitnessKey('absent.test/witness', randomBytes(32)));
  const file = join(folder, 'witnesses.json');
  const list = [
    { url: 'http://127.0.0.1:1', vkey: key.vkey },
    { url: 'http://127.0.0.1:1', vkey: absent.vkey },
  ];
  writeFileSync(file, JSON.stringify({ quorum: 2, witnesses: list }));
  const service = await startTestService({ environment: { ACUSE_WITNESSES: file } });
  const { db, services } = service;
  const witness = await serveWitness(
    {
      key,
      logKeys: [services.logSigner.key],
      state: openWitnessState(join(folder, 's'), key.vkey),
      clock: services.clock,
      log: quietLog,
    },
    { host: '127.0.0.1', port: 0 },
  );
  try {
    const sealed = await sealMessage(service);
    const before = await verifyBundle(sealed.bundle, { sha256, now: new Date() });
    expect([before.valid, before.facts.witnesses]).toEqual([true, 0]);

    follow(worldOf(service), witnessesOf({ url: `http://127.0.0.1:${witness.port}`, vkey: key.vkey }));
    await eventually(async () => (await db.query('select from cosignatures')).length > 0);
    const { raw } = await service.call('GET', `/v1/messages/${sealed.id}/proof-bundle`);
    const after = await verifyBundle(raw, { sha256, now: new Date() });
    expect([after.valid, after.facts.witnesses]).toEqual([true, 1]);
    expect(after.checks.find(({ name }) => name === 'witness')?.detail).toBe(
      '1 of 2 known witnesses cosigned; the operator asks 2, and made this bundle before it had them',
    );
    // A client that pins both, and wants both, is told that one is missing.
    const policy = JSON.parse(
      (
        await service.call('GET', `/v1/messages/${sealed.id}/proof-bundle`, {
          headers: { accept: 'application/json' },
        })
      ).raw.toString(),
    );
    expect(JSON.stringify(policy)).toContain(absent.vkey);
    const entry = policy.entries.find(({ name }: { name: string }) => name === 'policy.json');
    const own = JSON.parse(entry.text);
    expect([own.witness_quorum, own.witness_reached]).toEqual([2, 1]);
    const trust = readPinnedPolicy(own, sha256);
    expect((await verifyBundle(raw, { sha256, now: new Date(), trust })).valid).toBe(false);
    expect((await service.call('POST', '/v1/verify', { body: { message_id: sealed.id } })).body.valid).toBe(
      true,
    );
  } finally {
    await stopLoops();
    await witness.stop();
    await service.stop();
  }
});
