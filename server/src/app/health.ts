import { Type } from 'typebox';
import { apiError } from '../errors.ts';
import { type LogState, logStopped } from '../evidence/log/stop.ts';
import { databaseAnswers } from '../platform/database/await-database.ts';
import type { Db } from '../platform/database/db.ts';
import type { DatabaseNode } from '../platform/database/nodes-store.ts';
import { errorAnswers, openNamed } from '../platform/http/api-schema.ts';
import type { App } from '../platform/http/http.ts';
import { inRecovery, type Recovery } from './recovery.ts';

/** Database time-out of readiness (ms). */
const READY_TIMEOUT_MS = 2_000;

export interface Health {
  /** Start is complete: /readyz may answer 200. */
  ready(): void;
  /** /readyz answers 503 from now on. */
  retire(): void;
  isRetired(): boolean;
  /** Null: ready. `limitMs`: the database's time-out. */
  whyNotReady(limitMs?: number): Promise<Error | null>;
}

interface HealthDeps {
  readonly db: Db;
  readonly recovery: Recovery | null;
  readonly logState: Pick<LogState, 'isStopped'>;
  /** Nodes of a distributed database. */
  readonly nodes: () => Promise<readonly DatabaseNode[]>;
}

const Ok = openNamed('Health', {
  status: Type.Literal('ok'),
  degraded: Type.Optional(
    Type.Boolean({
      description: 'A database server is lost: requests of its accounts are answered 503. Readiness only.',
    }),
  ),
});

/** `/healthz`: alive; `/readyz`: can serve. No key needed. */
export function healthRoutes(app: App, { db, recovery, logState, nodes }: HealthDeps): Health {
  let state: 'starting' | 'ready' | 'retired' = 'starting';
  async function isDegraded(): Promise<boolean> {
    const found = await nodes().catch(() => []);
    return found.some(({ reachable }) => !reachable);
  }

  async function whyNotReady(limitMs = READY_TIMEOUT_MS): Promise<Error | null> {
    const unavailable = (detail: string) => apiError('unavailable', detail, { retryAfterSeconds: 1 });
    if (state === 'retired') return unavailable('The service is shutting down.');
    if (recovery !== null) return inRecovery();
    if (state === 'starting') return unavailable('The service is starting.');
    if (!(await databaseAnswers(db, limitMs))) return unavailable('The database does not answer.');
    return logState.isStopped() ? logStopped() : null;
  }

  app.get(
    '/healthz',
    {
      config: { probe: true },
      schema: {
        operationId: 'getHealth',
        tags: ['Operation'],
        summary: 'The process is alive',
        description:
          'Answers as soon as the process serves HTTP, whatever the database does. For a supervisor that restarts it.',
        response: { 200: Ok, ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error') },
      },
    },
    async () => ({
      status: 'ok' as const,
    }),
  );

  app.get(
    '/readyz',
    {
      config: { probe: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['Operation'],
        summary: 'The process is ready',
        description:
          '200 once it has started, the database answers and it is not stopping; else 503. For a load balancer.',
        response: {
          200: Ok,
          ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error', 'unavailable'),
        },
      },
    },
    async () => {
      const why = await whyNotReady();
      if (why !== null) throw why;
      return { status: 'ok' as const, ...((await isDegraded()) && { degraded: true }) };
    },
  );

  return {
    ready() {
      if (state === 'starting') state = 'ready';
    },
    retire() {
      state = 'retired';
    },
    isRetired: () => state === 'retired',
    whyNotReady,
  };
}
