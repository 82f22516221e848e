import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm';
/** The most that a run may need of it: at most four processes of tests, with their clusters and backups. */
const MEMORY_MIN_BYTES = 4 * 2 ** 30;
const PREFIX = 'acuse-tests-';

/**
 * The folder of a run of the tests, in which all of its files are: in memory where there is room, because
 * hundreds of databases, of a thousand files each, are made there and removed. Removes those that killed runs
 * have left.
 */
export function makeRunFolder(): string {
  const isFree = process.env['TMPDIR'] === undefined && hasRoom();
  const inMemory = isFree ? makeIn(MEMORY) : null;
  if (inMemory === null || runsPrograms(inMemory)) return inMemory ?? makeIn(tmpdir());
  rmSync(inMemory, { recursive: true, force: true });
  return makeIn(tmpdir());
}

function makeIn(parent: string): string {
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // Tests also start programs as other users.
  chmodSync(folder, 0o1777);
  return folder;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** Some systems mount it so that nothing in it can be started. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX))) {
    const path = join(parent, name);
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    const isOurs = statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOurs && Number.isSafeInteger(pid) && !isAlive(pid)) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
