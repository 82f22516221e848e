// The faults, one after the other at random times, each undone before it ends; what was done to whom and when
// is kept, so that every duplicate can be put down to its cause.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PAUSE_MIN_MS = 3_000;
const PAUSE_MAX_MS = 9_000;
const BALLAST_CHUNK = Buffer.alloc(1024 * 1024);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A file system of its own for a data folder, small enough to fill; null where this process may not mount.
 */
export function mountSmall(folder, megabytes) {
  const { status } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${megabytes}m,mode=0755`,
    'acuse-faults',
    folder,
  ]);
  return status === 0 ? () => spawnSync('umount', ['-l', folder]) : null;
}

/** Fills the file system but for a few kilobytes; returns how to undo it. */
function fill(folder) {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, BALLAST_CHUNK);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return () => unlinkSync(path);
}

/** `world`: {pair, proxies, services (of the pair), embedded, mail, smallFolder, withClock}. */
export function faultsOf(world, between) {
  const one = (list) => list[Math.floor(between(0, list.length - 0.001))];
  const any = () => one([...world.services, world.embedded]);
  const faults = {
    async 'kill -9'(note) {
      const service = any();
      note(service.name);
      service.signal('SIGKILL');
      await sleep(between(200, 2_000));
      await service.start();
    },
    async 'SIGTERM and start'(note) {
      const service = any();
      note(service.name);
      service.signal('SIGTERM');
      for (const until = Date.now() + 12_000; service.isUp() && Date.now() < until; ) await sleep(50);
      await service.start();
    },
    async SIGSTOP(note) {
      const service = any();
      note(service.name);
      service.signal('SIGSTOP');
      // Longer than a lease only where another process can go on.
      await sleep(between(1_000, service === world.embedded ? 8_000 : 25_000));
      service.signal('SIGCONT');
    },
    async 'database connections cut'(note) {
      const at = Math.floor(between(0, world.proxies.length - 0.001));
      note(world.services[at].name);
      world.proxies[at].set('cut');
      await sleep(between(0, 8_000));
      world.proxies[at].set('open');
    },
    async 'database connections stalled'(note) {
      const at = Math.floor(between(0, world.proxies.length - 0.001));
      note(world.services[at].name);
      world.proxies[at].set('stall');
      await sleep(between(1_000, 8_000));
      world.proxies[at].set('open');
    },
    async 'database cut off from all'(note) {
      note(...world.services.map(({ name }) => name));
      for (const proxy of world.proxies) proxy.set('cut');
      await sleep(between(1_000, 6_000));
      for (const proxy of world.proxies) proxy.set('open');
    },
    async 'standby frozen'(note) {
      note(...world.services.map(({ name }) => name));
      world.pair.freeze();
      await sleep(between(1_000, 6_000));
      world.pair.thaw();
    },
    async 'standby lost'(note) {
      note(...world.services.map(({ name }) => name));
      await world.pair.killStandby();
      await sleep(between(500, 3_000));
      await world.pair.startStandby();
    },
    async 'slow destinations'(note) {
      note();
      world.mail.state.slowMs = between(2_000, 6_000);
      await sleep(between(4_000, 12_000));
      world.mail.state.slowMs = 0;
    },
  };
  if (world.withClock)
    faults['clock step'] = async (note) => {
      const service = one(world.services);
      note(service.name);
      service.setClock(`${one(['+', '-'])}${Math.round(between(20, 300))}s`);
      await sleep(between(3_000, 12_000));
      service.setClock('+0s');
    };
  if (world.smallFolder !== null)
    faults['disk full'] = async (note) => {
      note(world.embedded.name);
      const empty = fill(world.smallFolder);
      await sleep(between(1_000, 6_000));
      empty();
      await sleep(1_000);
      if (!world.embedded.isUp()) await world.embedded.start();
    };
  return faults;
}

/** Runs until `untilMs`; `log`: {name, on, fromMs, toMs}. */
export async function breakThings(world, { untilMs, between, onFault }) {
  const faults = faultsOf(world, between);
  const names = Object.keys(faults);
  const log = [];
  /** Each kind in turn in a shuffled order, so that a short run has some of all. */
  let bag = [];
  while (performance.now() < untilMs) {
    await sleep(between(PAUSE_MIN_MS, PAUSE_MAX_MS));
    if (performance.now() >= untilMs) break;
    if (bag.length === 0) bag = [...names];
    const [name] = bag.splice(Math.floor(between(0, bag.length - 0.001)), 1);
    const entry = { name, on: [], fromMs: performance.now(), toMs: null };
    log.push(entry);
    await faults[name]((...on) => {
      entry.on = on;
      onFault(entry);
    });
    entry.toMs = performance.now();
    // One that ended by itself (a full disk) is started as an operator's system would.
    for (const service of [...world.services, world.embedded]) if (!service.isUp()) await service.start();
  }
  return log;
}

/** How much of a file system is used, for the record. */
export function usedShare(folder) {
  const { blocks, bavail } = statfsSync(folder);
  return 1 - bavail / blocks;
}
