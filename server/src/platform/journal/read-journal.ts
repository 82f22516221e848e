import { open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { JOURNAL_FILE, syncFolder } from './journal.ts';
import { type LineFacts, readLine } from './line.ts';
import type { Entry } from './note.ts';

/** A journal as a release reads it: entries in the order of their time, and what is not one. */
export interface ReadJournal {
  readonly entries: readonly Entry[];
  /** Last lines that a crash cut off, before anybody was answered. */
  readonly torn: readonly string[];
  /** Lines that nobody can read: `file:line: why`. */
  readonly unreadable: readonly string[];
  /** Lines of a newer version. */
  readonly newer: readonly string[];
  /** Entries of other installations. */
  readonly foreign: number;
}

/** The folder of the journal cannot be read: it may be another machine's that is away. */
export class JournalUnreachable extends Error {
  constructor(folder: string, cause: unknown) {
    super(`the journal at ${folder} (ACUSE_JOURNAL) cannot be read: ${(cause as Error).message}`, { cause });
    this.name = 'JournalUnreachable';
  }
}

export async function readJournal(folder: string, facts: LineFacts): Promise<ReadJournal> {
  const found = { entries: [] as Entry[], torn: [] as string[], unreadable: [] as string[] };
  const newer: string[] = [];
  let foreign = 0;
  for (const name of (await namesIn(folder)).filter((each) => JOURNAL_FILE.test(each)).sort()) {
    const lines = (await reach(folder, () => readFile(join(folder, name), 'utf8'))).split('\n');
    for (const [at, text] of lines.entries()) {
      if (text === '') continue;
      const place = `${name}:${at + 1}`;
      const read = readLine(text, facts);
      // After the last line end: all of a line but that, or a part of one.
      const isLast = at === lines.length - 1;
      if (read.kind === 'entry') found.entries.push(read.entry);
      else if (isLast && read.kind === 'unreadable') found.torn.push(place);
      else if (read.kind === 'unreadable') found.unreadable.push(`${place}: ${read.reason}`);
      else if (read.kind === 'newer') newer.push(place);
      else foreign++;
    }
  }
  // Stable: what a process wrote stays in its order.
  found.entries.sort((a, b) => a.at.getTime() - b.at.getTime());
  return { ...found, newer, foreign };
}

async function reach<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new JournalUnreachable(folder, error);
  }
}

const namesIn = (folder: string) => reach(folder, () => readdir(folder));

/**
 * A count that grows in the database first and is written here after: a database whose count is smaller was
 * set back since.
 */
export interface Mark {
  readonly mark: number;
  readonly at: Date;
}

const MARK_FILE = /\.mark$/;

/** The largest that any process of this installation has written; null: none has. */
export async function readMark(folder: string, installation: string | null): Promise<Mark | null> {
  let newest: Mark | null = null;
  for (const name of (await namesIn(folder)).filter((each) => MARK_FILE.test(each))) {
    const found = parseMark(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (found === null || (installation !== null && found.installation !== installation)) continue;
    if (newest === null || found.mark > newest.mark) newest = found;
  }
  return newest;
}

/** In place of the one that this writer wrote before, whole or not at all. */
export async function writeMark(
  folder: string,
  writer: string,
  installation: string | null,
  { mark, at }: Mark,
): Promise<void> {
  await reach(folder, async () => {
    const draft = join(folder, `${writer}.draft`);
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify({ v: 1, installation, mark, at: at.toISOString() }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, `${writer}.mark`));
    await syncFolder(folder);
  });
}

/** Those of processes that have ended, which a larger one makes useless. */
export async function removeOldMarks(folder: string, installation: string | null): Promise<void> {
  const newest = await readMark(folder, installation);
  for (const name of (await namesIn(folder)).filter((each) => MARK_FILE.test(each))) {
    const found = parseMark(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (newest === null || found === null || found.installation !== installation) continue;
    if (found.mark < newest.mark) await unlink(join(folder, name)).catch(() => {});
  }
}

function parseMark(text: string): (Mark & { readonly installation: unknown }) | null {
  try {
    const { v, installation, mark, at } = JSON.parse(text) as Record<string, unknown>;
    const time = new Date(String(at));
    if (v !== 1 || !Number.isSafeInteger(mark) || Number.isNaN(time.getTime())) return null;
    return { installation, mark: mark as number, at: time };
  } catch {
    return null;
  }
}
