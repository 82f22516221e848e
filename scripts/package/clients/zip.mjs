// A ZIP whose bytes depend on names and contents alone: what Composer and Go's module proxy take.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';

/** The first moment that the format can say, in whatever zone the builder is (fflate writes local time). */
const MTIME = new Date(1980, 0, 1);
/** Regular files, rw-r--r--, as a Unix host writes them. */
const UNIX = { os: 3, attrs: 0o100644 << 16 };

/** `kept(path)`: which files of the folder; `prefix` comes before each name. */
export function zipFolder(folder, prefix, kept) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(kept)
    .sort();
  const files = names.map((name) => [`${prefix}${name}`, readFileSync(join(folder, name))]);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: MTIME, ...UNIX });
}
