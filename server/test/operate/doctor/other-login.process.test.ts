import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../support/command-process.ts';

const NOBODY = 65534;

test.runIf(process.getuid?.() === 0)('a login that may not look is told which one to be', async () => {
  // Not in the run's own folder, which is closed to them.
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-doctor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  mkdirSync(join(dataDir, 'postgres'), { mode: 0o700 });
  writeFileSync(join(dataDir, 'master.key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
  chmodSync(dataDir, 0o755);
  const asked = startCommand(['doctor', '--json'], { ACUSE_DATA_DIR: dataDir }, { uid: NOBODY, gid: NOBODY });
  await asked.ended;
  const fix = expect.stringContaining('as the login of the service');
  const { findings } = JSON.parse(asked.stdout());
  for (const check of ['disk.data', 'disk.master_key'])
    expect(findings).toContainEqual(expect.objectContaining({ check, status: 'problem', fix }));
});
