import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_NOTE_BYTES } from '@acuse/evidence/note';
import { TILE_WIDTH } from '@acuse/evidence/tiles';
import { placeFile, syncRemoteFolder as sync } from '../../../platform/durable-file.ts';
import { agree, BLOCK_MAX_BYTES, type Block, formatBlock, leavesOf, parseBlock } from './block.ts';
import { type Mirror, MirrorUnreachable } from './mirror.ts';

/**
 * A mirror in a folder, possibly remote: per log a folder, in it one per 1024 blocks, with a file per block,
 * named by index and leaf count. Files are atomic; two writers of one name mean the same leaves, except for
 * unpublished batches.
 */
const BLOCKS_PER_FOLDER = 1024;
const NAME = /^(\d{12})-(\d{3})\.json$/;
const CHECKPOINT = 'checkpoint';
const CONCURRENCY = 8;

export function openMirrorFolder(path: string): Mirror {
  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      // An unmounted folder must not look like an empty mirror.
      await readdir(path);
      return await work();
    } catch (error) {
      throw new MirrorUnreachable(path, error);
    }
  }
  const logFolder = (origin: string) => join(path, encodeURIComponent(origin));
  const folderOf = (origin: string, index: number) =>
    join(logFolder(origin), String(Math.floor(index / BLOCKS_PER_FOLDER)).padStart(9, '0'));

  return {
    place: path,
    read: (origin, index, leaves) => reaching(() => readWidest(folderOf(origin, index), index, leaves)),
    write: (origin, blocks) =>
      reaching(async () => {
        for (let at = 0; at < blocks.length; at += CONCURRENCY) {
          const some = blocks.slice(at, at + CONCURRENCY);
          const folders = new Set(some.map(({ index }) => folderOf(origin, index)));
          for (const folder of folders) await makeFolder(path, logFolder(origin), folder);
          const written = await Promise.all(
            some.map(async (block) => ({ block, old: await put(folderOf(origin, block.index), block) })),
          );
          for (const folder of folders) await sync(folder);
          // After a crash here both exist: the longer is read, and the next write removes the other.
          for (const { block, old } of written)
            for (const name of old) await remove(join(folderOf(origin, block.index), name));
        }
      }),
    readCheckpoint: (origin) =>
      reaching(() => readSmall(join(logFolder(origin), CHECKPOINT), MAX_NOTE_BYTES)),
    writeCheckpoint: (origin, note) =>
      reaching(async () => {
        await makeFolder(path, logFolder(origin), logFolder(origin));
        await makeFile(logFolder(origin), CHECKPOINT, note);
        await sync(logFolder(origin));
      }),
  };
}

const nameOf = (block: Block) =>
  `${String(block.index).padStart(12, '0')}-${String(leavesOf(block)).padStart(3, '0')}.json`;

interface Found {
  readonly name: string;
  readonly leaves: number;
}

async function listBlock(folder: string, index: number): Promise<Found[]> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names.flatMap((name) => {
    const [, at, leaves] = NAME.exec(name) ?? [];
    return Number(at) === index && Number(leaves) <= TILE_WIDTH ? [{ name, leaves: Number(leaves) }] : [];
  });
  return found.sort((a, b) => b.leaves - a.leaves);
}

/** A file may be replaced by a longer one after listing. */
const READ_TRIES = 10;

async function readWidest(folder: string, index: number, leaves: number): Promise<Block | null> {
  for (let attempt = 1; attempt <= READ_TRIES; attempt++) {
    const wide = (await listBlock(folder, index)).filter((found) => found.leaves >= leaves);
    if (wide.length === 0) return null;
    for (const found of wide) {
      const block = await readBlock(folder, index, found);
      if (block !== null) return block;
    }
  }
  return null;
}

async function readBlock(folder: string, index: number, { name, leaves }: Found): Promise<Block | null> {
  const text = await readSmall(join(folder, name), BLOCK_MAX_BYTES);
  const block = text === null ? null : parseBlock(text, index);
  return block !== null && leavesOf(block) === leaves ? block : null;
}

async function readSmall(file: string, maxBytes: number): Promise<string | null> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) return null;
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes the block unless present; returns obsolete files. */
async function put(folder: string, block: Block): Promise<string[]> {
  const old: string[] = [];
  let isThere = false;
  for (const found of await listBlock(folder, block.index)) {
    const other = await readBlock(folder, block.index, found);
    const same = other !== null && agree(other, block);
    if (same && found.leaves >= leavesOf(block)) isThere = true;
    else if (found.name !== nameOf(block)) old.push(found.name);
  }
  if (!isThere) await makeFile(folder, nameOf(block), formatBlock(block));
  return old;
}

const makeFile = (folder: string, name: string, content: string) => placeFile(folder, name, content, rename);

/** Durable, parents included. */
async function makeFolder(path: string, logFolder: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  await sync(path);
  await sync(logFolder);
}

const remove = (file: string) =>
  unlink(file).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
