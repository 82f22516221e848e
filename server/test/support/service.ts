import { randomBytes } from 'node:crypto';
import { testDatabase } from '@acuse/testkit/database';
import { dkimKeyForTests } from '@acuse/testkit/dkim-keys';
import { pino } from 'pino';
import { createHttpSide, type HttpSide } from '../../src/app/http-side.ts';
import { type AfterCommit, createIngest, createServices, type Services } from '../../src/app/services.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Accept } from '../../src/messages/accept.ts';
import type { PasswordCost } from '../../src/people/sessions/passwords.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { openSandboxAccount, type SandboxAccount } from '../../src/sandbox/account.ts';

/**
 * The API of one process on a database of its own, without workers: requests go through the whole HTTP stack.
 */
export interface TestService {
  readonly db: Db;
  readonly services: Services;
  readonly http: HttpSide;
  readonly accept: Accept;
  readonly account: SandboxAccount;
  readonly databaseUrl: string;
  /** One request; a body that is no string or bytes goes as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A valid send with an idempotency key of its own. */
  send(fields?: object, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** Null: no Authorization header. */
  key?: string | null;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
  raw: Buffer;
  headers: Record<string, string | string[] | number | undefined>;
}

export interface TestServiceOptions {
  environment?: Record<string, string>;
  clock?: Clock;
  /** A database that is there already; it is not dropped. */
  databaseUrl?: string;
  /** Shorter than in production where a test waits for it to end. */
  barrierTimeoutMs?: number;
  /** Less than in production, and less than enough to be in anybody's way, without it. */
  passwordCost?: PasswordCost;
  /** Messages as with real delivery, though the accounts are a sandbox's. */
  acceptsAsReal?: boolean;
  /** Follows a commit; by default nothing. */
  after?: Partial<AfterCommit>;
}

const NOTHING_FOLLOWS: AfterCommit = { onAccepted() {}, handover: () => null, webhooks: () => null };

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const owned = options.databaseUrl === undefined ? await testDatabase() : null;
  const databaseUrl = options.databaseUrl ?? owned!.url;
  const log = pino({ level: 'silent' });
  const { config } = loadConfig({
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_KEYLESS_RATE: '0',
    DATABASE_URL: databaseUrl,
    ...options.environment,
  });
  const db = openDb({
    connectionString: databaseUrl,
    poolSize: 5,
    applicationName: 'acuse-test',
    ...(options.barrierTimeoutMs !== undefined && { barrierTimeoutMs: options.barrierTimeoutMs }),
  });
  const services = await createServices({
    config,
    db,
    clock: options.clock ?? systemClock,
    log,
    secrets: createSecretBox(config.masterKeys ?? [TEST_MASTER_KEY]),
    metrics: createMetrics({ log, process: true }),
    tracing: null,
    generateDkimKey: dkimKeyForTests,
    passwordCost: options.passwordCost ?? { costLog2: 4, blockSize: 8, parallel: 1 },
  });
  const account = await openSandboxAccount({ ...services.domains, secrets: services.secrets });
  const accepting = options.acceptsAsReal ? { ...config, delivery: 'direct' as const } : config;
  const accept = createIngest({ ...services, config: accepting }, { ...NOTHING_FOLLOWS, ...options.after });
  const http = createHttpSide({ services, accept, wakeDelivery: () => {}, wakeWebhooks: () => {} });
  http.health.ready();

  async function call(
    method: string,
    path: string,
    { body, headers = {}, key = account.apiKey }: CallOptions = {},
  ): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await http.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: raw ? (body as string) : JSON.stringify(body) }),
    });
    const json = method !== 'HEAD' && /json/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      body: json ? answer.json() : answer.body,
      raw: answer.rawPayload,
      headers: answer.headers,
    };
  }

  return {
    db,
    services,
    http,
    accept,
    account,
    databaseUrl,
    call,
    send: (fields = {}, { headers = {}, ...rest } = {}) =>
      call('POST', '/v1/messages', {
        body: {
          from: 'billing@sandbox.test',
          to: 'ana@sandbox.test',
          subject: 'Hello',
          text: 'Hello Ana',
          ...fields,
        },
        headers: { 'idempotency-key': newKey(), ...headers },
        ...rest,
      }),
    async stop() {
      await http.close();
      await services.keyCheck.close();
      await services.threads.stop();
      await db.close();
      await owned?.drop();
    },
  };
}

const TEST_MASTER_KEY = randomBytes(32);

export function newKey(): string {
  return randomBytes(12).toString('hex');
}
