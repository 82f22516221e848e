import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { distribute } from '../../src/platform/database/distribute.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { acuse } from '../cli/run.ts';
import { CITUS_URL, type CitusDatabase, citusDatabase, copyCitusDatabase, query } from '../support/citus.ts';
import { keepBundle, sendCertified, untilSealed } from '../support/ended-log.ts';
import { createProcesses, type Service } from '../support/process.ts';

/**
 * A cluster that was restored to an earlier point on every node: its log goes on from the mirror, or ends.
 * Beside it are the anchor, the mirror and the journal, as an operator has them.
 */
const processes = createProcesses();
const folder = tempFolder();
const at = (name: string) => join(folder, name);
/** Of the cluster that was lost, and a copy of both for the one whose log ends. */
const OUTSIDE = ['anchor', 'mirror', 'journal'] as const;
const REASON = ['--reason', 'disk and WAL lost'];
const ANSWERS = ['--accept-idempotency-gap'];

const settings = (outside: string) => ({
  ACUSE_LOG_ANCHOR: at(`${outside}/anchor`),
  ACUSE_LOG_MIRROR: at(`${outside}/mirror`),
  ACUSE_JOURNAL: at(`${outside}/journal`),
});
const QUICK = { ACUSE_SEAL_INTERVAL: '100ms' };

describe('a restored cluster with two workers', () => {
  const databases: CitusDatabase[] = [];
  let original: CitusDatabase;
  let forMirror: CitusDatabase;
  let forEnd: CitusDatabase;
  let oldKey = '';
  const ids = { kept: '', waiting: '', lost: '' };
  /** The log's size in the original when it was lost. */
  let published = 0;

  const start = (of: CitusDatabase, outside: string, env = {}) =>
    processes.start({
      databaseUrl: of.url,
      dataDir: at('data'),
      env: { ...settings(outside), ...QUICK, ...env },
    });
  const run = (of: CitusDatabase, outside: string, ...args: string[]) =>
    acuse(args, {
      DATABASE_URL: of.url,
      ACUSE_DATA_DIR: at('data'),
      ACUSE_MASTER_KEY: processes.masterKey,
      ...settings(outside),
    });
  const sizes = (of: CitusDatabase) =>
    query<{ origin: string; size: number }>(
      of.url,
      'select origin, tree_size::integer as size from logs order by created_at',
    );
  const monitor = (service: Service, key: string, state: string) =>
    acuse(['monitor', `${service.baseUrl}/log`, '--key', key, '--state', at(state), '--json']);
  const keep = async (database: Promise<CitusDatabase>) => {
    databases.push(await database);
    return database;
  };

  beforeAll(async () => {
    for (const name of ['data', ...OUTSIDE.map((each) => `first/${each}`)])
      mkdirSync(at(name), { recursive: true });
    original = await keep(citusDatabase(CITUS_URL!));
    await migrate(original.url);
    await distribute({ ...original, url: original.url, shards: 8 });
    let service = await start(original, 'first');
    oldKey = String((await service.call('GET', '/log/key')).body).trim();
    ids.kept = await sendCertified(service);
    await untilSealed(service, ids.kept, 1);
    await keepBundle(service, ids.kept, at('kept.json'));
    expect(await monitor(service, oldKey, 'early.json')).toMatchObject({ code: 0 });
    await service.stop();
    // Accepted and in no batch yet: it has got its place in the log when the cluster is lost.
    service = await start(original, 'first', { ACUSE_SEAL_INTERVAL: '1h', ACUSE_ROLES: 'api' });
    ids.waiting = await sendCertified(service);
    await service.stop();
    forMirror = await keep(copyCitusDatabase(CITUS_URL!, original));
    forEnd = await keep(copyCitusDatabase(CITUS_URL!, original));

    service = await start(original, 'first');
    await untilSealed(service, ids.waiting, 0);
    ids.lost = await sendCertified(service);
    await untilSealed(service, ids.lost, 1);
    await untilSealed(service, ids.waiting, 1);
    await keepBundle(service, ids.lost, at('lost.json'));
    await service.call('POST', '/v1/suppressions', { address: 'gone@example.com' });
    expect(await monitor(service, oldKey, 'state.json')).toMatchObject({ code: 0 });
    await service.kill9();
    published = (await sizes(original))[0]!.size;
    cpSync(at('first'), at('second'), { recursive: true });
  });
  afterAll(async () => {
    await processes.end();
    for (const database of databases) await database.drop();
  });

  test('a mirror of a killed process is whole, and the anchor is ahead of what was restored', async () => {
    const whole = await run(original, 'first', 'log', 'mirror', '--json');
    expect(whole, whole.out).toMatchObject({ code: 0 });
    expect(whole.json.logs).toMatchObject([{ size: published, state: 'whole' }]);
    for (const [database, outside] of [
      [forMirror, 'first'],
      [forEnd, 'second'],
    ] as const) {
      expect(await run(database, outside, 'log', 'anchor')).toMatchObject({ code: 4 });
      const checked = await run(database, outside, 'restore', 'check', '--json');
      expect(checked, checked.out + checked.err).toMatchObject({ code: 4 });
    }
  });

  test('in recovery it serves what it has, accepts and seals nothing', async () => {
    const before = await sizes(forMirror);
    const service = await start(forMirror, 'first');
    expect((await service.call('GET', '/readyz')).status).toBe(503);
    expect((await service.send()).status).toBe(503);
    expect((await service.call('GET', `/v1/messages/${ids.kept}`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(await sizes(forMirror)).toEqual(before);
  });

  test('two catch-ups at once bring the log up to the anchor, once', async () => {
    const both = await Promise.all(
      [0, 1].map(() => run(forMirror, 'first', 'restore', 'catch-up', '--json')),
    );
    expect(
      both.map(({ code }) => code),
      both.map(({ out, err }) => out + err).join(),
    ).toEqual([0, 0]);
    expect(await sizes(forMirror)).toMatchObject([{ size: published }]);
    expect(await run(forMirror, 'first', 'log', 'anchor')).toMatchObject({ code: 0 });
    const placed = await query<{ count: number }>(
      forMirror.url,
      `select count(*)::integer as count from leaves where message_id = '${ids.waiting}'`,
    );
    expect(placed).toEqual([{ count: 1 }]);
    // The log is whole again; the journal has what the database still lacks.
    const checked = await run(forMirror, 'first', 'restore', 'check', '--json');
    expect(checked, checked.out + checked.err).toMatchObject({ code: 4 });
    expect(checked.json).toMatchObject({ problemCount: 0, restored: { missing: { suppressed: 1 } } });
    expect(checked.json.lost_leaves).toBeGreaterThanOrEqual(3);
  });

  test('after its release it seals, a monitor with its old state finds it well, the journal was made good', async () => {
    expect(await run(forMirror, 'first', 'restore', 'release')).toMatchObject({ code: 1 });
    const released = await run(forMirror, 'first', 'restore', 'release', ...ANSWERS);
    expect(released, released.out + released.err).toMatchObject({ code: 0 });
    const service = await start(forMirror, 'first');
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    const listed = await service.call('GET', '/v1/suppressions');
    expect(listed.body.data).toMatchObject([{ address: 'gone@example.com' }]);
    const id = await sendCertified(service);
    await untilSealed(service, id, 1);
    await keepBundle(service, id, at('caught-up.json'));
    await vi.waitFor(async () => {
      const seen = await monitor(service, oldKey, 'state.json');
      expect(seen.json, seen.out).toMatchObject({ status: 'ok', alerts: [] });
    }, 60_000);
    for (const name of ['kept.json', 'lost.json', 'caught-up.json'])
      expect(await acuse(['verify', at(name)]), name).toMatchObject({ code: 5 });
    expect(await service.stop()).toBe(0);
    const checked = await run(forMirror, 'first', 'fsck', '--json');
    expect(checked, checked.out).toMatchObject({ code: 0 });
    expect(await run(forMirror, 'first', 'log', 'mirror')).toMatchObject({ code: 0 });
  });

  test('killed again and again while it seals, it goes on, and nobody outside sees anything of it', async () => {
    const sent: string[] = [];
    for (const waitMs of [50, 200, 400, 800]) {
      const service = await start(forMirror, 'first');
      sent.push(...(await Promise.all([1, 2, 3, 4].map(() => sendCertified(service)))));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await service.kill9();
    }
    const service = await start(forMirror, 'first');
    for (const id of sent) await untilSealed(service, id, 1);
    await vi.waitFor(async () => {
      const seen = await monitor(service, oldKey, 'state.json');
      expect(seen.json, seen.out).toMatchObject({ status: 'ok', alerts: [] });
    }, 60_000);
    expect(await service.stop()).toBe(0);
    for (const command of [
      ['restore', 'check'],
      ['log', 'mirror'],
    ]) {
      const checked = await run(forMirror, 'first', ...command);
      expect(checked, checked.out + checked.err).toMatchObject({ code: 0 });
    }
  });

  test('of two that end a log at once one does, and the other changes nothing', async () => {
    const before = (await sizes(forEnd))[0]!;
    const both = await Promise.all(
      [0, 1].map(() => run(forEnd, 'second', 'log', 'end', ...REASON, '--yes', '--json')),
    );
    expect(both.map(({ code }) => code).sort(), both.map(({ out, err }) => out + err).join()).toEqual([0, 1]);
    const ended = both.find(({ code }) => code === 0)!.json;
    expect(ended).toMatchObject({ size: before.size, unsealed: 1, successor: 'sandbox.test/log-2' });
    expect(await sizes(forEnd)).toEqual([before, { origin: 'sandbox.test/log-2', size: 0 }]);
  });

  test('the new log seals, and who watched the old one is told where it goes on', async () => {
    expect(await run(forEnd, 'second', 'restore', 'release', ...ANSWERS)).toMatchObject({ code: 0 });
    const service = await start(forEnd, 'second');
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    const id = await sendCertified(service);
    await untilSealed(service, id, 1);
    await keepBundle(service, id, at('new.json'));
    for (const name of ['kept.json', 'lost.json', 'new.json'])
      expect(await acuse(['verify', at(name)]), name).toMatchObject({ code: 5 });
    const verified = await service.call('POST', '/v1/verify', { message_id: ids.kept });
    expect(verified.body).toMatchObject({ valid: true });
    const never = await service.call('GET', `/v1/messages/${ids.waiting}/proof-bundle`);
    expect(never.body.error.message).toContain('never will be');
    const told = await monitor(service, oldKey, 'early.json');
    expect(told.json.alerts).toMatchObject([{ code: 'ended' }]);
    const newKey = String((await service.call('GET', '/log/key')).body).trim();
    expect(newKey).toMatch(/^sandbox\.test\/log-2\+/);
    expect(await monitor(service, newKey, 'new-state.json')).toMatchObject({ code: 0 });
    const status = await run(forEnd, 'second', 'sealing', 'status', '--json');
    expect(status.json.logs).toMatchObject([
      { origin: 'sandbox.test/log', ended_at: expect.any(String), pending_leaves: 0 },
      { origin: 'sandbox.test/log-2', ended_at: null, pending_leaves: 0 },
    ]);
    expect(await service.stop()).toBe(0);
    const checked = await run(forEnd, 'second', 'fsck', '--json');
    expect(checked, checked.out).toMatchObject({ code: 0 });
  });
});
