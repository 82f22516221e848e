import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tools of other languages, pinned, kept beside what npm installs and not among it: `npm ci` needs none of
 * them.
 */
const HERE = new URL('.', import.meta.url).pathname;
export const CACHE = join(HERE, '../../node_modules/.cache/acuse-contract');

/** Runs a command to its end; throws with what it said when it fails. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  return stdout;
}

/** True if the command exists. */
export function has(command, ...args) {
  return spawnSync(command, args.length > 0 ? args : ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The path of a program of a requirements.txt, installed on first use. */
export function pythonTool(name, requirements = join(HERE, 'requirements.txt')) {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(CACHE, `python-${version}`);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(CACHE, { recursive: true });
    run('python3', ['-m', 'venv', '--clear', folder]);
    run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-deps', '--requirement', requirements]);
    mkdirSync(join(folder, 'complete'));
  }
  return join(folder, 'bin', name);
}

/**
 * The folder in which the packages of a package.json are installed, on first use; no script of theirs runs.
 */
export function npmTools(from = HERE) {
  const lock = createHash('sha256').update(readFileSync(join(from, 'package-lock.json')));
  const folder = join(CACHE, `npm-${lock.digest('hex').slice(0, 12)}`);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(from, file), join(folder, file));
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    mkdirSync(join(folder, 'complete'));
  }
  return folder;
}

/** The path of a program of package.json. */
export function npmTool(name) {
  return join(npmTools(), 'node_modules/.bin', name);
}
