import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Next to the bundle, or where scripts/build.mjs puts it for the sources. */
const PLACES = ['./', '../../../dist/'];

/** Path of what a thread runs; throws when it was not built. */
export function findProgram(name: 'acuse-thread' | 'acuse-fsck-thread'): string {
  const paths = PLACES.map((place) => fileURLToPath(new URL(`${place}${name}.mjs`, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) throw new Error(`${name}.mjs is missing: run npm run build`);
  return path;
}
