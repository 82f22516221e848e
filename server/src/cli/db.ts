import { loadConfig } from '../config/config.ts';
import { distribute, type NodeAddress, SHARDS_DEFAULT } from '../platform/database/distribute.ts';
import { hostUrls } from '../platform/database/host-urls.ts';
import { migrate, pendingMigrations } from '../platform/database/migrate.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { openDatabase } from './services.ts';

const migrateCommand = defineCommand({
  name: 'db migrate',
  summary: 'Migrates the database to this version; a server does the same when it starts',
  details:
    'Safe to run while servers start: each migration is applied once. Needs a login that may create tables and roles; without one, it prints the SQL that an administrator must run.',
  options: { 'dry-run': { type: 'boolean', doc: 'only show what would be applied' } },
  examples: [
    'acuse db migrate',
    'DATABASE_URL=postgresql://acuse@db.example/acuse acuse db migrate --dry-run --json',
  ],
  async run({ options, out, env }) {
    const { config } = loadConfig(env);
    const database = await openDatabase(config, 'db migrate');
    try {
      const dryRun = options['dry-run'];
      const names = dryRun ? await pendingMigrations(database.url) : (await migrate(database.url)).applied;
      const verb = dryRun ? 'would apply' : 'applied';
      out.answer(dryRun ? { pending: names } : { applied: names }, () =>
        names.length === 0
          ? 'nothing to apply: the database is up to date'
          : names.map((name) => `${verb} ${name}`),
      );
      return EXIT.ok;
    } finally {
      await database.stop();
    }
  },
});

/** More slow down scans over all accounts. */
const SHARDS_MAX = 1_024;
const PORT_DEFAULT = 5432;

const distributeCommand = defineCommand({
  name: 'db distribute',
  summary: 'Spreads the database over PostgreSQL servers with Citus, by account',
  details:
    'DATABASE_URL names the coordinator, and a superuser. Each worker needs the same database, empty, with Citus at hand. Can be run again, for another worker or after a migration; stop the services first when there are accounts already.',
  options: {
    workers: { type: 'string', value: '<host:port,…>', doc: 'workers to add', multiple: true },
    coordinator: {
      type: 'string',
      value: '<host:port>',
      doc: 'how workers reach the coordinator (default: as in DATABASE_URL)',
    },
    shards: {
      type: 'string',
      value: '<number>',
      doc: `parts that the accounts are divided into, 1 to ${SHARDS_MAX} (default ${SHARDS_DEFAULT})`,
    },
  },
  examples: [
    'DATABASE_URL=postgresql://postgres@db0.example/acuse acuse db distribute --workers db1.example:5432,db2.example:5432',
  ],
  async run({ options, out, env }) {
    const { config } = loadConfig(env);
    if (config.databaseUrl === null)
      throw new CommandError(EXIT.usage, 'no_database_url', 'set DATABASE_URL to the coordinator');
    const done = await distribute({
      url: config.databaseUrl,
      coordinator: parseNode(options.coordinator ?? coordinatorOf(config.databaseUrl)),
      workers: options.workers.flatMap((list) => list.split(',')).map(parseNode),
      shards: parseShards(options.shards),
    });
    out.answer(done, () => [
      ...done.addedWorkers.map((worker) => `added worker ${worker}`),
      ...Object.entries(done.changed).flatMap(([kind, names]) => names.map((name) => `${name}: ${kind}`)),
      ...(done.addedWorkers.length === 0 && Object.values(done.changed).flat().length === 0
        ? ['nothing to do: every table is where it belongs']
        : []),
      ...done.advice,
    ]);
  },
});

function parseNode(text: string): NodeAddress {
  const parts = /^(\[[0-9a-fA-F:]+\]|[^:/@\s]+)(?::(\d{1,5}))?$/.exec(text.trim());
  const port = Number(parts?.[2] ?? PORT_DEFAULT);
  if (parts === null || port < 1 || port > 65_535)
    throw new CommandError(EXIT.usage, 'invalid_node', `${JSON.stringify(text)} is not in host:port form`);
  return { host: parts[1]!.replace(/^\[|\]$/g, ''), port };
}

/** Reachable for workers, too. */
function coordinatorOf(databaseUrl: string): string {
  const urls = hostUrls(databaseUrl) ?? [];
  const host = urls.length === 1 ? new URL(urls[0]!.replace('@/', '@localhost/')).host : '';
  const isSocket = /[?&]host=/.test(databaseUrl);
  if (host !== '' && !isSocket) return host;
  throw new CommandError(
    EXIT.usage,
    'no_coordinator',
    'DATABASE_URL does not name one host that workers can reach: say which with --coordinator host:port',
  );
}

function parseShards(text: string | undefined): number | null {
  if (text === undefined) return null;
  const shards = Number(text);
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    throw new CommandError(
      EXIT.usage,
      'invalid_shards',
      `--shards must be a number from 1 to ${SHARDS_MAX}, got ${JSON.stringify(text)}`,
    );
  return shards;
}

export const dbCommands: readonly Command[] = [migrateCommand, distributeCommand];
