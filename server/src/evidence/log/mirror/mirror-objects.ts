import { MAX_NOTE_BYTES } from '@acuse/evidence/note';
import { ConditionsIgnored, type ObjectStore } from '../../../platform/s3/object-store.ts';
import { StoreUnreachable } from '../../../platform/s3/signed-request.ts';
import { agree, BLOCK_MAX_BYTES, type Block, formatBlock, leavesOf, parseBlock } from './block.ts';
import { type Mirror, MirrorUnreachable } from './mirror.ts';

/**
 * A mirror in an S3-compatible store: one object per block, extended conditionally. Lists and deletes
 * nothing.
 */
const CHECKPOINT = 'mirrored-checkpoint';
const CONCURRENCY = 8;
/** Writes lost to other processes; each is followed by another look. */
const TRIES = 20;

export function openMirrorObjects(store: ObjectStore): Mirror {
  const keyOf = (origin: string, index: number) => `${origin}/blocks/${String(index).padStart(12, '0')}.json`;
  const checkpointOf = (origin: string) => `${origin}/${CHECKPOINT}`;

  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConditionsIgnored) throw error;
      throw new MirrorUnreachable(store.place, error);
    }
  }

  async function writeBlock(key: string, block: Block): Promise<void> {
    const says = ({ text }: { text: string }) => parseBlock(text, block.index);
    await replace(key, formatBlock(block), BLOCK_MAX_BYTES, (current) => {
      const there = says(current);
      return there !== null && leavesOf(there) >= leavesOf(block) && agree(there, block);
    });
  }

  /** Writes unless the stored one suffices. */
  async function replace(
    key: string,
    text: string,
    maxBytes: number,
    willDo: (current: { text: string }) => boolean,
  ): Promise<void> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const current = await store.get(key, maxBytes);
      if (current !== null && willDo(current)) return;
      if ((await store.put(key, text, current?.etag ?? null)) === 'written') return;
    }
    throw new StoreUnreachable(`${key} could not be written in ${TRIES} tries`);
  }

  return {
    place: store.place,
    prepare: () => reaching(() => store.requireConditions()),
    read: (origin, index, leaves) =>
      reaching(async () => {
        const found = await store.get(keyOf(origin, index), BLOCK_MAX_BYTES);
        const block = found === null ? null : parseBlock(found.text, index);
        return block !== null && leavesOf(block) >= leaves ? block : null;
      }),
    write: (origin, blocks) =>
      reaching(async () => {
        await store.requireConditions();
        for (let at = 0; at < blocks.length; at += CONCURRENCY) {
          const some = blocks.slice(at, at + CONCURRENCY);
          await Promise.all(some.map((block) => writeBlock(keyOf(origin, block.index), block)));
        }
      }),
    readCheckpoint: (origin) =>
      reaching(async () => (await store.get(checkpointOf(origin), MAX_NOTE_BYTES))?.text ?? null),
    writeCheckpoint: (origin, note) =>
      reaching(() => replace(checkpointOf(origin), note, MAX_NOTE_BYTES, (current) => current.text === note)),
  };
}
