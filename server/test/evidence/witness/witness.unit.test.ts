import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint, signCheckpoint } from '@acuse/evidence/checkpoint';
import { assertCosigned } from '@acuse/evidence/cosignature';
import { parseNote } from '@acuse/evidence/note';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { formatAddCheckpoint, MAX_ADD_CHECKPOINT_BYTES, readCosignature } from '@acuse/evidence/witness';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatWitnessKey, readWitnessKey } from '../../../src/evidence/witness/key.ts';
import { type RunningWitness, serveWitness } from '../../../src/evidence/witness/serve.ts';
import { openWitnessState } from '../../../src/evidence/witness/state.ts';
import { addCheckpoint, type WitnessDeps } from '../../../src/evidence/witness/witness.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { testLog } from './support.ts';

const key = readWitnessKey(formatWitnessKey('witness.example/w1', randomBytes(32)));
const log = testLog('log.example/a');
const other = testLog('log.example/b');
let folder: string;
let statePath: string;
let running: RunningWitness;
let errors: object[];

const deps = (): WitnessDeps => ({
  key,
  logKeys: [log.key, other.key],
  state: openWitnessState(statePath, key.vkey),
  clock: systemClock,
  log: { error: (fields) => void errors.push(fields), warn: () => {} },
});

beforeEach(async () => {
  folder = tempFolder();
  statePath = join(folder, 'state.json');
  errors = [];
  running = await serveWitness(deps(), { host: '127.0.0.1', port: 0 });
});
afterEach(() => running.stop());

const base = () => `http://127.0.0.1:${running.port}`;
async function post(
  body: string | Uint8Array,
): Promise<{ status: number; type: string | null; body: Uint8Array }> {
  const answer = await fetch(`${base()}/add-checkpoint`, { method: 'POST', body: Buffer.from(body) });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
const statuses = async (...bodies: string[]) => {
  const found: number[] = [];
  for (const body of bodies) found.push((await post(body)).status);
  return found;
};

describe('a witness over HTTP', () => {
  test('cosigns what it can follow, each log on its own, under the key that it names', async () => {
    const named = parseVerifierKey((await (await fetch(`${base()}/key`)).text()).trim(), sha256);
    for (const [one, sizes] of [
      [log, [0, 1, 7, 7, 256, 300]],
      [other, [0, 40, 41]],
    ] as const) {
      for (const [i, size] of sizes.entries()) {
        if (i === 0) continue;
        const answer = await post(one.ask(sizes[i - 1]!, size));
        expect([answer.status, answer.type]).toEqual([200, 'text/plain; charset=utf-8']);
        const { unixSeconds } = readCosignature(
          answer.body,
          parseNote(Buffer.from(one.note(size))).text,
          named,
        );
        expect(Math.abs(unixSeconds - Date.now() / 1000)).toBeLessThan(60);
      }
    }
  });

  test('tells its size to who does not know it, and then goes on', async () => {
    await post(log.ask(0, 100));
    const conflict = await post(log.ask(0, 200));
    expect([conflict.status, conflict.type, text(conflict.body)]).toEqual([409, 'text/x.tlog.size', '100\n']);
    expect((await post(log.ask(100, 200))).status).toBe(200);
  });

  test('signs no fork and no rollback, and says so where the operator reads', async () => {
    await post(log.ask(0, 100));
    expect(
      await statuses(log.ask(100, 100, 'forged'), log.ask(100, 200, 'forged'), log.ask(0, 100, 'forged')),
    ).toEqual([422, 422, 409]);
    expect(await statuses(log.ask(50, 60), log.ask(0, 50), log.ask(100, 50))).toEqual([409, 409, 400]);
    expect(errors).toMatchObject([
      { origin: log.key.name, size: 100, checkpoint: 100 },
      { origin: log.key.name, size: 100, checkpoint: 100 },
    ]);
    // Its state is still the truth.
    expect((await post(log.ask(100, 200))).status).toBe(200);
  });

  test('takes another root at the size that it knows for no conflict, which trying again could mend', async () => {
    // Nothing was cosigned: it knows the empty tree.
    expect(await statuses(log.ask(0, 0), wrongRoot())).toEqual([200, 422]);
    await post(log.ask(0, 100));
    expect(await statuses(log.ask(100, 100), log.ask(100, 100, 'forged'))).toEqual([200, 422]);
    expect(errors).toMatchObject([
      { origin: log.key.name, size: 0 },
      { origin: log.key.name, size: 100 },
    ]);
  });

  test('shows what it cosigned last of each log, with both signatures', async () => {
    const shown = async (origin: string) => {
      const answer = await fetch(`${base()}/${toHex(sha256(utf8(origin)))}/checkpoint`);
      return { status: answer.status, note: await answer.text() };
    };
    expect((await shown(log.key.name)).status).toBe(404);
    for (const [from, to] of [
      [0, 7],
      [7, 100],
    ] as const) {
      await post(log.ask(from, to));
      const { status, note } = await shown(log.key.name);
      expect([status, openCheckpoint(note, [log.key]).checkpoint.size]).toEqual([200, to]);
      expect(() => assertCosigned(parseNote(Buffer.from(note)), key.key)).not.toThrow();
    }
    const before = await shown(log.key.name);
    await post(log.ask(100, 100, 'forged'));
    expect(await shown(log.key.name)).toEqual(before);
    expect((await shown(other.key.name)).status).toBe(404);
    expect((await shown('log.example/stranger')).status).toBe(404);
  });

  test('knows over a restart what it signed before it answered', async () => {
    await post(log.ask(0, 100));
    await running.stop();
    running = await serveWitness(deps(), { host: '127.0.0.1', port: 0 });
    expect((await post(log.ask(0, 100, 'forged'))).status).toBe(409);
    expect((await post(log.ask(100, 101))).status).toBe(200);
  });

  test('of many requests at once, signs one history', async () => {
    const histories = ['true', 'forged', 'third'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const history = histories[i % histories.length]!;
        const { status } = await post(log.ask(0, 100 + (i % 7), history));
        return { history, status };
      }),
    );
    const signed = answers.filter(({ status }) => status === 200);
    expect(signed).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  });

  test.each([
    ['an unknown log', () => testLog('log.example/stranger').ask(0, 5), 404],
    ['a key of its own making', () => testLog(log.key.name).ask(0, 5), 403],
    ['no request', () => 'hello', 400],
    ['nothing', () => '', 400],
    ['a body beyond the limit', () => 'x'.repeat(MAX_ADD_CHECKPOINT_BYTES + 1), 413],
  ])('refuses %s', async (_name, body, status) => {
    expect((await post(body())).status).toBe(status);
    expect((await fetch(`${base()}/healthz`)).status).toBe(200);
  });

  test.each([
    ['GET', '/add-checkpoint', 405],
    ['POST', '/', 404],
    ['GET', '/../key', 200],
    ['GET', '/checkpoint', 404],
  ])('%s %s', async (method, path, status) => {
    expect((await fetch(`${base()}${path}`, { method })).status).toBe(status);
  });

  test('cuts off who sends and sends, and serves others meanwhile', async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const feeding = setInterval(() => socket.write(chunk), 1);
    expect((await post(log.ask(0, 5))).status).toBe(200);
    await closed;
    clearInterval(feeding);
  });
});

/** A checkpoint of no leaves with the root of some. */
function wrongRoot(): string {
  const rootHash = sha256(utf8('no root'));
  const note = signCheckpoint({ origin: log.key.name, size: 0, rootHash }, log.signer, sha256);
  return formatAddCheckpoint({ oldSize: 0, path: [], note });
}

describe('what a witness keeps', () => {
  test('of an earlier version is continued, and shown once something is cosigned', async () => {
    await post(log.ask(0, 5));
    const kept = JSON.parse(readFileSync(statePath, 'utf8'));
    delete kept.logs[log.key.name].note;
    await running.stop();
    writeFileSync(statePath, JSON.stringify(kept));
    running = await serveWitness(deps(), { host: '127.0.0.1', port: 0 });
    const path = `${base()}/${toHex(sha256(utf8(log.key.name)))}/checkpoint`;
    expect((await fetch(path)).status).toBe(404);
    expect(await statuses(log.ask(0, 6), log.ask(5, 6))).toEqual([409, 200]);
    expect((await fetch(path)).status).toBe(200);
  });

  test('nothing is signed that could not be kept', () => {
    const broken = {
      ...deps(),
      state: {
        find: () => null,
        record: () => {
          throw new Error('disk full');
        },
      },
    };
    expect(() => addCheckpoint(broken, Buffer.from(log.ask(0, 5)))).toThrow('disk full');
  });

  test.each([
    ['cut short', (file: string) => file.slice(0, -20)],
    ['of another witness', (file: string) => file.replace('witness.example/w1', 'witness.example/w2')],
    ['with another root', (file: string) => file.replace(/"root": "..../, '"root": "')],
    ['with a size that is none', (file: string) => file.replace(/"size": 5/, '"size": -5')],
    ['empty', () => ''],
    ['of another kind', () => '{}'],
  ])('a state %s is refused, not forgotten', async (_name, damage) => {
    await post(log.ask(0, 5));
    writeFileSync(statePath, damage(readFileSync(statePath, 'utf8')));
    expect(() => openWitnessState(statePath, key.vkey)).toThrow(/damaged|another witness/);
  });

  test('is for nobody else to read, and says what it is', async () => {
    await post(log.ask(0, 5));
    expect(JSON.parse(readFileSync(statePath, 'utf8'))).toMatchObject({
      type: 'acuse/witness-state/v1',
      witness: key.vkey,
      logs: { 'log.example/a': { size: 5 } },
    });
  });
});

describe("a witness's key", () => {
  test("is golang.org/x/mod/sumdb/note's line", () => {
    const line = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
    const read = readWitnessKey(line);
    const published = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64');
    expect(Buffer.from(read.signer.publicKey)).toEqual(published.subarray(1));
    expect(read.vkey).toMatch(/^PeterNeumann\+[0-9a-f]{8}\+BBpc/);
  });

  test.each([
    'PRIVATE+KEY+PeterNeumann+c74f20a4+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
    'PRIVATE+KEY+Peter Neumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
    'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDE=',
    'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    '',
  ])('%j is none', (line) => {
    expect(() => readWitnessKey(line)).toThrow(/^key: /);
  });
});
