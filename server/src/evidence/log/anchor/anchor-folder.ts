import { link, mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFile, syncRemoteFolder as sync } from '../../../platform/durable-file.ts';
import { type Anchor, AnchorUnreachable } from './anchor.ts';

/**
 * An anchor in a folder, possibly remote: per log a folder, per swap a numbered file. link(2) fails for an
 * existing name, also on network file systems, so that one of two concurrent swaps wins.
 */
const NAME = /^(\d{15})\.checkpoint$/;
const NAME_DIGITS = 15;
/** Older ones are kept for people only. */
const KEPT = 3;
/** A note is a few hundred bytes. */
const MAX_BYTES = 65_536;

export function openAnchorFolder(path: string): Anchor {
  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new AnchorUnreachable(path, error);
    }
  }

  return {
    place: path,
    read: (origin) =>
      reaching(async () => {
        // An unmounted folder must not look like an empty anchor.
        await readdir(path);
        return (await readNewest(folderOf(path, origin)))?.note ?? null;
      }),
    swap: (origin, before, next) =>
      reaching(async () => {
        await readdir(path);
        const folder = folderOf(path, origin);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const newest = await readNewest(folder);
        if ((newest?.note ?? null) !== before) return false;
        const number = (newest?.number ?? 0) + 1;
        if (!(await make(folder, number, next))) return false;
        // A deleted number may be reused: then a higher one exists.
        const after = await readNewest(folder);
        if (after?.number !== number || after.note !== next) return false;
        await removeOld(folder, number);
        return true;
      }),
  };
}

/** encodeURIComponent makes an origin safe. */
function folderOf(path: string, origin: string): string {
  return join(path, encodeURIComponent(origin));
}

const nameOf = (number: number) => `${String(number).padStart(NAME_DIGITS, '0')}.checkpoint`;

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => Number(NAME.exec(name)?.[1] ?? []));
}

async function readNewest(folder: string): Promise<{ number: number; note: string } | null> {
  for (;;) {
    const number = Math.max(0, ...(await numbersIn(folder)));
    if (number === 0) return null;
    try {
      const bytes = await readFile(join(folder, nameOf(number)));
      if (bytes.length > MAX_BYTES) throw new Error(`${nameOf(number)} has more than ${MAX_BYTES} bytes`);
      return { number, note: bytes.toString('utf8') };
    } catch (error) {
      // Removed since it was listed: a newer one exists.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Atomic and durable; false: the number is taken. */
async function make(folder: string, number: number, note: string): Promise<boolean> {
  try {
    await placeFile(folder, nameOf(number), note, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await sync(folder);
  return true;
}

async function removeOld(folder: string, newest: number): Promise<void> {
  for (const number of await numbersIn(folder))
    if (number <= newest - KEPT) await unlink(join(folder, nameOf(number))).catch(() => {});
}
