import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, inject, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { createProcesses } from '../support/process.ts';

/** The running service's work for evidence, seen from its API, its tables and its own check. */

const processes = createProcesses();
afterEach(processes.end);

/** Several times the sandbox's sealing interval of a second (ms). */
const SEVERAL_INTERVALS_MS = 3_500;

test('a certified send is sealed by itself; a plain one never gets a leaf', async () => {
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  const service = await processes.start({ databaseUrl });
  const plain = await service.send({ certified: false });
  const certified = await service.send({ certified: true });
  const startedMs = performance.now();
  await eventually(
    async () => (await service.call('GET', `/v1/messages/${certified.body.id}`)).body.sealed_at !== null,
  );
  const sealedAfterMs = performance.now() - startedMs;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, SEVERAL_INTERVALS_MS - sealedAfterMs)));

  const leaves = `select message_id from leaves union all select message_id from pending_leaves
                  union all select message_id from leaf_contents where kind = 'message'`;
  const known = await db.query<{ message_id: string }>(leaves);
  expect(new Set(known.map((row) => row.message_id))).toEqual(new Set([certified.body.id]));
  expect((await service.call('GET', `/v1/messages/${plain.body.id}`)).body).toMatchObject({
    certified: false,
    sealed_at: null,
    promise: null,
  });
  for (const path of ['evidence', 'proof-bundle'])
    expect(await service.call('GET', `/v1/messages/${plain.body.id}/${path}`)).toMatchObject({ status: 422 });
  await service.stop();
  expect(await audit(db)).toEqual([]);
});

test('acuse fsck says clean beside a working service, and names a leaf that SQL changed behind its back', async () => {
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  const service = await processes.start({ databaseUrl });
  const sent = await Promise.all(Array.from({ length: 5 }, () => service.send()));
  await eventually(async () => {
    const [row] = await db.query<{ n: number }>(
      'select count(*) as n from leaves where leaf_id = message_id',
    );
    return row!.n === sent.length;
  });
  const state = join(service.dataDir, 'fsck.json');
  expect(await runFsck(databaseUrl, service.dataDir, '--state', state, '--parallel', '2')).toMatchObject({
    exitCode: 0,
    problemCount: 0,
  });
  // Nothing is left to go on with.
  expect(existsSync(state)).toBe(false);

  const { id } = sent[2]!.body;
  await db.execute(`update leaves set canonical_hash = sha256('another') where message_id = $1`, [id]);
  const found = await runFsck(databaseUrl, service.dataDir);
  expect(found.exitCode).toBe(1);
  expect(found.problems).toContainEqual(
    expect.objectContaining({ check: 'canonical_hash', subject: expect.stringContaining(id) }),
  );
});

interface FsckRun {
  exitCode: number;
  problemCount: number;
  problems: { check: string; subject: string; detail: string }[];
}

/** The program as an operator runs it. */
async function runFsck(databaseUrl: string, dataDir: string, ...options: string[]): Promise<FsckRun> {
  const program = inject('serverProgram') as { path: string };
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir };
  const args = [program.path, 'fsck', '--json', ...options];
  const { stdout, exitCode } = await promisify(execFile)(process.execPath, args, { env }).then(
    ({ stdout }) => ({ stdout, exitCode: 0 }),
    (error: { stdout: string; code: number }) => ({ stdout: error.stdout, exitCode: error.code }),
  );
  return { exitCode, ...JSON.parse(stdout) };
}
