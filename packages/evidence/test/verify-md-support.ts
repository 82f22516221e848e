/** VERIFY.md of a bundle, as a reader runs it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import type { Bundle } from '../src/bundle.ts';

export function unpack(bundle: Bundle): string {
  const folder = tempFolder();
  for (const [name, bytes] of bundle) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

export const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

export const blocksOf = (bundle: Bundle) =>
  [...text(bundle.get('VERIFY.md')).matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands!);

/** All that the blocks (those that do not have `but`) say where nothing stops at what fails. */
export function pasted(bundle: Bundle, env: Record<string, string> = {}, but = '\0'): string {
  const commands = blocksOf(bundle).filter((block) => !block.includes(but));
  const run = spawnSync('sh', ['-c', commands.join('\n')], {
    cwd: unpack(bundle),
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: tempFolder(), ...env },
  });
  return run.stdout;
}
