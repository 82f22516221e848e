import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { formatWitnessKey, readWitnessKey } from '../../src/evidence/witness/key.ts';
import { type RunningWitness, serveWitness } from '../../src/evidence/witness/serve.ts';
import { openWitnessState } from '../../src/evidence/witness/state.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { newKey } from '../support/service.ts';

/**
 * A database that was restored to an earlier point, with no anchor to say so and one witness, which has seen
 * more: the log stops, in public and for whoever runs it, and plain mail goes on.
 */
const folder = tempFolder();
const at = (name: string) => join(folder, name);
const witnessKey = readWitnessKey(formatWitnessKey('witness.test/w', randomBytes(32)));
const env = { ACUSE_SEAL_INTERVAL: '100ms', ACUSE_WITNESSES: at('witnesses.json') };

let database: TestDatabase;
let restored: TestDatabase;
let server: ServerProcess;
let witness: RunningWitness | undefined;
let key = '';
let logKey = '';

async function call(path: string, body?: object): Promise<{ status: number; body: string }> {
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': newKey(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.text() };
}
const send = (certified: boolean) =>
  call('/v1/messages', { from: 'a@sandbox.test', to: 'b@sandbox.test', text: 'x', certified });
const statusOf = async (id: string) => JSON.parse((await call(`/v1/messages/${id}`)).body);

async function sendSealed(): Promise<void> {
  const sent = await send(true);
  expect(sent.status).toBe(201);
  const { id } = JSON.parse(sent.body);
  await vi.waitFor(async () => expect((await statusOf(id)).sealed_at).not.toBeNull(), PATIENCE);
}

/** Leaves that the log shows, and that the witness has. */
const shownSize = async () => Number((await call('/log/checkpoint')).body.split('\n')[1]);
const witnessedSize = () => openWitnessState(at('state'), witnessKey.vkey).find('sandbox.test/log')?.size;

async function start(of: TestDatabase) {
  server = await startServer({ databaseUrl: of.url, dataDir: folder, env });
  key = String(server.sandbox?.['api_key'] ?? key);
  logKey = String(server.sandbox?.['log_key'] ?? '');
}
const run = (...args: string[]) =>
  acuse(args, { DATABASE_URL: restored.url, ACUSE_DATA_DIR: folder, ...env });

async function startWitness(port = 0) {
  witness = await serveWitness(
    {
      key: witnessKey,
      logKeys: logKey === '' ? [] : [parseVerifierKey(logKey, sha256)],
      state: openWitnessState(at('state'), witnessKey.vkey),
      clock: systemClock,
      log: { error() {}, warn() {} },
    },
    { host: '127.0.0.1', port },
  );
  const { vkey } = witnessKey;
  const url = `http://127.0.0.1:${witness.port}`;
  writeFileSync(at('witnesses.json'), JSON.stringify({ quorum: 1, witnesses: [{ url, vkey }] }));
}

beforeAll(async () => {
  database = await testDatabase();
  await startWitness();
  await start(database);
  // It knows the log by its key, which the first start made.
  const { port } = witness!;
  await witness!.stop();
  await startWitness(port);
  await sendSealed();
  await vi.waitFor(async () => expect(witnessedSize()).toBe(await shownSize()), PATIENCE);
  await server.end('SIGTERM');
  restored = await copyDatabase(database.url);
  await start(database);
  await sendSealed();
  await sendSealed();
  await vi.waitFor(async () => expect(witnessedSize()).toBe(await shownSize()), PATIENCE);
  await server.end('SIGTERM');
  await start(restored);
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await witness?.stop();
  await database?.drop();
  await restored?.drop();
});

const shownSizes = (notes: readonly string[]) =>
  notes.map((note) => openCheckpoint(note, [parseVerifierKey(logKey, sha256)]).checkpoint.size);

test('the log stops: not ready, nothing certified is taken, nothing more is signed, and plain mail is sent', async () => {
  await vi.waitFor(async () => expect((await call('/readyz')).status).toBe(503), PATIENCE);
  expect((await call('/readyz')).body).toContain('a witness has shown');
  expect((await call('/healthz')).status).toBe(200);
  const size = await shownSize();
  expect(size).toBeLessThan(witnessedSize()!);
  const refused = await send(true);
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'unavailable']);
  expect((await call('/v1/messages/batch', { messages: [] })).status).toBe(400);
  const plain = await send(false);
  expect(plain.status).toBe(201);
  const { id } = JSON.parse(plain.body);
  await vi.waitFor(async () => expect((await statusOf(id)).status).toBe('sent'), PATIENCE);
  expect(await shownSize()).toBe(size);
});

test('both notes are shown by status and doctor, each signed by the log itself', async () => {
  const shownNow = await shownSize();
  const status = await run('sealing', 'status', '--json');
  const { witness_note, own_note, witness: name } = status.json.logs[0].stop;
  expect(name).toBe('witness.test/w');
  const [witnessed, own] = shownSizes([witness_note, own_note]);
  expect(witnessed).toBe(witnessedSize());
  // The log as it was compared with the witness; a seal under way then may have been published before the
  // stop.
  expect(own).toBeGreaterThan(0);
  expect(own).toBeLessThanOrEqual(shownNow);
  for (const said of [await run('sealing', 'status'), await run('doctor')]) {
    const shown = said.out.replaceAll(/^\s+/gm, '');
    for (const note of [witness_note, own_note])
      for (const line of note.trim().split('\n')) expect(shown).toContain(line);
  }
});

test('it stays so over a restart, without the witness', async () => {
  await server.end('SIGTERM');
  await witness!.stop();
  witness = undefined;
  await start(restored);
  expect((await call('/readyz')).status).toBe(503);
  expect((await send(true)).status).toBe(503);
});

test('only the end of the log goes on, with another one', async () => {
  await server.end('SIGTERM');
  const ended = await run('log', 'end', '--reason', 'restored to an earlier point', '--yes', '--json');
  expect(ended).toMatchObject({ code: 0, json: { ended: true, successor: 'sandbox.test/log-2' } });
  const answers = ['--accept-idempotency-gap', '--without-journal'];
  expect(await run('restore', 'release', ...answers)).toMatchObject({ code: 0 });
  await start(restored);
  expect((await call('/readyz')).status).toBe(200);
  await sendSealed();
  await server.end('SIGTERM');
  expect((await run('fsck', '--json')).json.problems).toEqual([]);
});
