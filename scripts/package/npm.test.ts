import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';

test("an npm that cannot write a bill of materials, as Debian's, is refused before anything is built", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho 9.2.0\n', { mode: 0o755 });
  const program = fileURLToPath(new URL('../package.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [program, '--out', join(folder, 'out')], {
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toContain('npm 10 or newer is needed (npm sbom), this is 9.2.0');
});
