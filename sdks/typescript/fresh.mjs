// True if dist/ is still what its sources make: the tests, the packing and what is built on this build once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Of what was built from what; not packed. */
const STAMP = '.stamp';

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== STAMP)
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(String(part.length)).update(':').update(part);
  return hash.digest('hex');
}

/** `sources`: files and folders that dist/ is made of. The same wherever the whole folder is mounted. */
function stampOf(dist, sources) {
  const read = (paths) => digest(paths.flatMap((path) => [relative(dist, path), readFileSync(path)]));
  return `${process.version} ${read(sources.flatMap(filesOf))} ${read(filesOf(dist))}\n`;
}

/** True: `dist` was built from these very sources, and is whole. */
export function isFresh(dist, sources) {
  const stamp = join(dist, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(dist, sources);
}

export function stamp(dist, sources) {
  writeFileSync(join(dist, STAMP), stampOf(dist, sources));
}
