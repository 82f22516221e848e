import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { apiError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import { syncRemoteFolder } from '../durable-file.ts';
import type { SecretBox } from '../secrets.ts';
import { type AcceptedKey, writeAcceptedLines } from './accepted.ts';
import { type Gap, writeGap } from './gaps.ts';
import { createKeyPage, createLate, createListPage, type Dropped } from './late.ts';
import { type LineFacts, writeLine } from './line.ts';
import type { Note } from './note.ts';

/**
 * Changes that a restore must not forget, outside the database (docs/decisions/0037). Each process appends to
 * its own file, which also works on network file systems. After a failed write a new file begins, so that
 * only a file's last line can be torn.
 */
export interface Journal {
  readonly place: string;
  append(notes: readonly Note[]): Promise<void>;
  /** Written as soon as possible; never fails. */
  later(notes: readonly Note[]): void;
  /**
   * Keys of committed messages, in files of their own: they are many. Never fails: while they cannot be
   * written nobody waits, and they are written later.
   */
  accepted(keys: readonly AcceptedKey[]): Promise<void>;
  waiting(): number;
  dropped(): Readonly<Record<Gap['of'], number>>;
  close(): Promise<void>;
}

interface JournalDeps {
  readonly folder: string;
  readonly secrets: SecretBox;
  readonly clock: Pick<Clock, 'now'>;
  /** The installation's name, in every entry; null: not known yet. */
  readonly installation: () => Promise<string | null>;
  readonly onError?: (error: unknown, waiting: number) => void;
  readonly onDropped?: (of: Gap['of'], count: number) => void;
  readonly lateMax?: number;
  readonly writeLimitMs?: number;
}

export const JOURNAL_FILE = /\.journal$/;
/** Longest write (ms): shorter than a transaction's idle limit, longer than a busy disk's pauses. */
const WRITE_LIMIT_MS = 6_000;
/** Longest write of accepted keys (ms): their sends wait for it. */
const ACCEPTED_LIMIT_MS = 1_000;
/** A new file begins each day, so that old ones can be deleted. */
const FILE_DAY_MS = 86_400_000;
const FILE_MAX_BYTES = 16 * 1024 * 1024;
/** Most notes that wait, of some 500 bytes each. */
const LATE_NOTES_MAX = 20_000;
/** Most keys that wait, of 40 bytes each: a day of a million sends in 40 MB. */
const LATE_KEYS_MAX = 1_000_000;

export function openJournal(deps: JournalDeps): Journal {
  const notes = createWriter<Note>(deps, {
    ending: 'journal',
    limitMs: deps.writeLimitMs ?? WRITE_LIMIT_MS,
    lines: (group, at, facts) => group.map((note) => writeLine({ at, note }, facts)).join(''),
  });
  const keys = createWriter<AcceptedKey>(deps, {
    ending: 'accepted',
    limitMs: ACCEPTED_LIMIT_MS,
    lines: writeAcceptedLines,
  });
  const gaps = createWriter<Gap>(deps, {
    ending: 'gap',
    limitMs: deps.writeLimitMs ?? WRITE_LIMIT_MS,
    lines: (group, _, facts) => group.map((gap) => writeGap(gap, facts)).join(''),
  });
  const lateOf = <Item>(of: Gap['of'], { append }: Pick<Writer<Item>, 'append'>) => ({
    append,
    now: () => deps.clock.now(),
    onFailed: (error: unknown, waiting: number) => deps.onError?.(error, waiting),
    onDropped: (count: number) => deps.onDropped?.(of, count),
    tell: (dropped: Dropped) => gaps.append([{ of, ...dropped }]),
  });
  const late = createLate<Note>({
    ...lateOf('notes', notes),
    ...{ max: deps.lateMax ?? LATE_NOTES_MAX, createPage: createListPage },
  });
  const lateKeys = createLate<AcceptedKey>({
    ...lateOf('keys', keys),
    ...{ max: deps.lateMax ?? LATE_KEYS_MAX, createPage: createKeyPage },
  });
  return {
    place: deps.folder,
    append: notes.append,
    later: late.add,
    async accepted(given) {
      if (lateKeys.waiting() > 0) return lateKeys.add(given);
      await keys.append(given).catch(() => lateKeys.add(given));
    },
    waiting: () => late.waiting() + lateKeys.waiting(),
    dropped: () => ({ notes: late.dropped(), keys: lateKeys.dropped() }),
    async close() {
      await Promise.all([late.close(), lateKeys.close()]);
      await Promise.all([notes.close(), keys.close(), gaps.close()]);
    },
  };
}

interface Writing<Item> {
  readonly ending: 'journal' | 'accepted' | 'gap';
  readonly limitMs: number;
  lines(items: readonly Item[], at: Date, facts: LineFacts): string;
}

interface Writer<Item> {
  append(items: readonly Item[]): Promise<void>;
  close(): Promise<void>;
}

/** One write at a time; callers in between share the next. */
function createWriter<Item>(deps: JournalDeps, { ending, limitMs, lines }: Writing<Item>): Writer<Item> {
  const file = createFile(deps, ending);
  let running: Promise<void> = Promise.resolve();
  let gathered: Item[] = [];
  let next: Promise<void> | null = null;

  async function append(items: readonly Item[]): Promise<void> {
    gathered.push(...items);
    next ??= running
      .catch(() => {})
      .then(() => {
        const group = gathered;
        gathered = [];
        next = null;
        running = within(
          file.write((at, facts) => lines(group, at, facts)),
          limitMs,
        );
        return running;
      });
    await next.catch((error) => {
      throw apiError('unavailable', REFUSED, {
        cause: new Error(`the journal at ${deps.folder} (ACUSE_JOURNAL) cannot be written`, { cause: error }),
      });
    });
  }

  return {
    append,
    async close() {
      await running.catch(() => {});
      await file.close();
    },
  };
}

const REFUSED =
  'Nothing was changed, because the journal of such changes cannot be written: try again later, and tell the operator.';

interface OpenFile {
  readonly handle: FileHandle;
  readonly openedAt: number;
  bytes: number;
}

/** This process's file; a new one each day and after a failed write. */
function createFile({ folder, clock, secrets, installation: find }: JournalDeps, ending: string) {
  let file: OpenFile | null = null;
  /** Counts writes, so that an abandoned write that ends late keeps its file to itself. */
  let writes = 0;
  let installation: string | null = null;

  async function ready(at: Date): Promise<OpenFile> {
    if (file !== null && file.bytes < FILE_MAX_BYTES && at.getTime() - file.openedAt < FILE_DAY_MS)
      return file;
    await file?.handle.close();
    file = null;
    const handle = await open(join(folder, nameOf(at, ending)), 'ax', 0o600);
    await syncRemoteFolder(folder);
    return { handle, openedAt: at.getTime(), bytes: 0 };
  }

  return {
    async write(lines: (at: Date, facts: LineFacts) => string): Promise<void> {
      const own = ++writes;
      installation ??= await find();
      const at = clock.now();
      const bytes = Buffer.from(lines(at, { installation, secrets }));
      const current = await ready(at);
      // No file until the write succeeds: a torn line would spoil what follows.
      file = null;
      try {
        const { bytesWritten } = await current.handle.write(bytes);
        if (bytesWritten !== bytes.length)
          throw new Error(`${bytesWritten} of ${bytes.length} bytes written`);
        await current.handle.datasync();
      } catch (error) {
        await current.handle.close().catch(() => {});
        throw error;
      }
      current.bytes += bytes.length;
      if (own === writes) file = current;
      else await current.handle.close();
    },
    async close(): Promise<void> {
      await file?.handle.close().catch(() => {});
      file = null;
    },
  };
}

function nameOf(at: Date, ending: string): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9-]/g, '_')
    .slice(0, 64);
  const time = at.toISOString().replace(/[-:]/g, '');
  // Readers sort by name, and entries of one millisecond can stand in two files of a process: the second
  // file has to come second.
  const order = String(process.hrtime.bigint()).padStart(20, '0');
  return `${time}-${host}-${process.pid}-${order}-${randomBytes(4).toString('hex')}.${ending}`;
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
