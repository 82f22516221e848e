import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchMirror } from '../../src/app/mirror-watch.ts';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { openMirrorFolder } from '../../src/evidence/log/mirror/mirror-folder.ts';
import { createMirroring } from '../../src/evidence/log/mirror/mirroring.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { readExposition } from '../support/exposition.ts';
import { addLeaves, addTenant, InjectedCrash, openWorld, type World } from './support.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test('metrics show how far a mirror is behind that is away, and that it has caught up', async () => {
  const place = join(tempFolder(), 'mirror');
  mkdirSync(place);
  const mirror = openMirrorFolder(place);
  const anchor = openAnchorFolder(tempFolder());
  const tenantId = await addTenant(world.db);
  const batch = (mirroring = createMirroring(world.db, mirror)) =>
    sequenceBatch({ ...world, anchor, mirror: mirroring }, world.log);
  const metrics = createMetrics({ log: { warn() {}, error() {} }, process: false });
  const value = async (name: string) =>
    readExposition(await metrics.text()).value(`acuse_log_mirror_${name}`);
  let nowMs = 0;
  const warned: object[] = [];
  const clock = { ...world.clock, monotonicMs: () => nowMs };
  const facts = { config: { roles: ['sealing'] }, recovery: null, mirrorStored: mirror, metrics, clock };
  const services = {
    ...world,
    ...facts,
    logSigner: world.log,
    log: { warn: (facts: object) => warned.push(facts) },
  };
  expect(watchMirror({ ...services, config: { roles: ['api'] } } as never)).toBeNull();
  await addLeaves(world.db, world.log, tenantId, 300);
  await batch();
  const watch = watchMirror(services as never, 20)!;
  watch.start();
  try {
    nowMs = 100_000;
    await eventually(async () => (await value('complete_age_seconds')) === 0);
    expect(await value('behind_leaves')).toBe(0);
    const away = `${place}-away`;
    renameSync(place, away);
    await eventually(() => warned.length > 0);
    nowMs = 130_000;
    expect(await value('complete_age_seconds')).toBe(30);
    renameSync(away, place);
    await eventually(async () => (await value('complete_age_seconds')) === 0);
    // It is lost between the first and the last step of a batch, which has its leaves in the log by then.
    await addLeaves(world.db, world.log, tenantId, 7);
    const mirroring = createMirroring(world.db, mirror);
    const leaving = { ...mirroring, copy: vi.fn(mirroring.copy) };
    leaving.copy.mockImplementationOnce(mirroring.copy).mockRejectedValue(new InjectedCrash());
    await expect(batch(leaving)).rejects.toThrow(InjectedCrash);
    await eventually(async () => (await value('behind_leaves')) === 7);
    nowMs = 190_000;
    expect(await value('complete_age_seconds')).toBe(60);
    await batch();
    await eventually(async () => (await value('behind_leaves')) === 0);
    expect(await value('complete_age_seconds')).toBe(0);
  } finally {
    await watch.stop();
  }
});
