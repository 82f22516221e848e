import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { logRoutes } from '../../src/evidence/log/log-routes.ts';
import { createLogClient } from '../../src/evidence/monitor/log-client.ts';
import { lookOnce } from '../../src/evidence/monitor/monitor.ts';
import type { MonitorReport } from '../../src/evidence/monitor/report.ts';
import { emptyState } from '../../src/evidence/monitor/state.ts';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/logger.ts';
import { hastyClock, type World } from './support.ts';

/** Whoever watches a log over HTTP with its key alone, and remembers all that it was ever shown. */
export interface Outside {
  readonly url: string;
  /** `promises`: signed notes to hold the log to from now on. */
  look(promises?: readonly string[]): Promise<MonitorReport>;
  close(): Promise<void>;
}

/** The log's public routes; `clock` decides how long answers are cached. */
export function openLogApi({ db, clock, log }: Pick<World, 'db' | 'clock' | 'log'>): App {
  const app = createHttpServer({ log: createLog('silent'), authenticate: async () => {}, trustProxy: null });
  logRoutes(app, { db, clock, log, ownPolicy: () => '{}' });
  return app;
}

const HOUR_MS = 3_600_000;

export async function openOutside(world: World): Promise<Outside> {
  const app = openLogApi({ ...world, clock: hastyClock() });
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/log`;
  const state = emptyState();
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const client = createLogClient({ url, sleep, signal: new AbortController().signal });
  return {
    url,
    look: (promises = []) =>
      lookOnce(
        { client, key: world.log.key, now: () => new Date(), sleep, save: () => {} },
        {
          promises,
          seen: [],
          secondKeys: [],
          authorities: null,
          constanciaWithinMs: HOUR_MS,
          witnessKeys: [],
          witnessQuorum: 0,
          witnessWithinMs: HOUR_MS,
        },
        state,
      ),
    close: () => app.close(),
  };
}

/** The fault in a log, seen from inside and from outside; empty if it is one history. */
export async function everythingWrong(
  world: World,
  outside: Outside,
  promises: readonly string[],
): Promise<string[]> {
  const { problems } = await fsck(world);
  const { status, alerts, promises: kept } = await outside.look(promises);
  return [
    ...problems.map(({ check, subject, detail }) => `fsck: ${check}: ${subject}: ${detail}`),
    ...alerts.map((alert) => `monitor: ${JSON.stringify(alert)}`),
    ...(status === 'ok' ? [] : [`monitor: ${status}`]),
    ...(kept.open + kept.broken === 0 ? [] : [`monitor: ${kept.open} promises open, ${kept.broken} broken`]),
  ];
}
