import { createAuthenticate } from '../server/src/accounts/api-keys/authenticate.ts';
import { createIngest, createServices } from '../server/src/app/services.ts';
import { loadConfig } from '../server/src/config/config.ts';
import { openMasterKeys } from '../server/src/config/master-key.ts';
import { messageRoutes } from '../server/src/messages/routes.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { type Db, openDb, type Tx } from '../server/src/platform/database/db.ts';
import { behind, MACHINE_DOOR } from '../server/src/platform/http/door.ts';
import { createHttpMetrics } from '../server/src/platform/http/http-metrics.ts';
import { createHttpServer } from '../server/src/platform/http/http-server.ts';
import { createLog } from '../server/src/platform/logger.ts';
import { createMetrics } from '../server/src/platform/metrics.ts';
import { createSecretBox } from '../server/src/platform/secrets.ts';

/**
 * The service as it takes messages, but for its database: the same server, hooks, checks, composing, hashes
 * and promises, and the same statements made for each group. Only nobody gets them: a transaction answers at
 * once what PostgreSQL would for a group of new sends that all are within their limits. What is cached (key,
 * account, domain, sender) is read from the real database.
 */
export async function serveWithoutDatabase(): Promise<string> {
  const { config } = loadConfig();
  const log = createLog(config.logLevel);
  const real = openDb({ connectionString: config.databaseUrl!, poolSize: 2, applicationName: 'bench' });
  const db: Db = { ...real, transact: (work) => work(answering()) };
  const secrets = createSecretBox(openMasterKeys(config.masterKeys, config.dataDir));
  const metrics = createMetrics({ log, process: true });
  // Reads of the start go to the real one, in transactions of their own.
  const services = await createServices({
    config,
    db: real,
    clock: systemClock,
    log,
    secrets,
    metrics,
    tracing: null,
  });
  const accept = createIngest(
    { ...services, db },
    { onAccepted() {}, handover: () => null, webhooks: () => null },
  );
  const app = createHttpServer({
    log,
    authenticate: createAuthenticate({
      keyCheck: services.keyCheck,
      burst: config.keyBurst,
      addresses: {
        clock: systemClock,
        keyed: { perSecond: config.addressRate, burst: config.addressBurst },
        keyless: { perSecond: config.keylessRate, burst: config.keylessBurst },
      },
    }),
    trustProxy: null,
    onAnswered: createHttpMetrics(services.metrics),
  });
  messageRoutes(behind(app, MACHINE_DOOR)('Messages'), {
    db,
    log,
    accept,
    threads: services.threads,
    archived: services.archived,
    promiseOf: services.promiseOf,
    askPerson: ({ send }) => accept(send),
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

let lastSequence = 0;

/** Answers to the statements of a commit, by their names. */
const ANSWERS: Readonly<Record<string, (values: readonly unknown[]) => object[]>> = {
  accept_claim_keys: ([, , messageIds]) => elements(messageIds).map((id) => ({ message_id: id })),
  accept_find_spent_keys: () => [],
  accept_find_suppressed: () => [],
  quota_take_whole(values) {
    const [tenants, months, bags, counts] = values as [string[], string[], string[], number[]];
    return tenants.map((tenantId, at) => ({
      tenantId,
      month: months[at],
      bag: bags[at],
      count: counts[at],
    }));
  },
  accept_take_sequences([tenants, counts]) {
    const wanted = elements(counts).map(Number);
    return elements(tenants).map((id, at) => {
      lastSequence += wanted[at]!;
      return { tenant_id: id, last_sequence: lastSequence };
    });
  },
  find_subscribers: () => [],
  find_subscribers_of_one: () => [],
};

function answering(): Tx {
  const answer = (values: readonly unknown[] = [], name = ''): object[] => {
    const rows = ANSWERS[name]?.(values);
    if (rows === undefined) throw new Error(`no answer is known to the statement ${name}`);
    return rows;
  };
  return {
    kind: 'tx',
    distributed: false,
    query: async (_text, values, name) => answer(values, name) as never,
    execute: async (_text, values, name) => answer(values, name).length,
    copyOut: () => Promise.reject(new Error('no answer is known to a copy')),
    send() {},
    note() {},
    onEnd() {},
  };
}

/** Of an array in PostgreSQL's text form, of elements that need no quotes. */
function elements(array: unknown): string[] {
  return String(array).slice(1, -1).split(',');
}
