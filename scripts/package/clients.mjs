#!/usr/bin/env node
// npm run package:clients: the client libraries, and the MCP server with the one in TypeScript, as an
// installation serves them under /clients/, each packed by its language's own tool (sdks/<language>/run
// artifact) and laid out as its registry. A language whose
// tools are missing is left out and named; with CI=true that is a failure. Two builds of the same sources are
// the same byte for byte.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { REGISTRIES } from './clients/registries.mjs';
import { readFacts, settle } from './facts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the service looks (server/src/surfaces/reference/clients). */
export const CLIENTS = join(root, 'server/dist/clients');
/** In each registry's folder: what is served of it. */
const MANIFEST = 'files.json';
/** Of sdks/<language>/run: something is missing, and the last line says what. */
const SKIPPED = 77;
/** Leftovers of builds and tools; `dist` of TypeScript is packed. */
const LEFTOVERS = new Set(['node_modules', 'target', 'build', '.venv', '__pycache__', 'vendor']);
const { languages } = JSON.parse(readFileSync(join(root, 'sdks/names.json'), 'utf8'));

/** Makes one language's registry in `folder`, replacing what is there. Null, or why it cannot be made. */
export function makeClient(language, folder, { version, time }) {
  const missing = languages[language].tools.find(
    (tool) => spawnSync('sh', ['-c', 'command -v "$0"', tool], { stdio: 'ignore' }).status !== 0,
  );
  if (missing !== undefined) return `needs ${missing}`;
  const registry = REGISTRIES[language];
  const work = mkdtempSync(join(tmpdir(), 'acuse-artifact-'));
  try {
    const source = copySource(join('sdks', language), join(work, language), time);
    const packed = join(work, 'packed');
    const to = join(work, 'registry');
    mkdirSync(packed);
    mkdirSync(to);
    let reason = pack(source, packed, time);
    // In the same registry, because its program needs the library.
    if (language === 'typescript') reason ??= pack(copySource('mcp', join(work, 'mcp'), time), packed, time);
    if (reason !== null) return reason;
    const library = registry.make({ source, packed, to, version, time });
    writeFileSync(join(to, MANIFEST), `${JSON.stringify(manifest(to, { language, version, library }))}\n`);
    settle(to, time);
    replaceFolder(to, join(folder, registry.folder));
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Apart from the tree, whose builds stay what they are; with the same times and modes everywhere. */
function copySource(folder, to, time) {
  const from = join(root, folder);
  if (existsSync(join(from, 'build.mjs'))) run('node', [join(from, 'build.mjs')]);
  cpSync(from, to, { recursive: true, filter: (path) => !LEFTOVERS.has(basename(path)) });
  settle(to, time);
  return to;
}

function pack(source, packed, time) {
  if (!/^ {2}artifact\)/m.test(readFileSync(join(source, 'run'), 'utf8'))) return null;
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'umask 022 && exec bash "$0" artifact "$1"', join(source, 'run'), packed],
    { encoding: 'utf8', env: { ...process.env, SOURCE_DATE_EPOCH: String(time.getTime() / 1000) } },
  );
  if (status === 0) return null;
  if (status === SKIPPED) return `${stdout}${stderr}`.trim().split('\n').at(-1);
  throw new Error(`${basename(source)}: run artifact failed:\n${stdout}${stderr}`);
}

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${status}`);
}

/** `{language, version, library, files: {<path>: {bytes, sha256}}}` */
function manifest(folder, facts) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files = paths.map((path) => {
    const bytes = readFileSync(join(folder, path));
    return [path, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }];
  });
  return { ...facts, files: Object.fromEntries(files) };
}

/** Whole at every moment but one: a service may be reading it. */
function replaceFolder(from, to) {
  const [next, old] = [`${to}.${process.pid}`, `${to}.${process.pid}.old`];
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, next, { recursive: true, preserveTimestamps: true });
  if (existsSync(to)) renameSync(to, old);
  renameSync(next, to);
  rmSync(old, { recursive: true, force: true });
}

/** All of them, or those named. Returns `[language, why not]` of what is missing. */
export function makeClients(folder, facts, only = Object.keys(languages)) {
  return only
    .map((language) => [language, makeClient(language, folder, facts)])
    .filter(([, reason]) => reason !== null);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: CLIENTS }, only: { type: 'string', multiple: true } },
  });
  const missing = makeClients(resolve(values.out), readFacts(), values.only);
  for (const [language, reason] of missing) console.error(`${language} skipped: ${reason}`);
  console.log(`client libraries in ${resolve(values.out)}`);
  if (missing.length > 0 && process.env.CI === 'true') process.exitCode = 1;
}
