import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A language's registry, as scripts/package/clients.mjs laid it out in its folder. */
export interface Registry {
  readonly language: string;
  readonly version: string;
  /** The library itself: one of `files`. */
  readonly library: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** In the order in which the languages are offered. */
export const REGISTRIES = ['npm', 'python', 'go', 'cargo', 'maven', 'composer', 'gems'] as const;

const MANIFEST = 'files.json';

/** Null: it was not built. Read each time: a checkout may build it while the service runs. */
export function readRegistry(folder: string, name: string): Registry | null {
  const path = join(folder, name, MANIFEST);
  if (!(REGISTRIES as readonly string[]).includes(name) || !existsSync(path)) return null;
  return JSON.parse(readFileSync(path, 'utf8')) as Registry;
}

/** Files that contain the installation's address, as `{{url}}`. */
export const WITH_ADDRESS: ReadonlySet<string> = new Set(['cargo/config.json', 'composer/packages.json']);

const TYPES: Readonly<Record<string, string>> = {
  '.crate': 'application/gzip',
  '.gem': 'application/octet-stream',
  '.gz': 'application/gzip',
  '.html': 'text/html; charset=utf-8',
  '.info': 'application/json; charset=utf-8',
  '.jar': 'application/java-archive',
  '.json': 'application/json; charset=utf-8',
  '.pom': 'application/xml; charset=utf-8',
  '.rz': 'application/octet-stream',
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
  '.xml': 'application/xml; charset=utf-8',
  '.zip': 'application/zip',
};
const TEXT = 'text/plain; charset=utf-8';

export function typeOf(path: string): string {
  return path.endsWith('/@latest') ? TYPES['.info']! : (TYPES[extname(path)] ?? TEXT);
}
