import { eventually } from '@acuse/testkit/eventually';
import {
  type FaultyStore,
  type S3Server,
  s3Missing,
  startCarelessStore,
  startFaultyStore,
  startS3Server,
} from '@acuse/testkit/s3-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { acuse } from '../cli/run.ts';
import { readExposition } from '../support/exposition.ts';
import { createProcesses } from '../support/process.ts';

/** A service whose anchor and mirror are in an S3-compatible store. */
const processes = createProcesses();
const envAt = (url: string, bucket: string) => ({
  ACUSE_LOG_ANCHOR: `s3://${bucket}/acuse`,
  ACUSE_LOG_MIRROR: `s3://${bucket}/acuse/`,
  ACUSE_S3_ENDPOINT: url,
  AWS_ACCESS_KEY_ID: 'acuse-test',
  AWS_SECRET_ACCESS_KEY: 'secret-of-acuse-test',
});
afterEach(() => processes.end());

test('a store that ignores conditions is refused at the start, with the reason', async () => {
  const careless = await startCarelessStore('both');
  try {
    const databaseUrl = await processes.database();
    const env = envAt(careless.url, 'bucket');
    await expect(processes.start({ databaseUrl, env })).rejects.toThrow(
      /store of s3:\/\/bucket\/acuse does not keep to conditional writes/,
    );
  } finally {
    await careless.close();
  }
});

test('a bucket without credentials, and a place that is neither, are refused', async () => {
  const said = await acuse(['log', 'anchor'], { ACUSE_LOG_ANCHOR: 's3://bucket/acuse' });
  expect([said.code, said.err]).toEqual([2, expect.stringContaining('needs AWS_ACCESS_KEY_ID')]);
  for (const place of ['https://bucket.example/x', 's3://B', 's3://bucket/a/../b', 's3://bucket/a b']) {
    const refused = await acuse(['log', 'anchor'], { ACUSE_LOG_ANCHOR: place });
    expect([refused.code, refused.err], place).toEqual([2, expect.stringContaining('s3://bucket/prefix')]);
  }
});

if (s3Missing === null) {
  let s3: S3Server;
  let faulty: FaultyStore;
  beforeAll(async () => {
    s3 = await startS3Server();
  });
  afterAll(() => s3.stop());
  beforeEach(async () => {
    faulty = await startFaultyStore(s3.url);
  });
  afterEach(() => faulty.close());

  test('mail is sealed with both in a bucket; while it hangs sends are accepted and seals wait', async () => {
    const bucket = s3.bucket();
    const databaseUrl = await processes.database();
    const service = await processes.start({ databaseUrl, env: envAt(faulty.url, bucket) });
    const sealed = async (id: string) =>
      (await service.call('GET', `/v1/messages/${id}`)).body.sealed_at !== null;
    const { body: first } = await service.send({ certified: true });
    await eventually(() => sealed(first.id));
    faulty.decide = () => 'hang';
    const { status, body: second } = await service.send({ certified: true });
    expect(status).toBe(201);
    const metric = async (name: string) =>
      readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text()).value(name);
    await eventually(async () => (await metric('acuse_log_anchor_reachable')) === 0);
    expect(await sealed(second.id)).toBe(false);
    faulty.decide = () => 'pass';
    await eventually(() => sealed(second.id));
    await eventually(async () => (await metric('acuse_log_anchor_reachable')) === 1);

    const env = { DATABASE_URL: databaseUrl, ...envAt(s3.url, bucket) };
    const held = await acuse(['log', 'anchor', '--json'], env);
    expect([held.code, held.json.anchor]).toEqual([0, `s3://${bucket}/acuse`]);
    const mirrored = await acuse(['log', 'mirror', '--json'], env);
    expect([mirrored.code, mirrored.json.mirror]).toEqual([0, `s3://${bucket}/acuse`]);
    const { json: looked } = await acuse(['doctor', '--json'], { ...env, ACUSE_DELIVERY: 'sandbox' });
    const of = (check: string) => looked.findings.filter((each: { check: string }) => each.check === check);
    expect([...of('anchor'), ...of('mirror')]).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    const careless = await startCarelessStore('if-match');
    const lost = { ...env, ACUSE_S3_ENDPOINT: careless.url };
    const adopted = await acuse(['log', 'anchor', '--adopt', '--json'], lost);
    expect([adopted.code, adopted.json.error.code]).toEqual([1, 'conditions_ignored']);
    await careless.close();
    const away = { ...env, ACUSE_S3_ENDPOINT: 'http://127.0.0.1:9' };
    const gone = await acuse(['log', 'anchor'], away);
    expect([gone.code, gone.err]).toEqual([3, expect.stringContaining('look at the store')]);
    await expect(processes.start({ databaseUrl, env: away })).rejects.toThrow(/cannot be reached/);
  });
} else {
  test.skip(`mail is sealed with both in a bucket ${s3Missing}`, () => {});
}
