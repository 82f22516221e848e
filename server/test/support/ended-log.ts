import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase, type TestDatabase } from '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { acuse, type Said } from '../cli/run.ts';
import { createProcesses, type Service } from './process.ts';

/**
 * An installation whose log ended: its database was restored to an earlier point than was published, no
 * mirror is left, and `acuse log end` and `acuse restore release` were run. No process runs on it yet.
 */
export interface EndedLog {
  /** Verifier key of the log that ended. */
  readonly oldKey: string;
  /** The output of `acuse log end --json`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly ended: any;
  readonly ids: Readonly<Record<MessageName, string>>;
  /** A file of the folder. */
  at(name: string): string;
  /** A process on the restored database. */
  start(): Promise<Service>;
  /** A command on the restored database. */
  run(...args: string[]): Promise<Said>;
  /** The same once more, with a database and a folder of its own; `close` ends it too. */
  copy(): Promise<EndedLog>;
  close(): Promise<void>;
}

/**
 * All certified. `sealed`: delivered and sealed before the restored point. `held`: sealed, and deferred
 * there. `delivered`: delivered, and not sealed there. `waiting`: neither. `lost`: accepted later, and
 * published; `lost.json` and `delivered.json` are their bundles, `sealed.json` that of the first.
 */
export type MessageName = 'sealed' | 'held' | 'delivered' | 'waiting' | 'lost';

const ANSWERS = ['--accept-idempotency-gap', '--without-journal'];
const QUICK = { ACUSE_SEAL_INTERVAL: '100ms' };
/** No batch follows the first within a test. */
const SLOW = { ACUSE_SEAL_INTERVAL: '1h' };

export async function keepBundle(service: Service, id: string, file: string): Promise<void> {
  await eventually(async () => {
    const { status, body } = await service.call('GET', `/v1/messages/${id}/proof-bundle`, undefined, {
      accept: 'application/json',
    });
    if (status === 200) writeFileSync(file, JSON.stringify(body));
    return status === 200;
  });
}

export async function sendCertified(service: Service, to = 'delivered@sandbox.test'): Promise<string> {
  const { status, body } = await service.send({ to, certified: true });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Until `outcomes` of the message are sealed, too. */
export async function untilSealed(service: Service, id: string, outcomes: number): Promise<void> {
  await eventually(async () => {
    const { status, body } = await service.call('GET', `/v1/messages/${id}/evidence`);
    if (status !== 200) return false;
    const sealed = body.delivery.filter(({ sealed_at }: { sealed_at: unknown }) => sealed_at !== null);
    return sealed.length >= outcomes;
  });
}

/** Work of an outsider while the log still shows what is lost then. */
interface Outsider {
  readonly service: Service;
  readonly oldKey: string;
  at(name: string): string;
  /** early: with two leaves, which stay; late: with all that it ever published. */
  readonly moment: 'early' | 'late';
}

export async function makeEndedLog(
  look: (outsider: Outsider) => Promise<void> = async () => {},
): Promise<EndedLog> {
  const processes = createProcesses();
  const { masterKey } = processes;
  const databases: TestDatabase[] = [];
  let sandbox: Service['sandbox'] | undefined;

  /** Work on a database, with the folder that is beside it. */
  function installation(databaseUrl: string, dataDir: string) {
    const at = (name: string) => join(dataDir, name);
    const anchor = { ACUSE_LOG_ANCHOR: at('anchor') };
    const run = (...args: string[]) =>
      acuse(args, {
        ...{ DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir, ACUSE_MASTER_KEY: masterKey },
        ...anchor,
      });
    const must = async (...args: string[]) => {
      const { code, out, err } = await run(...args);
      if (code !== 0) throw new Error(`exit code ${code}: ${out}${err}`);
    };
    const tenant = () => ['--tenant', String(sandbox!.tenant_id)];
    return {
      at,
      run,
      must,
      pause: () => must('queue', 'pause', ...tenant(), '--reason', 'x'),
      resume: () => must('queue', 'resume', ...tenant()),
      async start(env: Record<string, string>) {
        const service = await processes.start({ databaseUrl, dataDir, env: { ...anchor, ...env } });
        sandbox = service.sandbox;
        return service;
      },
    };
  }

  const dataDir = tempFolder();
  const databaseUrl = await processes.database();
  const original = installation(databaseUrl, dataDir);
  const { at } = original;
  mkdirSync(at('anchor'));
  const ids = { sealed: '', held: '', delivered: '', waiting: '', lost: '' };

  let service = await original.start(QUICK);
  const oldKey = String((await service.call('GET', '/log/key')).body).trim();
  ids.sealed = await sendCertified(service);
  await untilSealed(service, ids.sealed, 1);
  await keepBundle(service, ids.sealed, at('sealed.json'));
  await look({ service, oldKey, at, moment: 'early' });
  ids.held = await sendCertified(service, 'deferred@sandbox.test');
  await untilSealed(service, ids.held, 0);
  await service.stop();
  service = await original.start(SLOW);
  ids.delivered = await sendCertified(service);
  await service.until(ids.delivered, 'sent');
  await service.stop();
  await original.pause();
  service = await original.start(SLOW);
  ids.waiting = await sendCertified(service);
  await service.stop();
  databases.push(await copyDatabase(databaseUrl));
  const restored = installation(databases[0]!.url, dataDir);

  await original.resume();
  service = await original.start(QUICK);
  ids.lost = await sendCertified(service);
  await untilSealed(service, ids.lost, 1);
  await untilSealed(service, ids.waiting, 1);
  await keepBundle(service, ids.lost, at('lost.json'));
  await keepBundle(service, ids.delivered, at('delivered.json'));
  await look({ service, oldKey, at, moment: 'late' });
  await service.kill9();

  const made = await restored.run('log', 'end', '--reason', 'disk and WAL lost', '--yes', '--json');
  if (made.code !== 0) throw new Error(`exit code ${made.code}: ${made.out}${made.err}`);
  await restored.must('restore', 'release', ...ANSWERS);
  await restored.resume();

  const endedOn = (url: string, folder: string): EndedLog => {
    const { at: file, run, start } = installation(url, folder);
    return {
      oldKey,
      ended: made.json,
      ids,
      at: file,
      run,
      start: () => start(QUICK),
      async copy() {
        const own = tempFolder();
        cpSync(folder, own, { recursive: true });
        const database = await copyDatabase(url);
        databases.push(database);
        return endedOn(database.url, own);
      },
      async close() {
        await processes.end();
        await Promise.all(databases.splice(0).map((database) => database.drop()));
      },
    };
  };
  return endedOn(databases[0]!.url, dataDir);
}
