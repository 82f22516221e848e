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

/** Which of the blocks are run, the first, which has the functions, aside: absent, all. */
export type Chosen = (block: string) => boolean;

/** All that the blocks say where nothing stops at what fails. */
export function pasted(
  bundle: Bundle,
  env: Record<string, string> = {},
  chosen: Chosen = () => true,
): string {
  const [functions = '', ...blocks] = blocksOf(bundle);
  return inShell(bundle, [functions, ...blocks.filter(chosen)].join('\n'), env);
}

/**
 * All that the blocks say with the first of several sets of keys, and what they say with each of the others:
 * what was given changes nothing but the lines that compare it, and the verdict.
 */
export function pastedWith(bundle: Bundle, ...sets: Record<string, string>[]): string[] {
  const NEXT = 'with other keys\n';
  const blocks = blocksOf(bundle);
  const given = blocks.flatMap((block) => block.match(/^given .*$/gm) ?? []);
  const script = sets.flatMap((set, i) => [
    ...(i === 0 ? [] : [`printf '${NEXT}'`, 'unset LOG_KEY ROOT_FINGERPRINT', 'other=0 unknown=0 known=']),
    ...Object.entries(set).map(([name, value]) => `${name}='${value}'`),
    ...(i === 0 ? blocks : [...given, blocks.at(-1)!]),
  ]);
  return inShell(bundle, script.join('\n')).split(NEXT);
}

function inShell(bundle: Bundle, script: string, env: Record<string, string> = {}): string {
  return spawnSync('sh', ['-c', script], {
    cwd: unpack(bundle),
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: tempFolder(), ...env },
  }).stdout;
}
