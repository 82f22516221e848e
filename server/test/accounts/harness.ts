import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { dkimKeyForTests } from '@acuse/testkit/dkim-keys';
import { createAuthenticate } from '../../src/accounts/api-keys/authenticate.ts';
import { createKeyCheck } from '../../src/accounts/api-keys/key-check.ts';
import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { apiKeyRoutes } from '../../src/accounts/api-keys/routes.ts';
import { createDkimKeyMaker } from '../../src/accounts/domains/dkim-keys.ts';
import type { DomainDns } from '../../src/accounts/domains/dns.ts';
import { domainRoutes } from '../../src/accounts/domains/routes.ts';
import { accountRoutes } from '../../src/accounts/quota/routes.ts';
import { senderRoutes } from '../../src/accounts/senders/routes.ts';
import { suppressionRoutes } from '../../src/accounts/suppressions/routes.ts';
import { createTenant } from '../../src/accounts/tenants/operations.ts';
import type { Tenant } from '../../src/accounts/tenants/store.ts';
import { LEAK_PARTS } from '../../src/app/leak-parts.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Changes, createChanges } from '../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { behind, MACHINE_DOOR } from '../../src/platform/http/door.ts';
import { type App, SCOPES, type Scope } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createThreads } from '../../src/platform/threads/threads.ts';

/** The account routes on a real database, without listening. */
export interface Accounts {
  database: TestDatabase;
  db: Db;
  app: App;
  changes: Changes;
  deps: { db: Db; clock: Clock; changes: Changes };
  domainDeps: Parameters<typeof domainRoutes>[1];
  /** A tenant with a key of these scopes; by default all. */
  tenant(
    scopes?: readonly Scope[],
    name?: string,
  ): Promise<{ tenant: Tenant; key: string; apiKeyId: string }>;
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    key: string | null,
    body?: unknown,
  ): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read into answers freely
  body: any;
  headers: Record<string, unknown>;
}

export interface AccountsOptions {
  clock?: Clock;
  dns?: DomainDns;
  keyRate?: { perSecond: number; burst: number };
  keylessRate?: { perSecond: number; burst: number };
  addressRate?: { perSecond: number; burst: number };
  failures?: { perMinute: number };
}

const NO_LIMIT = { perSecond: 0, burst: 0 };

export async function startAccounts(options: AccountsOptions = {}): Promise<Accounts> {
  const database = await testDatabase();
  const db = openDb({ connectionString: database.url, poolSize: 8, applicationName: 'test' });
  const clock = options.clock ?? systemClock;
  const changes = createChanges(db);
  const deps = { db, clock, changes };
  const keyRate = options.keyRate ?? { perSecond: 0, burst: 0 };
  const keyCheck = createKeyCheck({
    sandbox: false,
    ...deps,
    keyRate,
    ...(options.failures && { failures: options.failures }),
  });
  const app = createHttpServer({
    log: createLog('silent'),
    authenticate: createAuthenticate({
      keyCheck,
      burst: keyRate.burst,
      addresses: {
        clock,
        keyed: options.addressRate ?? NO_LIMIT,
        keyless: options.keylessRate ?? NO_LIMIT,
      },
    }),
    trustProxy: null,
  });
  const domainDeps = {
    ...deps,
    dkimKeys: createDkimKeyMaker(createSecretBox([new Uint8Array(32).fill(7)]), dkimKeyForTests),
    dns: options.dns ?? { check: async () => [] },
    returnPathHost: 'bounces.acuse.test',
  };
  const doors = behind(app, MACHINE_DOOR)('Account');
  apiKeyRoutes(doors, { ...deps, ...LEAK_PARTS });
  accountRoutes(doors, { ...deps, config: { plainRecordDays: 400, plainRetentionDays: 90 } });
  domainRoutes(doors, domainDeps);
  senderRoutes(doors, deps);
  const threads = createThreads();
  suppressionRoutes(doors, { ...deps, threads });
  app.get('/keyless', async () => ({}));
  app.get('/probe', { config: { probe: true } }, async () => ({}));
  await app.ready();

  return {
    database,
    db,
    app,
    changes,
    deps,
    domainDeps,
    async tenant(scopes = SCOPES, name = 'Tester') {
      const tenant = await createTenant(deps, { name });
      const made = await createApiKey(deps, tenant.tenantId, { name: 'test', scopes }, null);
      return { tenant, key: made.key, apiKeyId: made.apiKeyId };
    },
    async call(method, url, key, body) {
      const answer = await app.inject({
        method,
        url,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
        ...(body !== undefined && { payload: body as object }),
      });
      return {
        status: answer.statusCode,
        body: answer.body === '' ? null : answer.json(),
        headers: answer.headers,
      };
    },
    async close() {
      await threads.stop();
      await app.close();
      await keyCheck.close();
      await db.close();
      await database.drop();
    },
  };
}
