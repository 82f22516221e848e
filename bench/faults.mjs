// Faults under load: `npm run bench -- faults [minutes] [seed] [messages a second]`. Two processes with all
// roles on a PostgreSQL with a synchronous standby, and one with its embedded PostgreSQL, take certified and
// plain mail from several accounts and deliver it, seal it and tell webhooks, while at random one after the
// other is killed, stopped, cut off from its database, has its clock set or its disk filled, the standby
// freezes or dies, and destinations are slow. Then all of it is left to finish, and what was accepted is held
// against what servers took and what the database says. Exit code 1: something was lost or does not add up,
// or a duplicate has no cause.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { countFalseDeferrals, explainDuplicates, findFaults, groupBy, readRecords } from './faults-audit.mjs';
import { startMailServer, startProxy, startReceiver } from './faults-peers.mjs';
import { breakThings, mountSmall } from './faults-plan.mjs';
import { startPair } from './faults-postgres.mjs';
import {
  canStepClocks,
  createService,
  embeddedUrl,
  fsck,
  openAccount,
  ownSettings,
  settingsOf,
  startLoad,
} from './faults-world.mjs';
import { printTable } from './table.mjs';

const DEFAULT_MINUTES = 30;
const DEFAULT_PER_SECOND = 16;
const DRAIN_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 500;
const REPORT_EVERY_MS = 10_000;
/** Bounds a role's standstill: the aim of the run (s). */
const STANDSTILL_AIM_S = 20;
/** Room for the embedded cluster and some minutes of load. */
const SMALL_DISK_MB = 1_024;
const PAIR_ACCOUNTS = ['norte', 'sur', 'centro'];

export async function run([
  minutes = DEFAULT_MINUTES,
  seed = Date.now() % 1_000_000,
  perSecond = DEFAULT_PER_SECOND,
]) {
  // Of their own, so that the same seed means the same faults, whatever the load does.
  const chance = mulberry32(Number(seed));
  const random = mulberry32(Number(seed) + 1);
  const folder = mkdtempSync(join(tmpdir(), 'acuse-faults-'));
  const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
  const cleanUp = async () => {
    for (const each of cleanups.splice(0)) await each();
  };
  const interrupted = () => cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  console.log(`faults: ${minutes} minutes, seed ${seed}, ${perSecond} messages/s`);
  try {
    const world = await open(folder, random, cleanups);
    const result = await breakAndCount(world, {
      minutes: Number(minutes),
      perSecond: Number(perSecond),
      random,
      chance,
    });
    process.exitCode = print(result) ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

/** Tommy Ettinger's, of public domain: the same seed, the same faults. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function open(folder, random, cleanups) {
  async function opened(server) {
    const made = await server;
    cleanups.unshift(() => made.stop());
    return made;
  }
  const mail = await opened(startMailServer({ random }));
  const receiver = await opened(startReceiver({ random }));
  const pair = await opened(startPair(folder));
  const proxies = [await opened(startProxy(pair.port)), await opened(startProxy(pair.port))];
  const withClock = canStepClocks();
  if (!withClock) console.log('clock steps: skipped, because the Debian package faketime is not installed');
  const shared = await settingsOf({ folder: join(folder, 'pair'), origin: 'pair.test', sinkPort: mail.port });
  const services = [];
  for (const [at, name] of ['a', 'b'].entries()) {
    const url = `postgresql://${pair.user}@127.0.0.1:${proxies[at].port}/postgres`;
    const env = { ...shared, ...(await ownSettings(`${name}.faults.test`)), DATABASE_URL: url };
    services.push(await opened(createService({ name, env, logFolder: folder, withClock })));
    await services.at(-1).start();
  }
  const smallFolder = join(folder, 'embedded');
  mkdirSync(smallFolder);
  const unmount = mountSmall(smallFolder, SMALL_DISK_MB);
  if (unmount === null) console.log('disk full: skipped, because this user may not mount a file system');
  else cleanups.splice(-1, 0, unmount);
  const alone = await settingsOf({ folder: smallFolder, origin: 'embedded.test', sinkPort: mail.port });
  const embedded = createService({
    name: 'embedded',
    env: { ...alone, ...(await ownSettings('embedded.faults.test')), DATABASE_URL: '' },
    logFolder: folder,
    withClock: false,
  });
  await opened(embedded);
  await embedded.start();
  const installations = [
    { name: 'pair', services, env: shared, databaseUrl: pair.url, accounts: [] },
    {
      name: 'embedded',
      services: [embedded],
      env: alone,
      databaseUrl: embeddedUrl(smallFolder),
      accounts: [],
    },
  ];
  for (const installation of installations)
    for (const name of installation.name === 'pair' ? PAIR_ACCOUNTS : ['solo'])
      installation.accounts.push(
        await openAccount({
          ...installation,
          url: installation.services[0].url,
          name,
          receiverPort: receiver.port,
        }),
      );
  return {
    mail,
    receiver,
    pair,
    proxies,
    services,
    embedded,
    installations,
    withClock,
    smallFolder: unmount === null ? null : smallFolder,
  };
}

async function breakAndCount(world, { minutes, perSecond, random, chance }) {
  const startedMs = performance.now();
  const between = (min, max) => min + (max - min) * chance();
  const watch = watchStandstill(world);
  const load = startLoad({ installations: world.installations, perSecond, random });
  const progress = setInterval(() => printProgress(world, load, watch, startedMs), REPORT_EVERY_MS);
  const faults = await breakThings(world, {
    untilMs: startedMs + minutes * 60_000,
    between,
    onFault: ({ name, on }) => console.log(`${clock(startedMs)} ${name} ${on.join(', ')}`),
  });
  const longest = watch.stop();
  await load.stop();
  clearInterval(progress);
  console.log(`${clock(startedMs)} no more faults: waiting for the end of what is under way`);
  const drainedMs = await drain(world);
  const installations = [];
  for (const installation of world.installations) {
    const records = await readRecords(installation);
    const sends = [...load.sends.values()].filter((send) => send.installation === installation);
    installations.push({
      name: installation.name,
      accepted: sends.filter(({ id }) => id !== null).length,
      unanswered: sends.filter(({ id }) => id === null).length,
      ...findFaults({ sends, taken: world.mail.taken, received: world.receiver.received, records }),
      falseDeferrals: countFalseDeferrals(records),
      fsck: await fsck(installation),
    });
  }
  const causes = explainDuplicates(world.mail.taken, faults);
  const webhooks = [...world.receiver.received.values()];
  return {
    installations,
    causes,
    longest,
    faults,
    drainedMs,
    again: webhooks.reduce((sum, times) => sum + times - 1, 0),
    told: webhooks.length,
    refusals: load.state.refusals,
  };
}

const clock = (startedMs) => {
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
};

/**
 * The longest time without any progress, by role; the pair and the embedded one together would hide each
 * other's.
 */
function watchStandstill({ installations, mail, receiver }) {
  const sealed = installations.map((installation) => ({ installation, count: -1, atMs: performance.now() }));
  const roles = new Map();
  const seen = new Map();
  function note(role, lastMs) {
    const before = seen.get(role) ?? performance.now();
    seen.set(role, lastMs);
    const longest = roles.get(role) ?? { ms: 0, atMs: 0 };
    const standingMs = performance.now() - lastMs;
    if (standingMs > longest.ms) roles.set(role, { ms: standingMs, atMs: lastMs });
    return before;
  }
  const takenBy = { pair: performance.now(), embedded: performance.now() };
  let known = 0;
  const timer = setInterval(() => {
    for (const copies of [...mail.taken.values()].slice(known))
      for (const { by, dotMs } of copies) {
        const name = by.startsWith('embedded') ? 'embedded' : 'pair';
        takenBy[name] = Math.max(takenBy[name], dotMs);
      }
    known = mail.taken.size;
    for (const { name, acceptedMs } of installations) {
      if (acceptedMs !== undefined) note(`accept, ${name}`, acceptedMs);
      note(`deliver, ${name}`, takenBy[name]);
    }
    note('webhooks', receiver.state.lastMs);
    for (const each of sealed) note(`seal, ${each.installation.name}`, each.atMs);
  }, LOOK_EVERY_MS);
  const sealing = sealed.map((each) => setInterval(() => void lookAtSeals(each), 1_000));
  return {
    roles,
    stop() {
      for (const each of [timer, ...sealing]) clearInterval(each);
      return new Map(roles);
    },
  };
}

async function lookAtSeals(each) {
  if (each.looking) return;
  each.looking = true;
  const client = new pg.Client({
    connectionString: each.installation.databaseUrl,
    options: '-c role=acuse_worker',
    connectionTimeoutMillis: 3_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select count(*)::int as count from certificates');
    if (rows[0].count !== each.count) {
      each.count = rows[0].count;
      each.atMs = performance.now();
    }
  } catch {
    // Away: that is a standstill, too.
  } finally {
    await client.end().catch(() => {});
    each.looking = false;
  }
}

function printProgress({ mail, receiver }, { sends, state }, { roles }, startedMs) {
  const accepted = [...sends.values()].filter(({ id }) => id !== null).length;
  const copies = [...mail.taken.values()].reduce((sum, list) => sum + list.length, 0);
  const standing = [...roles].map(([role, { ms }]) => `${role} ${(ms / 1_000).toFixed(0)}`).join(' s, ');
  console.log(
    `${clock(startedMs)} accepted ${accepted} (${state.underWay} under way), taken ${mail.taken.size}, copies more ${copies - mail.taken.size}, events ${receiver.received.size}; longest standstill: ${standing} s`,
  );
}

/** Makes what waits for its next attempt due, and waits for the end of all queues. */
async function drain({ installations, services, embedded }) {
  const fromMs = performance.now();
  for (const service of [...services, embedded]) await service.start();
  for (const installation of installations) {
    // The role that sees every account's rows.
    const client = new pg.Client({
      connectionString: installation.databaseUrl,
      options: '-c role=acuse_worker',
    });
    await client.connect();
    try {
      for (;;) {
        await client.query(
          "update delivery_queue set due_at = now() where leased_until is null and due_at > now() + interval '1 second'",
        );
        await client.query(
          "update webhook_queue set due_at = now() where lease_id is null and due_at > now() + interval '1 second'",
        );
        const { rows } = await client.query(
          `select (select count(*) from delivery_queue) + (select count(*) from webhook_queue)
                  + (select count(*) from pending_leaves) + (select count(*) from stamp_queue) as left`,
        );
        if (Number(rows[0].left) === 0 || performance.now() - fromMs > DRAIN_WITHIN_MS) break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    } finally {
      await client.end();
    }
  }
  return performance.now() - fromMs;
}

/** True when all is as it must be. */
function print({ installations, causes, longest, faults, drainedMs, again, told, refusals }) {
  const kinds = groupBy(faults, ({ name }) => name);
  console.log(
    `\n${faults.length} faults: ${[...kinds].map(([name, list]) => `${list.length} ${name}`).join(', ')}`,
  );
  console.log(
    `queues empty ${(drainedMs / 1_000).toFixed(0)} s after the last one; answers that were retried: ${JSON.stringify(refusals)}\n`,
  );
  printTable(
    installations.map(({ name, accepted, unanswered, lost, faults: wrong, falseDeferrals, fsck: found }) => ({
      installation: name,
      accepted: String(accepted),
      'never answered': String(unanswered),
      lost: String(lost.length),
      'does not add up': String(wrong.length),
      'deferred by nobody': String(falseDeferrals),
      fsck: found === null ? 'clean' : 'FINDS',
    })),
    1,
  );
  for (const { lost, faults: wrong, fsck: found } of installations)
    for (const line of [...lost.slice(0, 20), ...wrong.slice(0, 20), ...(found === null ? [] : [found])])
      console.log(line);
  console.log(`\nduplicates: ${[...causes.values()].flat().length}`);
  for (const [cause, list] of causes)
    console.log(`  ${list.length} ${cause}\n    ${list.slice(0, 3).join('\n    ')}`);
  console.log(`webhooks: ${told} events, ${again} told again`);
  console.log('longest standstill:');
  for (const [role, { ms }] of longest) console.log(`  ${role}: ${(ms / 1_000).toFixed(1)} s`);
  const still = Math.max(...[...longest.values()].map(({ ms }) => ms / 1_000));
  const sound =
    installations.every(
      ({ lost, faults: wrong, fsck: found }) => lost.length + wrong.length === 0 && found === null,
    ) && !causes.has('UNEXPLAINED');
  console.log(
    `\n${sound ? 'nothing lost, everything adds up' : 'NOT SOUND'}; longest standstill ${still.toFixed(1)} s (aim: under ${STANDSTILL_AIM_S} s)`,
  );
  return sound && still < STANDSTILL_AIM_S;
}
