import { loadConfig } from '../config/config.ts';
import { migrate, pendingMigrations } from '../platform/database/migrate.ts';
import { type Command, defineCommand, EXIT } from './command.ts';
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

export const dbCommands: readonly Command[] = [migrateCommand];
