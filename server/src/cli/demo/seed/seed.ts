import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../config/config-type.ts';
import { clusterPaths } from '../../../platform/database/postgres-cluster.ts';
import { CommandError, EXIT } from '../../command.ts';
import type { Output } from '../../output.ts';
import { type Filled, fillSandbox } from './fill.ts';
import { PEOPLE } from './story.ts';

/** Records the seeding; `begun`: interrupted. */
const MARK = 'demo/seed.json';

type Mark = { readonly state: 'begun' } | ({ readonly state: 'filled' } & Filled);

export async function seedSandbox(config: Config, out: Output): Promise<void> {
  const known = readMark(config.dataDir);
  if (known?.state === 'filled') return tell(out, known, config, false);
  refuseUnusable(config, known);
  out.progress('Playing two weeks of mail through the sandbox …');
  writeMark(config.dataDir, { state: 'begun' });
  const filled = await fillSandbox(config, (line) => out.progress(`  ${line}`));
  writeMark(config.dataDir, { state: 'filled', ...filled });
  tell(out, filled, config, true);
}

/** A log cannot go back in time. */
function refuseUnusable(config: Config, known: Mark | null): void {
  if (config.databaseUrl !== null)
    throw new CommandError(
      EXIT.usage,
      'not_embedded',
      'demo --seed has a PostgreSQL of its own, whose clock it sets back: unset DATABASE_URL',
    );
  if (known === null && !existsSync(clusterPaths(config.dataDir).cluster)) return;
  const why =
    known === null
      ? `the data folder ${config.dataDir} is in use already, and mail of two weeks ago cannot follow what its log has`
      : `filling the data folder ${config.dataDir} was cut short`;
  const fix =
    known === null
      ? 'name a new folder: ACUSE_DATA_DIR=./demo-data npm run demo -- --seed'
      : 'delete it, or name a new one with ACUSE_DATA_DIR';
  throw new CommandError(EXIT.failed, 'data_folder_not_new', `${why}: ${fix}`);
}

function tell(out: Output, { tenantId, messages, days }: Filled, { dataDir }: Config, isNew: boolean): void {
  out.answer({ filled: isNew, tenant_id: tenantId, messages, days, data_dir: dataDir }, () => [
    isNew
      ? `${messages} messages of ${days} days are in ${dataDir}`
      : `${dataDir} was filled before, with ${messages} messages of ${days} days: nothing was changed`,
    `See them: ACUSE_DATA_DIR=${dataDir} npm start`,
    `Sign in to the portal as its owner: ACUSE_DATA_DIR=${dataDir} ./acuse users link ${PEOPLE[0].email}`,
  ]);
}

function readMark(dataDir: string): Mark | null {
  const path = join(dataDir, MARK);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Mark) : null;
}

function writeMark(dataDir: string, mark: Mark): void {
  mkdirSync(join(dataDir, 'demo'), { recursive: true });
  writeFileSync(join(dataDir, MARK), `${JSON.stringify(mark)}\n`);
}
