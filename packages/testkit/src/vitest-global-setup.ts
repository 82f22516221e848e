import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { makeRunFolder } from './run-folder.ts';
// @ts-expect-error: a script without types
import { needsOf } from './test-kinds.mjs';

/**
 * Once a run, a folder for what tests write, and what the kinds of its files need: one PostgreSQL (embedded,
 * or the one that ACUSE_TEST_DATABASE_URL names) with a migrated template database, a fresh bundle of the
 * server, and the web applications. The PostgreSQL ends when its standard input does, so that a killed run
 * leaves none behind.
 */
declare module 'vitest' {
  interface ProvidedContext {
    /** Where databases are made, the one to clone, and what the names of clones begin with. */
    postgresForTests: { url: string; template: string; prefix: string };
    /** Path of the server's bundle, or the error that prevented it. */
    serverProgram: { path: string } | { error: string };
    /** Removed at the end of the run, with everything in it. */
    folderForTests: string;
  }
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
/** Long enough for recovery on a slow disk; normally under a second. */
const READY_TIMEOUT_MS = 60_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const needs: Record<string, boolean>[] = project.vitest.state
    .getPaths()
    .map((path) => needsOf(relative(root, path)));
  const has = (need: 'postgres' | 'server' | 'web') => needs.some((each) => each[need]);
  const folder = makeRunFolder();
  // For the workers and PostgreSQL, which start after this.
  process.env['TMPDIR'] = folder;
  const [postgres, server] = await Promise.all([
    has('postgres') ? startPostgres() : null,
    has('server') ? buildServer() : null,
    has('web') ? buildWeb() : null,
  ]);
  if (postgres !== null) project.provide('postgresForTests', postgres.facts);
  if (server !== null) project.provide('serverProgram', server);
  project.provide('folderForTests', folder);
  return async () => {
    if (postgres !== null) {
      const ended = once(postgres.child, 'exit');
      postgres.child.stdin?.end();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startPostgres(): Promise<{
  child: ChildProcess;
  facts: { url: string; template: string; prefix: string };
}> {
  await buildProgram('postgres-for-tests');
  const given = process.env['ACUSE_TEST_DATABASE_URL'];
  const args = [`${root}server/dist/postgres-for-tests.mjs`, ...(given === undefined ? [] : [given])];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ready = once(createInterface(child.stdout), 'line', {
    signal: AbortSignal.timeout(READY_TIMEOUT_MS),
  }) as Promise<[string]>;
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(
      `the PostgreSQL for the tests did not start (exit code ${code}); what it said stands above`,
    );
  });
  const [line] = await Promise.race([ready, ended]);
  ended.catch(() => {});
  return { child, facts: JSON.parse(line) };
}

/**
 * A server that does not build fails the tests that start one, with the compiler's words; the others still
 * run.
 */
async function buildServer(): Promise<{ path: string } | { error: string }> {
  try {
    await buildProgram('acuse');
    return { path: `${root}server/dist/acuse.mjs` };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The web applications: when they do not build, the tests that visit them fail; the others still run. */
async function buildWeb(): Promise<void> {
  await buildProgram('web').catch((error: Error) => console.error(error.message));
}

async function buildProgram(program: string): Promise<void> {
  await run(process.execPath, [`${root}scripts/build.mjs`, program]);
}
