import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import './vitest-global-setup.ts';

/** A new folder, in the one of the test run, with which it goes: tests leave in it what they like. */
export function tempFolder(): string {
  // Where tests are only listed, there is no run.
  return mkdtempSync(join(inject('folderForTests') ?? tmpdir(), 'acuse-'));
}
