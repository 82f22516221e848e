#!/usr/bin/env node
// Bundles a program of the server's into server/dist: our own packages are inlined, and so is every library
// that server/package.json needs for development alone, because a start would spend most of its time looking
// for their files. What it declares as a dependency stays an import: what reads files of its own, loads parts
// of itself by name, or is rarely needed. The bundle runs wherever these are installed. The program "web" is
// both web applications, which the server hands out as files. Used by npm start, npm test and npm run build.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PREACT_FOR_REACT } from './preact.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'server/dist');

/** Programs: name in server/dist → entry. */
const PROGRAMS = {
  acuse: 'server/src/cli.ts',
  openapi: 'server/src/app/describe-api.ts',
  'settings-page': 'server/src/config/settings-page.ts',
  'postgres-for-tests': 'server/test/support/postgres-for-tests.ts',
  'embedded-postgres': 'server/test/support/embedded-postgres.ts',
  vectors: 'packages/testkit/src/vectors/generate.ts',
  'client-vectors': 'server/test/support/client-vectors.ts',
};

/** How a chunk is named: part of the program, hash of its content. */
const CHUNK = /-[A-Z0-9]{8}\.mjs(\.map)?$/;
const CHUNKS_KEPT_MS = 3_600_000;

/** Entries of the service's worker threads, built beside it. */
const THREAD = 'server/src/app/thread.ts';

/** Entries of the threads of `acuse fsck`: they alone have connections. */
const FSCK_THREAD = 'server/src/app/fsck-thread.ts';

/** The program of `acuse api`, built beside it: the client library's command. */
const API = 'sdks/typescript/src/cli/main.ts';

/** A browser's part of the server's own pages: name in server/dist → entries, built beside it. */
const PAGES = {
  'verify-page': ['web/verify/src/main.ts', 'web/verify/verify.css'],
  'prove-page': ['web/verify/src/prove.ts'],
  'mldsa44-page': ['packages/evidence/src/mldsa44-code.ts'],
  'mailbox-page': ['web/mailbox/src/main.tsx', 'web/mailbox/mailbox.css'],
  'frame-page': ['web/frame/src/main.ts'],
  'docs-page': ['web/docs/src/main.ts', 'web/docs/docs.css'],
};

/** Their HTML: name in server/dist → file. */
const HTML = {
  'verify-page.html': 'web/verify/index.html',
  'prove-page.html': 'web/verify/prove.html',
  'mailbox-page.html': 'web/mailbox/index.html',
  'frame-page.html': 'web/frame/index.html',
};

/** The web applications, which Vite builds. */
const WEB = 'web';
/** Sources of these. */
const WEB_SOURCES = [
  'web/shared',
  'web/portal',
  'web/admin',
  'web/package.json',
  'sdks/generate',
  'packages/evidence/src',
  'package-lock.json',
  'scripts/build-web.mjs',
  'scripts/preact.mjs',
];

/** Everything that a bundle can be made of; a change in any of it makes the bundle stale. */
const SOURCES = [
  'docs',
  'server/src',
  'server/test/support',
  'server/package.json',
  'packages/evidence/src',
  'packages/mail/src',
  'packages/tsa/src',
  'packages/testkit/src/vectors',
  'sdks/typescript/src',
  'web/docs',
  'web/frame',
  'web/mailbox',
  'web/verify',
  'web/shared',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/preact.mjs',
];

/** True when server/dist/<program>.mjs was made of the sources as they are now. */
export function isFresh(program) {
  try {
    const [stamp, ...chunks] = readStamp(program);
    return (
      stamp === sourceStamp(program) &&
      [bundlePath(program), ...chunks.map((name) => join(dist, name))].every((path) => existsSync(path))
    );
  } catch {
    return false;
  }
}

/** Path of the bundle of a program: of the web applications, their folder. */
export function bundlePath(program) {
  return join(dist, program === WEB ? WEB : `${program}.mjs`);
}

/** Bundles one program. Safe while another process builds or runs it: files are replaced whole. */
export async function build(program) {
  const stamp = sourceStamp(program);
  const { chunks } = await buildInto(program, dist);
  replaceFile(stampPath(program), [stamp, ...chunks].join('\n'));
}

/**
 * Bundles one program into a folder, whose place changes no byte of it. Returns the files that went into it,
 * as absolute paths, and the names of its chunks.
 */
export async function buildInto(program, folder) {
  mkdirSync(folder, { recursive: true });
  if (program === WEB) {
    const { buildWeb } = await import('./build-web.mjs');
    return { inputs: await buildWeb(folder), chunks: [] };
  }
  // esbuild is a development dependency; without one only a finished bundle can run.
  const { build: bundle, stop } = await import('esbuild');
  const parts = [bundleForNode(bundle, PROGRAMS[program], program)];
  if (program === 'acuse')
    parts.push(
      bundleForNode(bundle, THREAD, 'acuse-thread'),
      bundleForNode(bundle, FSCK_THREAD, 'acuse-fsck-thread'),
      bundleForNode(bundle, API, 'acuse-api'),
      ...Object.entries(PAGES).map(([name, entries]) => bundlePage(bundle, name, entries)),
    );
  // The compiler is a process of its own, and the program that was built runs on in this one.
  const results = await Promise.all(parts).finally(stop);
  copyInto(join(folder, 'migrations'), 'server/src/migrations');
  for (const pages of ['docs', 'docs/decisions', 'docs/guides', 'docs/guides/es'])
    copyInto(join(folder, pages), pages, pages === 'docs' ? { 'changelog.md': 'CHANGELOG.md' } : {});
  const files = results.flatMap(({ outputFiles }) => outputFiles);
  // The program itself comes last: until then the one before has its chunks.
  for (const { path, contents } of files.sort((a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path))))
    replaceFile(join(folder, relative(dist, path)), contents);
  const chunks = files.map(({ path }) => relative(dist, path)).filter(isChunk);
  removeOldChunks(folder, new Set([...chunks, ...chunksOfAll(folder)]));
  for (const [name, from] of Object.entries(HTML))
    replaceFile(join(folder, name), readFileSync(join(root, from)));
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return { inputs: inputs.map((path) => join(root, path)), chunks };
}

/** A program, and beside it the chunks of what it loads only when it needs it. */
function bundleForNode(bundle, entry, name) {
  return bundle({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    splitting: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [resolvePackages()],
    // CommonJS that is inlined asks for Node's own modules with require.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}

function isChunk(path) {
  return CHUNK.test(path);
}

/** Programs share chunks: those that the others were made with. */
function chunksOfAll(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.stamp'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(1));
}

/** Those of earlier builds; a program that started a moment ago may still load some. */
function removeOldChunks(folder, current) {
  for (const name of readdirSync(folder).filter((name) => isChunk(name) && !current.has(name)))
    if (statSync(join(folder, name)).mtimeMs < Date.now() - CHUNKS_KEPT_MS)
      rmSync(join(folder, name), { force: true });
}

/** A browser's part of the server's own pages: a program, and a style if it has one. */
function bundlePage(bundle, name, entries) {
  return bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, entry])),
    entryNames: name,
    outdir: dist,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    jsx: 'automatic',
    alias: PREACT_FOR_REACT,
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [leaveMldsa44()],
  });
}

/** Loaded from where the server has it, by pages that are given a bundle with such a signature. */
function leaveMldsa44() {
  return {
    name: 'acuse-mldsa44',
    setup(bundle) {
      bundle.onResolve({ filter: /\/mldsa44-code\.ts$/ }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: '/verify/mldsa44.js', external: true } : undefined,
      );
    },
  };
}

/** The files of a folder, and `more` by name: whole at every moment; what is no longer there goes. */
function copyInto(to, from, more = {}) {
  const own = readdirSync(join(root, from), { withFileTypes: true }).filter((entry) => entry.isFile());
  const sources = { ...Object.fromEntries(own.map(({ name }) => [name, join(from, name)])), ...more };
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(to, { withFileTypes: true }))
    if (entry.isFile() && sources[entry.name] === undefined && !/\.\d+$/.test(entry.name))
      rmSync(join(to, entry.name), { force: true });
  for (const [name, source] of Object.entries(sources)) {
    const next = join(to, `${name}.${process.pid}`);
    copyFileSync(join(root, source), next);
    renameSync(next, join(to, name));
  }
}

function resolvePackages() {
  const declared = Object.keys(
    JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')).dependencies,
  );
  const isExternal = (path) =>
    path.startsWith('node:') ||
    builtinModules.includes(path) ||
    declared.some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'acuse-packages',
    setup(bundle) {
      bundle.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        isExternal(path) ? { path, external: true } : undefined,
      );
    },
  };
}

function replaceFile(path, contents) {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, contents);
  renameSync(next, path);
}

function stampPath(program) {
  return join(dist, `${program}.stamp`);
}

/** Of the sources, and the names of its chunks. */
function readStamp(program) {
  return readFileSync(stampPath(program), 'utf8').split('\n');
}

/** Digest over path, size and modification time of every source: a deleted or an older file shows too. */
function sourceStamp(program) {
  const hash = createHash('sha256');
  for (const path of program === WEB ? WEB_SOURCES : SOURCES) addToStamp(hash, path);
  return hash.digest('hex');
}

function addToStamp(hash, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory())
    for (const name of readdirSync(join(root, path)).sort()) addToStamp(hash, `${path}/${name}`);
  else hash.update(`${path}:${stat?.size}:${stat?.mtimeMs}\n`);
}

/** Builds a program when it is stale. False, having said why, when that fails. */
export async function ensureBuilt(program) {
  if (isFresh(program)) return true;
  // Nobody should wonder at a silent terminal.
  if (process.stderr.isTTY) console.error(`building ${program} …`);
  try {
    await build(program);
    return true;
  } catch (error) {
    // Installed without development dependencies: what was built before is what there is.
    if (error.code === 'ERR_MODULE_NOT_FOUND' && existsSync(bundlePath(program))) return true;
    console.error(`building ${program} failed: ${error.message}`);
    return false;
  }
}

/**
 * Where a server looks how the web applications are: `{"state": "building", "pid"}`, `{"state": "failed",
 * "reason"}`; absent: what is in server/dist/web counts.
 */
const WEB_STATE = join(dist, 'web.json');

/**
 * Builds stale web applications in a child process, without waiting: a server that starts meanwhile reads the
 * result from WEB_STATE.
 */
export function startBuildingWeb() {
  if (isFresh(WEB)) return rmSync(WEB_STATE, { force: true });
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), WEB], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  mkdirSync(dist, { recursive: true });
  replaceFile(WEB_STATE, JSON.stringify({ state: 'building', pid: child.pid }));
  const said = [];
  child.stderr.on('data', (chunk) => said.push(chunk));
  child.once('error', (error) => said.push(Buffer.from(error.message)));
  child.once('close', (code) => {
    if (code === 0) return rmSync(WEB_STATE, { force: true });
    const reason = Buffer.concat(said).toString('utf8').trim() || `the build ended with code ${code}`;
    replaceFile(WEB_STATE, JSON.stringify({ state: 'failed', reason }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = process.argv[2] ?? 'acuse';
  if (program !== WEB && PROGRAMS[program] === undefined) {
    console.error(`usage: node scripts/build.mjs [${[...Object.keys(PROGRAMS), WEB].join(' | ')}]`);
    process.exit(2);
  }
  if (!(await ensureBuilt(program))) process.exit(1);
}
