import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, inject, test } from 'vitest';
import { createProcesses, type Service } from '../support/process.ts';

/** Version n and version n−1 at work on one database, as an upgrade of several processes has them. */
/** Sends under way at any time. */
const SENDERS = 2;
/** Sends that have to succeed in each phase of the upgrade. */
const SENDS_A_PHASE = 10;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const processes = createProcesses();
afterEach(() => processes.end());

/** Changes that docs/packages.md lets a migration make while processes of the version before run. */
const NEXT_MIGRATION = `
alter table messages add column next_note text;
alter table webhook_endpoints add column next_limit int not null default 7;
create table next_things (tenant_id uuid not null references tenants, note text not null);
insert into next_things (tenant_id, note) select tenant_id, 'from before' from tenants;
create index next_things_by_tenant on next_things (tenant_id);
`;

/** The built server with one migration more: returns its program and the migration's name. */
function makeNextVersion(): { program: string; migration: string } {
  const built = inject('serverProgram');
  if ('error' in built) throw new Error(built.error);
  const home = processes.folder();
  const dist = join(home, 'server/dist');
  mkdirSync(dist, { recursive: true });
  cpSync(dirname(built.path), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  cpSync(join(root, 'server/package.json'), join(home, 'server/package.json'));
  for (const modules of ['node_modules', 'server/node_modules'])
    symlinkSync(join(root, modules), join(home, modules));
  const known = readdirSync(join(dist, 'migrations')).filter((name) => name.endsWith('.sql'));
  const migration = `${String(known.length + 1).padStart(4, '0')}_next`;
  writeFileSync(join(dist, `migrations/${migration}.sql`), NEXT_MIGRATION);
  return { program: join(dist, 'acuse.mjs'), migration };
}

/** Sends without a pause until told to stop. */
function keepSending(service: Service) {
  const ids: string[] = [];
  const failures: string[] = [];
  let isOn = true;
  const done = Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (isOn) {
        const { status, body } = await service.send({ certified: true });
        if (status === 201) ids.push(body.id);
        else failures.push(`${status} ${JSON.stringify(body)}`);
      }
    }),
  );
  return {
    ids,
    failures,
    async more() {
      const enough = ids.length + SENDS_A_PHASE;
      await eventually(() => ids.length >= enough || failures.length > 0);
    },
    async stop() {
      isOn = false;
      await done;
    },
  };
}

test('the version before keeps sending while the next one migrates, starts and works', async () => {
  const databaseUrl = await processes.database();
  const dataDir = processes.folder();
  const old = await processes.start({ databaseUrl, dataDir });
  const { program, migration } = makeNextVersion();

  const load = keepSending(old);
  await load.more();
  const env = { ...process.env, DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir };
  const migrated = await promisify(execFile)(process.execPath, [program, 'db', 'migrate', '--json'], {
    env,
  }).catch((error) => Promise.reject(new Error(`db migrate failed: ${error.stdout}`, { cause: error })));
  expect(JSON.parse(migrated.stdout)).toStrictEqual({ applied: [migration] });
  await load.more();
  const next = await processes.start({ databaseUrl, dataDir, program });
  const byNext = await Promise.all(Array.from({ length: SENDERS }, () => next.send({ certified: true })));
  expect(byNext.map(({ status }) => status)).toStrictEqual(byNext.map(() => 201));
  await load.more();
  await load.stop();
  expect(load.failures).toStrictEqual([]);

  for (const waiting of ['status=queued', 'sealed=false'])
    await eventually(async () => {
      const { body } = await next.call('GET', `/v1/messages?limit=1&${waiting}`);
      return body.data.length === 0;
    });
  const ids = [...load.ids, ...byNext.map(({ body }) => body.id as string)];
  const found = await Promise.all(ids.map((id) => next.call('GET', `/v1/messages/${id}`)));
  expect(new Set(found.map(({ body }) => body.status))).toStrictEqual(new Set(['sent']));
  expect(await old.stop()).toBe(0);

  // The migration is there for good: the way back is a restore.
  await expect(processes.start({ databaseUrl, dataDir })).rejects.toThrow(/a newer version made it/);
  expect((await next.send()).status).toBe(201);
  expect(await next.stop()).toBe(0);
});
