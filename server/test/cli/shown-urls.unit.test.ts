import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { asStarted, shownUrls } from '../../src/cli/api-client.ts';
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

test('doctor asks the ports that a sandbox was started on, and those of the settings elsewhere', () => {
  const dataDir = tempFolder();
  const ports = (env: Record<string, string> = {}) => {
    const { config } = loadConfig({ ACUSE_DATA_DIR: dataDir, ...env });
    const { port, adminPort, returnPathPort, submissionPort, submissionsPort } = asStarted(config);
    return [port, adminPort, returnPathPort, submissionPort, submissionsPort];
  };
  const usual = ports();
  const facts = {
    ...{ base_url: 'http://localhost:40123', admin_url: 'http://127.0.0.1:40124', return_path_port: 40125 },
    ...{ submission_port: 40126, submissions_port: null },
  };
  const put = (more: object = {}) =>
    writeFileSync(join(dataDir, 'sandbox.json'), JSON.stringify({ ...facts, ...more }));
  put();
  expect(ports()).toEqual([40_123, 40_124, 40_125, 40_126, usual[4]]);
  put({ base_url: 'https://mail.acuse.test', admin_url: null });
  expect(ports().slice(0, 2)).toEqual(usual.slice(0, 2));
  const live = {
    ...{ ACUSE_DELIVERY: 'direct', ACUSE_HOSTNAME: 'mail.acuse.test', ACUSE_LOG_ORIGIN: 'acuse.test/log' },
    ...{ ACUSE_PUBLIC_URL: 'https://mail.acuse.test', ACUSE_TRUST_PROXY: 'loopback' },
  };
  put();
  expect(ports(live)[0]).toBe(usual[0]);
});
