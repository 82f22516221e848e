// Kinds of tests, by their place: the projects of vitest.config.ts are these. A second word in a
// file's name goes before its folder: server/test/accounts/quota/bag.unit.test.ts.
//
// unit        nothing: no database, no server, no network but loopback
// service     the server in this process, and PostgreSQL
// process     whole processes of the product, started, ended and killed
// browser     Chromium, and a service for it
// generative  cases made up by chance: few unless asked for more
// outside     programs of others that this machine may not have: Postfix, Go, Citus
//
// The files of a worker share its modules, except for those of outside.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const NOT_OURS = ['node_modules', 'dist'];

export const KINDS = ['unit', 'service', 'process', 'browser', 'generative', 'outside'];

/** The first that is above a file. */
const FOLDERS = [
  ['server/test/process/', 'process'],
  ['server/test/', 'service'],
  ['web/test/', 'browser'],
  ['', 'unit'],
];

/** Kind of a test by its path from the root of the tree; null: no kind has that name. */
export function kindOf(path) {
  const word = /\.([\w-]+)\.test\.ts$/.exec(path)?.[1];
  if (word !== undefined) return KINDS.includes(word) ? word : null;
  return FOLDERS.find(([folder]) => path.startsWith(folder))[1];
}

const WHERE = ['packages', 'server/test', 'web/test', 'scripts', 'sdks/generate', 'sdks/conformance'];

/** Paths of every test of the tree. */
export function findTests(folders = WHERE) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return NOT_OURS.includes(entry.name) ? [] : findTests([path]);
      return path.endsWith('.test.ts') ? [path] : [];
    }),
  );
}

/** The requirements before a file of tests begins. */
export function needsOf(path) {
  const kind = kindOf(path);
  const server = path.startsWith('server/') || path.startsWith('web/');
  const whole = kind === 'process' || kind === 'browser' || kind === 'outside';
  return {
    postgres: kind === 'service' || whole || (kind === 'generative' && server),
    server: kind === 'service' || whole || (kind === 'generative' && server),
    web: kind === 'process' || kind === 'browser' || path.startsWith('server/test/surfaces/web-files/'),
  };
}
