import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchRoles } from '../../src/app/roles-watch.ts';
import { ROLES, type Role } from '../../src/config/role-duties.ts';
import { judgeRoles } from '../../src/operate/doctor/roles.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { enterProcesses, type OwnProcess, rolesAtWork } from '../../src/platform/processes.ts';
import { createProcesses } from '../support/process.ts';

/** A process without some roles says what no process does, once it can know. */

const processes = createProcesses();
const entered: OwnProcess[] = [];
let db: Db;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await processes.database();
  db = processes.connect(databaseUrl);
});
beforeEach(async () => {
  await Promise.all(entered.splice(0).map((each) => each.leave()));
  await db.execute('delete from processes');
});
afterAll(() => processes.end());

const quietLog = { error() {}, warn() {}, info() {} };
const but = (...lacking: Role[]) => ROLES.filter((role) => !lacking.includes(role));

async function enter(roles: readonly Role[]): Promise<void> {
  entered.push(await enterProcesses({ db, log: quietLog, roles, freeLeases: async () => {} }));
}

/** The first words of a process with these roles; `meanwhile` happens before it looks. */
async function saidBy(roles: readonly Role[], meanwhile = async () => {}): Promise<string[]> {
  const said: string[] = [];
  await enter(roles);
  let judged = 0;
  const query = ((...args: Parameters<Db['query']>) =>
    db.query(...args).finally(() => judged++)) as Db['query'];
  const counting: Db = { ...db, query };
  const config = { roles: [...roles], databaseUrl };
  const log = { warn: (_fields: object, message: string) => void said.push(message) };
  const watch = watchRoles({ config, db: counting, log, lookEveryMs: 20 })!;
  await meanwhile();
  watch.start();
  await eventually(() => judged > 0, 60_000);
  await watch.stop();
  expect(judged).toBe(1);
  return said;
}

describe('at a start', () => {
  test('a process that has all roles does not even look', () => {
    const config = { roles: [...ROLES], databaseUrl };
    expect(watchRoles({ config, db, log: quietLog })).toBeNull();
  });

  test('one that lacks two says so in one warning, with what does not happen and what to start', async () => {
    const said = await saidBy(but('sealing', 'webhooks'));
    expect(said).toEqual([expect.any(String)]);
    expect(said[0]).toContain('no process has the role sealing: no batch is sealed');
    expect(said[0]).toContain('ACUSE_ROLES=sealing, or systemctl start acuse@sealing');
    expect(said[0]).toContain('no process has the role webhooks: no webhook is delivered');
  });

  test('what another process has is not missed, also of one that enters after it', async () => {
    await enter(['sealing']);
    expect(await saidBy(but('sealing', 'webhooks'), () => enter(['webhooks']))).toEqual([]);
  });

  test('of a process of the version before nothing is known, and nothing is said', async () => {
    await db.execute('insert into processes (process_id, pid, beat_at) values ($1, 1, now())', [newId()]);
    expect(await saidBy(['api'])).toEqual([]);
  });

  test('a process of this machine that was killed has no roles any more', async () => {
    await enter(['api']);
    await db.execute(
      `insert into processes (process_id, boot_id, pid_namespace, pid, started_ticks, beat_at, roles)
       select $1, boot_id, pid_namespace, pid, started_ticks - 1, now(), '{sealing}' from processes`,
      [newId()],
    );
    expect(await rolesAtWork(db)).toEqual(new Set(['api']));
  });
});

describe('acuse doctor', () => {
  test('no process, one of the version before, all roles', () => {
    expect(judgeRoles(new Set(), true)).toMatchObject([{ check: 'role.all', status: 'warning' }]);
    expect(judgeRoles('unknown', true)).toMatchObject([{ check: 'role.all', status: 'unknown' }]);
    expect(judgeRoles(new Set(ROLES), true)).toMatchObject([{ check: 'role.all', status: 'ok' }]);
  });

  test('the fix of an embedded database is in the one process that it can have', () => {
    const [found] = judgeRoles(new Set(but('delivery')), false);
    expect(found).toMatchObject({ check: 'role.delivery', status: 'problem' });
    expect(found!.fix).toBe(
      'start acuse serve with delivery in ACUSE_ROLES, in addition to the roles that it has',
    );
  });
});

test('a service without sealing says so once in its log, and the role is missed until one is started', async () => {
  const first = await processes.start({
    databaseUrl,
    env: { ACUSE_ROLES: but('sealing').join(',') },
  });
  const said = () => first.log().split('no process has the role sealing').length - 1;
  await eventually(() => said() > 0);
  expect(said()).toBe(1);
  expect(judgeRoles(await rolesAtWork(db), true)).toMatchObject([{ check: 'role.sealing' }]);
  await processes.start({ databaseUrl, dataDir: first.dataDir, env: { ACUSE_ROLES: 'sealing' } });
  expect(judgeRoles(await rolesAtWork(db), true)).toMatchObject([{ check: 'role.all', status: 'ok' }]);
});
