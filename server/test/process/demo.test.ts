import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { createProcesses } from '../support/process.ts';
import { openShell } from '../support/shell.ts';

/** `npm run demo`: a newcomer's first look at the whole way. */
const processes = createProcesses();
afterAll(processes.end);

const anyPorts = {
  ACUSE_PORT: '0',
  ACUSE_SANDBOX_SMTP_PORT: '0',
  ACUSE_RETURN_PATH_PORT: '0',
  ACUSE_SUBMISSION_PORT: '0',
  ACUSE_SUBMISSIONS_PORT: '0',
};

test('starts a service when none runs, shows each step, leaves the proof, and ends what it started', async () => {
  const dataDir = tempFolder();
  const DATABASE_URL = await processes.database();
  const shell = openShell({ ACUSE_DATA_DIR: dataDir, DATABASE_URL, ...anyPorts }, { processes: true });
  const said = await shell.run('acuse demo');
  expect(said).toMatch(
    new RegExp(
      ['Starting', 'queued', 'sent', 'sealed', 'outcome', 'bundle', 'openssl'].join(' [\\s\\S]* s  '),
    ),
  );
  expect(said).not.toContain('✗');
  expect(said.trimEnd().split('\n').at(-1)).toBe('verified');

  const folder = /The proof is in (\S+)/.exec(said)![1]!;
  for (const name of ['VERIFY.md', 'report.pdf', 'message.eml', 'constancia.tsr'])
    expect(existsSync(join(folder, name)), name).toBe(true);
  const verification = await verifyBundle(readFileSync(`${folder}.zip`), { sha256, now: new Date() });
  expect(verification.valid).toBe(true);
  const { base_url } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  await expect(fetch(`${base_url}/healthz`)).rejects.toThrow();
});

test('uses the service that runs on the folder, and says in JSON what came of it', async () => {
  const databaseUrl = await processes.database();
  const service = await processes.start({ databaseUrl });
  const shell = openShell({ ACUSE_DATA_DIR: service.dataDir, DATABASE_URL: databaseUrl });
  const result = JSON.parse(await shell.run('acuse demo --json'));
  expect(result).toMatchObject({ verified: true, status: 'sent', openssl: { ran: true, ok: true } });
  const { body } = await service.call('GET', `/v1/messages/${result.message_id}`);
  expect(body).toMatchObject({ certified: true, tags: ['demo'], sealed_at: result.sealed_at });
});

test('is for the sandbox only', async () => {
  const shell = openShell({ ACUSE_DATA_DIR: tempFolder(), ACUSE_SMARTHOST: 'smtp://mail.example.com' });
  await expect(shell.run('acuse demo --json')).rejects.toMatchObject({ code: 2 });
});
