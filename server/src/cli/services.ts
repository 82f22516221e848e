import { createDkimKeyMaker } from '../accounts/domains/dkim-keys.ts';
import { createDomainDns } from '../accounts/domains/dns.ts';
import { type Environment, loadConfig } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { readGivenKeys, requireMasterKeys } from '../config/master-key.ts';
import { openConfiguredDb } from '../operate/restore/open-db.ts';
import { systemClock } from '../platform/clock.ts';
import { awaitDatabase } from '../platform/database/await-database.ts';
import { type Changes, createChanges } from '../platform/database/changes.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import { borrowEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { migrate, pendingMigrations } from '../platform/database/migrate.ts';
import { createLazySecretBox, type SecretBox } from '../platform/secrets.ts';
import { CommandError, EXIT } from './command.ts';
import { writeLines } from './output.ts';

export interface CommandServices extends DbAndClock {
  config: Config;
  changes: Changes;
  secrets: SecretBox;
}

interface ConnectedServices extends CommandServices {
  databaseUrl: string;
}

const POOL_SIZE = 2;

/** DATABASE_URL's database, the running server's embedded one, or a temporary one. */
export async function withServices<T>(
  env: Environment,
  command: string,
  work: (services: ConnectedServices) => Promise<T>,
  connections = POOL_SIZE,
): Promise<T> {
  const { config } = loadConfig(env);
  const database = await reachDatabase(config, command);
  try {
    const secrets = createLazySecretBox(() => requireMasterKeys(readGivenKeys(config), config.dataDir));
    const { db, journal } = openConfiguredDb(config, {
      connectionString: database.url,
      poolSize: connections,
      applicationName: 'acuse:cli',
      secrets,
      clock: systemClock,
    });
    try {
      await db.checkSessions();
      const changes = createChanges(db);
      return await work({ config, db, databaseUrl: database.url, clock: systemClock, changes, secrets });
    } finally {
      await journal?.close();
      await db.close();
    }
  } finally {
    await database.stop();
  }
}

/** Migrates only a database of its own. */
async function reachDatabase(
  config: Config,
  command: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const database = await openDatabase(config, command);
  try {
    if (database.own) await migrate(database.url);
    else await requireMigrated(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

export async function openDatabase(
  config: Config,
  command: string,
): Promise<{ url: string; own: boolean; stop(): Promise<void> }> {
  const { databaseUrl: url, databaseWaitMs: waitMs } = config;
  if (url !== null) {
    await awaitDatabase(url, { waitMs, onWaiting: sayWaiting });
    return { url, own: false, stop: async () => {} };
  }
  const silent = { info: () => {}, error: () => {} };
  return borrowEmbeddedPostgres({ dataDir: config.dataDir, command: `acuse ${command}`, log: silent });
}

function sayWaiting(reason: string): void {
  writeLines(process.stderr, `acuse: waiting for the database: ${reason}`);
}

async function requireMigrated(url: string): Promise<void> {
  const pending = await pendingMigrations(url);
  if (pending.length === 0) return;
  throw new CommandError(
    EXIT.unavailable,
    'not_migrated',
    `the database lacks ${pending.length} migrations (next: ${pending[0]}): start a server of this version or run acuse db migrate`,
  );
}

export function domainServices(services: CommandServices) {
  return {
    ...services,
    dkimKeys: createDkimKeyMaker(services.secrets),
    dns: createDomainDns({ servers: services.config.dnsServers ?? [] }),
    returnPathHost: returnPathHost(services.config),
  };
}

/** A sandbox takes no bounces from outside: null. */
export function returnPathHost(config: Config): string | null {
  return config.delivery === 'sandbox' ? null : config.hostname;
}
