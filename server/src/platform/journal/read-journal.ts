import { open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncRemoteFolder } from '../durable-file.ts';
import { JOURNAL_FILE } from './journal.ts';
import { type LineFacts, readLine } from './line.ts';
import type { Entry } from './note.ts';

/** A journal as read: entries in time order, and lines that are none. */
export interface ReadJournal {
  readonly entries: readonly Entry[];
  /** Torn last lines, for which nobody was answered. */
  readonly torn: readonly string[];
  /** `file:line: why`. */
  readonly unreadable: readonly string[];
  readonly newer: readonly string[];
  readonly foreign: number;
}

/** The folder cannot be read: its machine may be away. */
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
      // Without a final line end the line is torn.
      const isLast = at === lines.length - 1;
      if (read.kind === 'entry') found.entries.push(read.entry);
      else if (isLast && read.kind === 'unreadable') found.torn.push(place);
      else if (read.kind === 'unreadable') found.unreadable.push(`${place}: ${read.reason}`);
      else if (read.kind === 'newer') newer.push(place);
      else foreign++;
    }
  }
  // Stable: each process's entries stay in order.
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
 * A counter that grows in the database first, then here: a smaller one in the database means that it was
 * rolled back.
 */
export interface Mark {
  readonly mark: number;
  readonly at: Date;
}

const MARK_FILE = /\.mark$/;

/** The largest mark of this installation; null: none. */
export async function readMark(folder: string, installation: string | null): Promise<Mark | null> {
  let newest: Mark | null = null;
  for (const name of (await namesIn(folder)).filter((each) => MARK_FILE.test(each))) {
    const found = parseMark(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (found === null || (installation !== null && found.installation !== installation)) continue;
    if (newest === null || found.mark > newest.mark) newest = found;
  }
  return newest;
}

/** Replaces this writer's mark atomically. */
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
    await syncRemoteFolder(folder);
  });
}

/** Removes marks of ended processes that a larger one supersedes. */
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
