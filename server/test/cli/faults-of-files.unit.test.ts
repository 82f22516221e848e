import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { faultsOfFiles } from '../../src/app/faults-of-files.ts';
import { type ConfigError, loadConfig } from '../../src/config/config.ts';

test('what is wrong with files comes with all else, and with names that are mistyped', () => {
  const folder = tempFolder();
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, '{');
  const env = {
    ACUSE_PORT: 'abc',
    ACUSE_HOSTNAM: 'mail.example.com',
    ACUSE_TSA_MANIFESTS: `${bad},${join(folder, 'none.json')}`,
    ACUSE_WITNESSES: join(folder, 'witnesses.json'),
  };
  let problems: readonly string[] = [];
  try {
    loadConfig(env, (config) => faultsOfFiles(config, () => undefined));
  } catch (error) {
    problems = (error as ConfigError).problems;
  }
  expect(problems).toEqual([
    expect.stringMatching(/^ACUSE_PORT: expected a port/),
    `ACUSE_TSA_MANIFESTS: ${bad}: not JSON`,
    expect.stringMatching(/^ACUSE_TSA_MANIFESTS: .*none\.json: ENOENT/),
    expect.stringMatching(/^ACUSE_WITNESSES: .*witnesses\.json: ENOENT/),
    'ACUSE_HOSTNAM: unknown variable: did you mean ACUSE_HOSTNAME?',
  ]);
});
