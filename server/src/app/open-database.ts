import { resolve } from 'node:path';
import type { Config } from '../config/config-type.ts';
import { awaitDatabase } from '../platform/database/await-database.ts';
import { awaitLogins } from '../platform/database/await-logins.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { loginsOf } from '../platform/database/logins.ts';
import { migrate } from '../platform/database/migrate.ts';
import { clusterPaths, isInitialized } from '../platform/database/postgres-cluster.ts';
import type { Log } from '../platform/logger.ts';
import { tryPorts } from './try-ports.ts';

export type OnStop = (name: string, run: () => Promise<unknown>) => void;

export async function openDatabase(
  config: Config,
  log: Log,
  onStop: OnStop,
  stopped?: AbortSignal,
): Promise<{ url: string; shown: string }> {
  let url = config.databaseUrl;
  let shown = 'PostgreSQL at DATABASE_URL';
  if (url === null) {
    if (!isInitialized(clusterPaths(resolve(config.dataDir)))) await tryPorts(config);
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      command: 'acuse serve',
      kind: 'service',
      log,
      onGone(error) {
        log.fatal({ err: error }, 'the embedded PostgreSQL ended and cannot be restarted');
        process.kill(process.pid, 'SIGTERM');
      },
    });
    onStop('postgres', postgres.stop);
    url = postgres.url;
    shown = `embedded PostgreSQL in ${config.dataDir}`;
  } else {
    const onWaiting = (reason: string) => log.warn({ reason }, 'waiting for the database');
    const wait = {
      waitMs: config.databaseWaitMs,
      onWaiting,
      ...(stopped !== undefined && { signal: stopped }),
    };
    await awaitDatabase(url, wait);
    await awaitLogins(loginsOf(config), wait);
  }
  const { applied } = await migrate(url);
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  return { url, shown };
}
