import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acuse } from '../cli/run.ts';
import { manifestOf } from '../support/damaged-backups.ts';
import { keepBundle, sendCertified, untilSealed } from '../support/ended-log.ts';
import { createProcesses, type Service } from '../support/process.ts';

/**
 * Backups of an embedded database whose log was ended: what comes back goes on with the new log, and knows
 * of the old one what the database knew.
 */
const processes = createProcesses();
const folder = tempFolder();
const at = (name: string) => join(folder, name);
const anchor = { ACUSE_LOG_ANCHOR: at('anchor') };
/** The master key is in the data folder. */
const env = { ...anchor, ACUSE_MASTER_KEY: '', ACUSE_SEAL_INTERVAL: '100ms' };
const ANSWERS = ['--accept-idempotency-gap', '--without-journal'];
const END = ['log', 'end', '--reason', 'disk and WAL lost', '--yes', '--json'];

const own = (name: string) => ({ ACUSE_DATA_DIR: at(name), ...anchor });
const run = (name: string, ...args: string[]) => acuse(args, own(name));
const start = (name: string) => processes.start({ dataDir: at(name), env });
const take = async (name: string) =>
  (await run(name, 'backup', '--to', at('backups'), '--json')).json.backup as string;
const keyOf = async (service: Service) => String((await service.call('GET', '/log/key')).body).trim();
const monitor = (service: Service, key: string, state: string) =>
  acuse(['monitor', `${service.baseUrl}/log`, '--key', key, '--state', at(state), '--json']);

let service: Service;
let backup = '';
let newKey = '';
const ids = { old: '', fresh: '' };

/** Restored to `name`, where no service runs yet. */
async function restored(from: string, name: string): Promise<void> {
  const args = ['restore', 'run', '--from', from, '--data-dir', at(name), '--json'];
  const done = await acuse(args, own(name));
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.json).toMatchObject({ key_fits: true });
}

async function released(name: string): Promise<void> {
  expect((await run(name, 'restore', 'release', ...ANSWERS)).out).toContain('✓');
}

async function sendSealed(): Promise<string> {
  const id = await sendCertified(service);
  await untilSealed(service, id, 1);
  return id;
}

beforeAll(async () => {
  mkdirSync(at('anchor'));
  service = await start('first');
  ids.old = await sendSealed();
  const before = await take('first');
  await sendSealed();
  await service.kill9();

  await restored(before, 'second');
  const { code, json } = await run('second', ...END);
  expect([code, json.successor]).toEqual([0, 'sandbox.test/log-2']);
  await released('second');
  service = await start('second');
  newKey = await keyOf(service);
  ids.fresh = await sendSealed();
  expect(await monitor(service, newKey, 'state.json')).toMatchObject({ code: 0 });
  backup = await take('second');
  await service.stop();
});
afterAll(() => processes.end());

test('its manifest has both logs, and a drill passes, held to the anchor of the one that goes on', async () => {
  const { logs } = manifestOf(backup);
  expect(logs).toMatchObject([
    { origin: 'sandbox.test/log', size: 2 },
    { origin: 'sandbox.test/log-2', size: 2 },
  ]);
  const args = ['restore', 'drill', '--from', backup, '--scratch', tempFolder(), '--json'];
  const { code, err, json } = await acuse(args, own('second'));
  expect([code, err]).toEqual([0, '']);
  expect(json).toMatchObject({
    ...{ ok: true, problemCount: 0, key_fits: true },
    checked: { logs: 2, leaves: 4 },
    against: [{ kind: 'same', origin: 'sandbox.test/log-2', size: 2 }],
  });
});

test('what it restores seals on in the new log, with its key, for a monitor that knew it', async () => {
  await restored(backup, 'third');
  const check = await run('third', 'restore', 'check', '--json');
  expect([check.code, check.json.problems]).toEqual([0, []]);
  expect(await run('third', 'log', 'anchor')).toMatchObject({ code: 0 });
  await released('third');
  service = await start('third');
  expect(await keyOf(service)).toBe(newKey);
  const id = await sendSealed();
  await keepBundle(service, id, at('later.json'));
  const verified = await acuse(['verify', at('later.json'), '--json']);
  expect(verified.json).toMatchObject({ valid: true, facts: { log: 'sandbox.test/log-2', leaf_index: 2 } });
  for (const known of [ids.old, ids.fresh]) {
    const answer = await service.call('POST', '/v1/verify', { message_id: known });
    expect(answer.body).toMatchObject({ valid: true });
  }
  const { body } = await service.call('GET', '/log/end');
  expect(body.ended).toMatchObject([{ origin: 'sandbox.test/log' }]);
  await eventually(async () => (await monitor(service, newKey, 'state.json')).code === 0);
  await service.stop();
  expect((await run('third', 'fsck', '--json')).json.problems).toEqual([]);
});

test('the same backup once the new log has grown is behind it: nothing runs, and that log can end, too', async () => {
  await restored(backup, 'fourth');
  expect(await run('fourth', 'restore', 'check')).toMatchObject({ code: 4 });
  const held = await start('fourth');
  expect((await fetch(`${held.baseUrl}/readyz`)).status).toBe(503);
  await held.stop();
  const { code, json } = await run('fourth', ...END);
  expect([code, json.origin, json.successor]).toEqual([0, 'sandbox.test/log-2', 'sandbox.test/log-3']);
  await released('fourth');
  service = await start('fourth');
  expect(await keyOf(service)).toMatch(/^sandbox\.test\/log-3\+/);
  await sendSealed();
  const { body } = await service.call('GET', '/log/end');
  expect(body.ended).toMatchObject([{ origin: 'sandbox.test/log' }, { origin: 'sandbox.test/log-2' }]);
  for (const known of [ids.old, ids.fresh]) {
    const answer = await service.call('POST', '/v1/verify', { message_id: known });
    expect(answer.body).toMatchObject({ valid: true });
  }
  await service.stop();
  expect((await run('fourth', 'fsck', '--json')).json.problems).toEqual([]);
});
