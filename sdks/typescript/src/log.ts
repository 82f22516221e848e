/** The public log: what it says, checked under a key that the caller pins. */
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { ConfigurationError, LogError } from './errors.ts';
import type { OpenedCheckpoint } from './evidence.ts';
import { LogOperations } from './operations-generated.ts';
import type { CallOptions } from './options.ts';

/** A checkpoint that the pinned key signed. Keep it: `follow` proves that the next one continues it. */
export interface Checkpoint {
  readonly origin: string;
  readonly tree_size: number;
  /** In base64. */
  readonly root_hash: string;
  /** The signed note itself. */
  readonly note: string;
}

/** `pending`: its time has not come, and it is not in the log yet. */
export type PromiseState = 'kept' | 'pending' | 'broken';

/** `acuse.log`. */
export class Log extends LogOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    super(calls);
    this.#calls = calls;
  }

  /** The text of the newest checkpoint, unchecked. */
  checkpoint(): Promise<string>;
  /** The newest checkpoint, if `pinnedKey` (`name+id+base64`, as from `key`) signed it; else LogError. */
  checkpoint(pinnedKey: string, options?: CallOptions): Promise<Checkpoint>;
  async checkpoint(pinnedKey?: string, options?: CallOptions): Promise<string | Checkpoint> {
    if (pinnedKey !== undefined) await keyOf(pinnedKey);
    const note = (await this.#calls.value(OPERATIONS['log.checkpoint'], { options })) as string;
    return pinnedKey === undefined ? note : openNote(note, pinnedKey);
  }

  /**
   * The newest checkpoint, proven to continue the saved one by the log's own tiles. Throws LogError with the
   * reason `went_back`, `forked` or `bad_signature`: keep both notes, they are the proof.
   */
  async follow(saved: Checkpoint, pinnedKey: string, options?: CallOptions): Promise<Checkpoint> {
    const before = await openNote(saved.note, pinnedKey);
    const now = await this.checkpoint(pinnedKey, options);
    if (now.tree_size < before.tree_size)
      throw new LogError('went_back', `The log had ${before.tree_size} entries and shows ${now.tree_size}.`);
    if (now.tree_size === before.tree_size) {
      if (now.root_hash === before.root_hash) return now;
      throw new LogError('forked', `The log signed two roots for ${now.tree_size} entries.`);
    }
    const { faultOfGrowth } = await import('./evidence.ts');
    const fault = await faultOfGrowth(opened(before), opened(now), (path) =>
      this.tile(tileOf(path), options),
    );
    if (fault !== undefined)
      throw new LogError(
        'forked',
        `The tree of ${now.tree_size} entries does not continue that of ${before.tree_size}: ${fault}.`,
      );
    return now;
  }

  /**
   * Whether the log kept the promise that a certified message was accepted with: its entry is in a signed
   * tree by the deadline. Looks through the newest million entries.
   */
  async checkPromise(
    message: { readonly promise: string | null },
    pinnedKey: string,
    options?: CallOptions,
  ): Promise<PromiseState> {
    if (typeof message?.promise !== 'string')
      throw new ConfigurationError('The message has no promise: only certified ones do.');
    const { findLeaf, readPromise } = await import('./evidence.ts');
    const promise = readPromise(message.promise, await keyOf(pinnedKey));
    if (typeof promise === 'string')
      throw new LogError('bad_signature', `The promise is not the log's: ${promise}.`);
    const askedMs = this.#calls.settings.clock();
    const now = await this.checkpoint(pinnedKey, options);
    const found = await findLeaf(promise.leaf, opened(now), (path) => this.tile(tileOf(path), options));
    if (found) return 'kept';
    return found === null || askedMs < promise.deadline * 1_000 ? 'pending' : 'broken';
  }
}

async function openNote(note: string, pinnedKey: string): Promise<Checkpoint> {
  const { openLog } = await import('./evidence.ts');
  const checkpoint = openLog(note, await keyOf(pinnedKey));
  if (typeof checkpoint === 'string')
    throw new LogError('bad_signature', `The pinned key did not sign the checkpoint: ${checkpoint}.`);
  const { origin, size, rootHash } = checkpoint;
  return { origin, tree_size: size, root_hash: rootHash, note };
}

/** Spaces, tabs and line ends around a key are no part of it: files and answers end in a line end. */
const KEY_LINE = /^[ \t\r\n]*([^ \t\r\n]+)[ \t\r\n]*$/;

/** The key alone. Throws ConfigurationError for another text. */
async function keyOf(pinnedKey: string): Promise<string> {
  const { faultOfKey } = await import('./evidence.ts');
  const key = KEY_LINE.exec(pinnedKey)?.[1] ?? '';
  const fault = typeof pinnedKey === 'string' ? faultOfKey(key) : 'not a text';
  if (fault !== undefined)
    throw new ConfigurationError(`The pinned key must be the log's, name+id+base64: ${fault}.`);
  return key;
}

function opened({ origin, tree_size, root_hash }: Checkpoint): OpenedCheckpoint {
  return { origin, size: tree_size, rootHash: root_hash };
}

/** The path parameter of a tile's operation: without `tile/`. */
function tileOf(path: string): string {
  return path.slice('tile/'.length);
}
