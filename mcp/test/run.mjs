#!/usr/bin/env node
// Runs the tests of this folder, and with "eval" the tasks, against a service of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startService } from '../../sdks/typescript/test/support/service.mjs';

const wanted = process.argv.slice(2);
const files = ['test', 'eval']
  .map((name) => fileURLToPath(new URL(`../${name}/`, import.meta.url)))
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}${name}`))
  .filter((path) => path.endsWith('.test.mjs'))
  .filter((path) => wanted.length === 0 || wanted.some((each) => path.includes(each)));

const service = process.env.ACUSE_URL ? null : await startService();
try {
  const env =
    service === null
      ? {}
      : {
          ACUSE_URL: service.url,
          ACUSE_API_KEY: service.key,
          ACUSE_TEST_RETURN_PATH: String(service.returnPathPort),
          ACUSE_TEST_DATA_DIR: service.dataDir,
          ACUSE_TEST_COMMAND: service.command,
          ACUSE_TEST_SIGN_IN: service.signIn,
        };
  // One file after the other: each counts the messages of the last hour.
  const options = ['--test', '--test-reporter=spec', '--test-concurrency=1'];
  const child = spawn(process.execPath, [...options, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await service?.stop();
}
