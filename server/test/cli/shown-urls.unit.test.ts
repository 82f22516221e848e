import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { shownUrls } from '../../src/cli/api-client.ts';
import { loadConfig } from '../../src/config/config.ts';

/** Where links of commands lead. */
const folder = tempFolder();
const shown = (env: Record<string, string> = {}) =>
  shownUrls(loadConfig({ ACUSE_DATA_DIR: folder, ...env }).config);

test("to a sandbox's real ports; to the settings where it has not run, or delivery is real", () => {
  const usual = { publicUrl: 'http://localhost:8025', adminUrl: 'http://localhost:8030' };
  expect(shown()).toEqual(usual);
  const facts = { base_url: 'http://localhost:40123', admin_url: null };
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify(facts));
  expect(shown()).toEqual({ ...usual, publicUrl: 'http://localhost:40123' });
  const live = {
    ACUSE_DELIVERY: 'direct',
    ACUSE_HOSTNAME: 'mail.acuse.test',
    ACUSE_LOG_ORIGIN: 'acuse.test/log',
  };
  expect(
    shown({ ...live, ACUSE_PUBLIC_URL: 'https://mail.acuse.test', ACUSE_TRUST_PROXY: 'loopback' }).publicUrl,
  ).toBe('https://mail.acuse.test');
});
