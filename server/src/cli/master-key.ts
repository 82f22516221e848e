import { readGivenKeys, requireMasterKeys } from '../config/master-key.ts';
import { reseal, type TableSeals } from '../operate/master-keys/reseal.ts';
import { type Command, defineCommand, EXIT } from './command.ts';
import { withServices } from './services.ts';

const resealCommand = defineCommand({
  name: 'master-key reseal',
  summary: 'Reseals under the first master key all secrets that are sealed under others',
  details:
    'First put the new key before the old one in ACUSE_MASTER_KEY (or master.key), and restart every process. It can be interrupted and run again, while the service runs. Exit code 1: a secret remains that only another key opens, or no key. docs/guides/master-key.md says how a key is replaced, and what to do about one that leaked.',
  options: { 'dry-run': { type: 'boolean', doc: 'only count' } },
  examples: ['acuse master-key reseal --dry-run', 'acuse master-key reseal --json'],
  async run({ options, out, env }) {
    const dryRun = options['dry-run'] === true;
    const tables = await withServices(env, 'master-key reseal', ({ db, config }) =>
      reseal(db, {
        masterKeys: requireMasterKeys(readGivenKeys(config), config.dataDir),
        dryRun,
        onPage: ({ table, byKey, resealed, unopened }) =>
          out.progress(`${table}: ${sum(byKey) + unopened} secrets, ${resealed} sealed again`),
      }),
    );
    const left = sum(tables.map(({ byKey }) => sum(byKey.slice(1))));
    const unopened = sum(tables.map((each) => each.unopened));
    const answer = tables.map(({ table, byKey, unopened: none, resealed }) => ({
      ...{ table, under_each_key: byKey, unopened: none, resealed },
    }));
    out.answer({ tables: answer, under_old_keys: left, unopened, dry_run: dryRun }, () => [
      ...tables.map(describe),
      left === 0
        ? '✓ nothing is sealed under an old key: take it out of ACUSE_MASTER_KEY'
        : `${left} secrets are sealed under an old key${dryRun ? '' : ': run it again'}`,
      ...(unopened === 0 ? [] : [`✗ ${unopened} secrets are opened by none of the keys`]),
    ]);
    return unopened > 0 || (left > 0 && !dryRun) ? EXIT.failed : EXIT.ok;
  },
});

function describe({ table, byKey, unopened, resealed }: TableSeals): string {
  const keys = byKey.map((count, at) => `key ${at + 1}: ${count}`).join(', ');
  return `${table}: ${keys}${unopened === 0 ? '' : `, none: ${unopened}`}; ${resealed} sealed again`;
}

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

export const masterKeyCommands: readonly Command[] = [resealCommand];
