#!/usr/bin/env node
// Runs the tests of this folder against a service of their own: the repository's, with an empty data folder.
// In a copy of this folder elsewhere, tests that need one are skipped unless ACUSE_URL names it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { STARTER, startService } from './support/service.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((each) => name.includes(each)))
  .map((name) => `${here}${name}`);

const service = existsSync(STARTER) && !process.env.ACUSE_URL ? await startService() : null;
try {
  const env = service === null ? {} : { ACUSE_URL: service.url, ACUSE_API_KEY: service.key };
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await service?.stop();
}
