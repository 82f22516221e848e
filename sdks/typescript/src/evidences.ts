/** Evidence of messages: waiting until it is there, and storing the proof bundle. */
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { CancelledError, ConfigurationError, RefusedError, TimeoutError } from './errors.ts';
import { FIXES } from './errors-generated.ts';
import { EvidenceOperations } from './operations-generated.ts';
import type { CallOptions } from './options.ts';
import type { HttpAnswer } from './transport/transport.ts';
import type { Message } from './types-generated.ts';

/** Longest pause between bytes of a bundle. */
const DOWNLOAD_IDLE_MS = 30_000;
/** Default of `withinMs`. */
const SEALED_WITHIN_MS = 120_000;
/** Pauses between questions; the last repeats. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000];

/** `acuse.evidence`. */
export class Evidences extends EvidenceOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    super(calls);
    this.#calls = calls;
  }

  /**
   * Stores the proof bundle of a message at `path`. It is written beside it first and renamed when it is
   * whole and on disk: a download that breaks off leaves nothing. Node only.
   */
  async downloadBundle(id: string, path: string, options?: CallOptions): Promise<void> {
    const { storeAtomically } = await import('./store-file.ts');
    await this.#calls.run(OPERATIONS['evidence.getBundle'], {
      path: { id },
      options,
      idleTimeoutMs: DOWNLOAD_IDLE_MS,
      consume: (answer: HttpAnswer) => storeAtomically(path, answer.body),
    });
  }

  /**
   * Waits until a message is sealed and answers it. Throws RefusedError at once for a plain message, which
   * never will be, and TimeoutError when it takes longer than `withinMs`.
   */
  async waitUntilSealed(
    id: string,
    {
      withinMs = SEALED_WITHIN_MS,
      ...options
    }: CallOptions & { readonly withinMs?: number | undefined } = {},
  ): Promise<Message> {
    if (!(withinMs >= 0)) throw new ConfigurationError('withinMs must be a number of milliseconds.');
    const { clock } = this.#calls.settings;
    const endMs = clock() + withinMs;
    let waitedMs = 0;
    for (let asked = 0; ; asked++) {
      const message = await this.#ifSealed(id, options);
      if (message !== undefined) return message;
      const pauseMs = PAUSES_MS[Math.min(asked, PAUSES_MS.length - 1)]!;
      waitedMs += pauseMs;
      if (waitedMs > withinMs || clock() + pauseMs > endMs)
        throw new TimeoutError(`The message was not sealed within ${withinMs} ms: ask again later.`, {
          phase: 'receive',
          outcomeUnknown: false,
          attempts: asked + 1,
        });
      await this.#pause(pauseMs, options.signal);
    }
  }

  async #ifSealed(id: string, options: CallOptions): Promise<Message | undefined> {
    const read = OPERATIONS['messages.get'];
    const message = (await this.#calls.value(read, { path: { id }, options })) as Message;
    if (!message.certified)
      throw new RefusedError('A plain message is never sealed.', {
        status: 422,
        code: 'not_certified',
        fix: FIXES['not_certified'],
        attempts: 1,
      });
    return message.sealed_at === null ? undefined : message;
  }

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#calls.settings.sleep(ms, signal);
    } catch (cause) {
      if (signal?.aborted) throw new CancelledError('The call was cancelled.', {}, { cause });
      throw cause;
    }
  }
}
