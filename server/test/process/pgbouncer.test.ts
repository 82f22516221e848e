import { eventually } from '@acuse/testkit/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loginSql } from '../../src/platform/database/logins.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createProcesses } from '../support/process.ts';
import { type SynchronousPair, startSynchronousPair } from '../support/synchronous-pair.ts';

/**
 * A pooler in transaction mode hands sessions on between transactions: what a session asks for at its
 * beginning is refused or dropped, its role too, which is the wall between accounts.
 */
describe.skipIf(!hasPgBouncer)('behind PgBouncer in transaction mode (skipped: needs pgbouncer)', () => {
  const processes = createProcesses();
  let pair: SynchronousPair;
  const poolers: PgBouncer[] = [];
  beforeAll(async () => {
    pair = await startSynchronousPair();
  });
  afterEach(async () => {
    await processes.end();
    for (const each of poolers.splice(0)) await each.stop();
  });
  afterAll(() => pair?.end());

  async function pooler(settings: Record<string, string> = {}): Promise<PgBouncer> {
    const { hostname, port, pathname } = new URL(pair.url);
    const made = await startPgBouncer({ host: hostname, port, dbname: pathname.slice(1) }, settings);
    poolers.push(made);
    return made;
  }

  const through = (made: PgBouncer, more: Record<string, string> = {}) => ({
    ACUSE_DB_REQUEST_URL: made.url('acuse_request'),
    ACUSE_DB_WORKER_URL: made.url('acuse_worker'),
    ACUSE_DB_PREPARE: 'off',
    ACUSE_DB_WAIT: '0s',
    ...more,
  });

  test('DATABASE_URL by way of it is refused: the role was dropped, and with it the walls', async () => {
    const made = await pooler({ ignore_startup_parameters: 'statement_timeout,options,extra_float_digits' });
    const started = processes.start({ databaseUrl: made.url('acuse') });
    await expect(started).rejects.toThrow(/asked for the role acuse_request works as acuse.*PgBouncer/s);
    await expect(started).rejects.toThrow(/alter role acuse_request login noinherit/);
  });

  test('logins that are not those of the roles, or whose roles lack settings, are refused with the SQL', async () => {
    const made = await pooler();
    const start = (env: Record<string, string>) =>
      processes.start({ databaseUrl: pair.url, env: through(made, env) });
    await expect(start({})).rejects.toThrow(/ACUSE_DB_REQUEST_URL: .*not permitted to log in.*noinherit/s);
    await pair.onPrimary('alter role acuse_worker login');
    await expect(start({ ACUSE_DB_REQUEST_URL: pair.url })).rejects.toThrow(
      /ACUSE_DB_REQUEST_URL logs in as acuse: it must be a login of acuse_request/,
    );
    await pair.onPrimary('alter role acuse_request login');
    // The first one waits before it tries a login again that was refused.
    const fresh = through(await pooler());
    await expect(processes.start({ databaseUrl: pair.url, env: fresh })).rejects.toThrow(
      /statement_timeout is 0, not 1min.*set synchronous_commit = 'on'/s,
    );
    await expect(
      processes.start({
        databaseUrl: pair.url,
        env: { ACUSE_DB_REQUEST_URL: made.url('acuse_request') },
      }),
    ).rejects.toThrow(/ACUSE_DB_REQUEST_URL and ACUSE_DB_WORKER_URL: set both or neither/);
  });

  test('with both logins mail is accepted, delivered, sealed and told, over a few shared sessions', async () => {
    for (const statement of loginSql().split('\n')) await pair.onPrimary(statement.replace(/--.*/, ''));
    const made = await pooler();
    const service = await processes.start({ databaseUrl: pair.url, env: through(made) });
    const sent = await Promise.all(Array.from({ length: 40 }, () => service.send({ certified: true })));
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]));
    for (const { body } of sent)
      await eventually(async () => {
        const now = (await service.call('GET', `/v1/messages/${body.id}`)).body;
        return (now.status === 'sent' && now.sealed_at !== null) || undefined;
      });
    const evidence = await service.call('GET', `/v1/messages/${sent[0]!.body.id}/evidence`);
    expect(evidence.status).toBe(200);
    const sessions = await pair.onPrimary(
      "select usename, count(*)::int as n from pg_stat_activity where usename like 'acuse\\_%' group by 1 order by 1",
    );
    expect(sessions.map(({ usename }) => usename)).toEqual(['acuse_request', 'acuse_worker']);
    for (const { n } of sessions) expect(n).toBeLessThanOrEqual(3);
  });

  test('a pooler that is killed and started again under load loses nothing, and nothing is stored twice', async () => {
    for (const statement of loginSql().split('\n')) await pair.onPrimary(statement.replace(/--.*/, ''));
    const made = await pooler();
    const service = await processes.start({ databaseUrl: pair.url, env: through(made) });
    const ids = new Map<string, string>();
    let restarted = 0;
    const client = async (name: string) => {
      // Some after the last restart, too.
      for (let n = 0; n < 20 || restarted < 2; n++)
        for (const key = `${name}-${n}`; !ids.has(key); ) {
          const { status, body } = await service.send({}, key);
          if (status === 201 || status === 200) ids.set(key, body.id);
          else expect([status, body.error?.code]).toEqual([503, 'unavailable']);
        }
    };
    const clients = ['a', 'b', 'c', 'd'].map(client);
    for (const enough of [10, 30]) {
      await eventually(async () => ids.size >= enough, 60_000);
      await made.restart();
      restarted++;
    }
    await Promise.all(clients);
    const [kept] = await pair.onPrimary(
      "select count(*)::int as n, count(distinct idempotency_key)::int as keys from messages where idempotency_key ~ '^[abcd]-'",
    );
    expect(kept).toEqual({ n: ids.size, keys: ids.size });
    // Deferred: the sandbox's own mail server was in doubt of its commit, and says 451.
    for (const id of ids.values())
      await eventually(async () => {
        const { status } = (await service.call('GET', `/v1/messages/${id}`)).body;
        return ['sent', 'deferred'].includes(status) || undefined;
      }, 60_000);
  });
});
