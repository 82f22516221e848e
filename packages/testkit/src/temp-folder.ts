import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import './vitest-global-setup.ts';

/** A new folder inside that of the test run, which is removed as a whole when the run ends. */
export function tempFolder(): string {
  // `vitest list` has no run.
  return mkdtempSync(join(inject('folderForTests') ?? tmpdir(), 'acuse-'));
}
