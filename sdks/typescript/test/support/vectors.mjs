import { existsSync, readFileSync } from 'node:fs';

/** The vectors that every library of Acuse is tested with. */
export const VECTORS = new URL('../../../../contract/vectors/', import.meta.url);

/** A file of it as JSON; null in a copy of this folder that has no contract beside it. */
export function vectors(name) {
  const url = new URL(name, VECTORS);
  return existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')) : null;
}
