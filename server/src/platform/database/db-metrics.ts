import type { Metrics } from '../metrics.ts';
import type { Db } from './db.ts';

export function addDatabaseMetrics(metrics: Metrics, db: Db): void {
  metrics.series(
    'acuse_db_connections',
    'Database connections of this process, by pool, in use or idle.',
    ['pool', 'state'],
    () =>
      Object.entries(db.pools()).flatMap(([pool, { open, idle }]) => [
        { labels: { pool, state: 'used' }, value: open - idle },
        { labels: { pool, state: 'idle' }, value: idle },
      ]),
  );
  metrics.series('acuse_db_waiting', 'Callers that wait for a database connection.', ['pool'], () =>
    Object.entries(db.pools()).map(([pool, { waiting }]) => ({ labels: { pool }, value: waiting })),
  );
}
