import { randomBytes } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { type RunningServer, startServer } from '../../src/app/main.ts';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Scope } from '../../src/platform/http/http.ts';
import { createLog } from '../../src/platform/logger.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Ask, ask, type RawAnswer } from './conform.ts';

/**
 * A whole server with all its roles, two more API processes beside it (one that is rationed, one that loses
 * its database), and things of every kind.
 */
export interface WalkWorld {
  /** The server itself. */
  readonly base: string;
  readonly key: string;
  /** The API on the same database in this process: for what a test must reach into. */
  readonly beside: TestService;
  /** Takes one request of a key, and never another. */
  readonly rationed: string;
  /** Has no database any more. */
  readonly cutOff: string;
  readonly receiver: HttpsReceiver;
  keyWith(...scopes: Scope[]): Promise<string>;
  /** A request with the account's key and, with a body, as JSON. */
  call(
    ask: Omit<Ask, 'body'> & { body?: unknown; key?: string | null; base?: string },
  ): Promise<RawAnswer & { json: () => unknown }>;
  stop(): Promise<void>;
}

export async function startWalkWorld(): Promise<WalkWorld> {
  const database = await testDatabase();
  const dataDir = tempFolder();
  const environment = {
    ACUSE_DATA_DIR: dataDir,
    ACUSE_MASTER_KEY: randomBytes(32).toString('base64'),
    ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
    // Nobody listens there: a look-up fails at once.
    ACUSE_DNS_SERVERS: '127.0.0.1:9',
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_KEYLESS_RATE: '0',
    ACUSE_SEAL_INTERVAL: '200ms',
  };
  const server = await startWhole(database, environment);
  const beside = await startTestService({ databaseUrl: database.url, environment });
  const rationed = await startTestService({
    databaseUrl: database.url,
    clock: { ...systemClock, monotonicMs: () => 0 },
    environment: {
      ...environment,
      ACUSE_KEY_RATE: '1',
      ACUSE_KEY_BURST: '1',
      ACUSE_KEYLESS_RATE: '1',
      ACUSE_KEYLESS_BURST: '1',
    },
  });
  const proxy = await startPostgresProxy(database.url);
  const cutOff = await startTestService({ databaseUrl: proxy.url, environment });
  const receiver = await startHttpsReceiver({ plain: true });
  const base = `http://127.0.0.1:${server.port}`;
  const key = beside.account.apiKey;
  return {
    base,
    key,
    beside,
    receiver,
    rationed: await rationed.http.app.listen({ host: '127.0.0.1', port: 0 }),
    cutOff: await cutOffFrom(cutOff, proxy),
    keyWith: async (...scopes) =>
      (await createApiKey(beside.services, beside.account.tenantId, { name: 'walk', scopes }, null)).key,
    async call({ body, key: given, base: at = base, headers = {}, ...rest }) {
      const withKey = given === undefined ? key : given;
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const answer = await ask(at, {
        ...rest,
        headers: {
          ...(withKey !== null && { authorization: `Bearer ${withKey}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined || raw ? (body as string | undefined) : JSON.stringify(body),
      });
      return { ...answer, json: () => JSON.parse(answer.body.toString()) };
    },
    async stop() {
      await Promise.all([receiver.close(), rationed.stop(), cutOff.stop(), beside.stop(), server.stop()]);
      await database.drop();
    },
  };
}

function startWhole(database: TestDatabase, environment: Record<string, string>): Promise<RunningServer> {
  const { config } = loadConfig({
    ...environment,
    DATABASE_URL: database.url,
    ACUSE_PORT: '0',
    ACUSE_SANDBOX_SMTP_PORT: '0',
    ACUSE_ADMIN_PORT: '0',
    ACUSE_RETURN_PATH_PORT: '0',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
  });
  return startServer(config, createLog('silent'));
}

async function cutOffFrom(service: TestService, proxy: PostgresProxy): Promise<string> {
  const base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
  await proxy.close();
  return base;
}
