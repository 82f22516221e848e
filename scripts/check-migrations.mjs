#!/usr/bin/env node
// No migration that anybody may have applied is changed, renamed or taken away: a database that has it would
// be refused. scripts/releases/migrations.json names the SHA-256 of each; `npm run generate` adds a new one
// and never changes an entry. A migration that is on no main branch yet may be edited: take its line out of
// the file first.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, report } from './source-files.mjs';

const FOLDER = 'server/src/migrations';
export const LANDED = 'scripts/releases/migrations.json';

/** Name → SHA-256 of the text with LF line ends, as server/src/platform/database/migrate.ts has it. */
function migrationsOf(root) {
  const files = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith('.sql'));
  return Object.fromEntries(
    files.sort().map((file) => {
      const text = readFileSync(join(root, FOLDER, file), 'utf8').replaceAll('\r\n', '\n');
      return [file.slice(0, -'.sql'.length), createHash('sha256').update(text).digest('hex')];
    }),
  );
}

function landedOf(root) {
  const path = join(root, LANDED);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Every breach in the tree, as lines. */
export function findBreaches(root = ROOT) {
  const [now, landed] = [migrationsOf(root), landedOf(root)];
  const changed = Object.entries(landed).flatMap(([name, hash]) => {
    if (now[name] === hash) return [];
    const what = now[name] === undefined ? 'is gone' : 'was changed';
    return [`${FOLDER}/${name}.sql ${what}: databases have it as it was; add a migration in its place`];
  });
  const unknown = Object.keys(now)
    .filter((name) => landed[name] === undefined)
    .map((name) => `${FOLDER}/${name}.sql is not in ${LANDED}: npm run generate`);
  return [...changed, ...unknown];
}

/** The file with what is new in it, and every entry that it had. */
export function landedText(root = ROOT) {
  const all = { ...migrationsOf(root), ...landedOf(root) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());
