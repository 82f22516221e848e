// Name, version and time of a build, which every file of a release agrees on.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, lutimesSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Version, platform (`linux-x64`) and time of what is built; the time is SOURCE_DATE_EPOCH or the commit's.
 */
export function readFacts() {
  const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'));
  const seconds = process.env.SOURCE_DATE_EPOCH ?? commitTime();
  if (!/^\d+$/.test(seconds)) throw new Error('SOURCE_DATE_EPOCH must be a number of seconds');
  return {
    version,
    platform: `${process.platform}-${process.arch}`,
    time: new Date(Number(seconds) * 1000),
  };
}

function commitTime() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['log', '-1', '--format=%ct'], options).trim();
  } catch {
    throw new Error('set SOURCE_DATE_EPOCH to the time of the release: this tree is not a git checkout');
  }
}

/** One time and two modes for everything: what the builder's machine did with them does not show. */
export function settle(path, time) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) settle(join(path, name), time);
  if (!stat.isSymbolicLink())
    chmodSync(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644);
  lutimesSync(path, time, time);
}
