import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Next to the bundle, or in dist when run from the sources. */
const PLACES = ['./', '../../dist/'];
const known = new Map<string, string>();

export function readBuilt(name: string): string {
  const text =
    known.get(name) ?? PLACES.map((place) => readIfThere(place + name)).find((it) => it !== undefined);
  if (text === undefined) throw new Error(`${name} is missing: run npm run build`);
  known.set(name, text);
  return text;
}

/** Where a folder is that the build made; null: it is not there. */
export function builtFolder(name: string): string | null {
  const paths = PLACES.map((place) => fileURLToPath(new URL(place + name, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? null;
}

function readIfThere(place: string): string | undefined {
  try {
    return readFileSync(fileURLToPath(new URL(place, import.meta.url)), 'utf8');
  } catch {
    return undefined;
  }
}
