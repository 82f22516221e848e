import { link, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { equalBytes, toHex } from '@acuse/evidence/bytes';
import type { Config } from '../../config/config-type.ts';
import { placeFile, syncRemoteFolder as sync } from '../../platform/durable-file.ts';
import { ConditionsIgnored, type ObjectStore, openObjectStore } from '../../platform/s3/object-store.ts';
import { sha256 } from '../../platform/sha256.ts';
import { isBucket, type OutsideConfig, storeSettings } from '../log/open-outside.ts';
import { type ArchivePlace, ArchiveUnreachable } from './archive-place.ts';

export type ArchiveConfig = OutsideConfig & Pick<Config, 'archive'>;

/** An object has up to some 112 MiB (ms). */
const REQUEST_TIMEOUT_MS = 120_000;

export function openArchivePlace(config: OutsideConfig, place: string): ArchivePlace {
  return isBucket(place)
    ? openArchiveObjects(openObjectStore(place, storeSettings(config), REQUEST_TIMEOUT_MS))
    : openArchiveFolder(place);
}

/**
 * An archive in a folder, possibly remote. A new file never replaces one. Unlike in a bucket, two runs that
 * replace one file at the same moment go unnoticed; files that the later one did not list are then left
 * behind.
 */
export function openArchiveFolder(path: string): ArchivePlace {
  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new ArchiveUnreachable(path, error);
    }
  }

  async function get(name: string, maxBytes: number) {
    // An unmounted folder must not look like an empty archive.
    await readdir(path);
    const file = await open(join(path, name)).catch(nullIf('ENOENT'));
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size > maxBytes) throw new Error(`${name} has more than ${maxBytes} bytes`);
      const bytes = await file.readFile();
      return { bytes, version: toHex(sha256(bytes)) };
    } finally {
      await file.close();
    }
  }

  return {
    place: path,
    prepare: () => reaching(async () => void (await readdir(path))),
    get: (name, maxBytes) => reaching(() => get(name, maxBytes)),
    put: (name, bytes, replaces) =>
      reaching(async () => {
        const folder = dirname(join(path, name));
        const file = name.split('/').at(-1)!;
        await readdir(path);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if (replaces !== null) {
          const current = await get(name, Number.MAX_SAFE_INTEGER);
          if (current?.version !== replaces) return 'lost';
        }
        const placed = await placeFile(folder, file, bytes, replaces === null ? link : rename)
          .then(() => 'written' as const)
          .catch(nullIf('EEXIST'));
        await sync(folder);
        return placed ?? 'lost';
      }),
    remove: (name) => reaching(async () => void (await unlink(join(path, name)).catch(nullIf('ENOENT')))),
  };
}

const nullIf = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
  return null;
};

/** In a bucket. Lists nothing. */
export function openArchiveObjects(store: ObjectStore): ArchivePlace {
  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConditionsIgnored) throw error;
      throw new ArchiveUnreachable(store.place, error);
    }
  }

  return {
    place: store.place,
    prepare: () => reaching(() => store.requireConditions()),
    get: (name, maxBytes) =>
      reaching(async () => {
        const found = await store.get(name, maxBytes);
        return found === null ? null : { bytes: found.bytes, version: found.etag };
      }),
    put: (name, bytes, replaces) =>
      reaching(async () => {
        const put = await store.put(name, bytes, replaces);
        if (put !== 'unknown') return put;
        // The answer was lost, or the store is away: the stored object shows which.
        const there = await store.get(name, bytes.length + 1);
        if (there !== null && equalBytes(there.bytes, bytes)) return 'written';
        throw new Error(`${name} could not be written`);
      }),
    remove: (name) => reaching(() => store.remove(name)),
  };
}
