import type { Wording } from '../../wording.ts';

/**
 * Work that would hold the event loop: a pure function of what it is given, which a thread runs. Both sides
 * import the job; the thread's program (thread.ts) names all of them, and only the name and the input travel.
 * The pages of fsck have a program of their own, because they are read where they are checked.
 */
export interface Job<Input, Output> {
  /** Unique among all jobs; a label of the metrics. */
  readonly name: string;
  /** The longest that one may run before its thread is ended and replaced (ms). */
  readonly limitMs: number;
  /**
   * Runs in the thread. An ApiError that it throws reaches the caller as one; what else it throws is a fault.
   */
  run(input: Input): Output | Promise<Output>;
  /** Buffers of the output that are handed over, not copied; nobody in the thread may use them afterwards. */
  handedOver?(output: Output): readonly ArrayBuffer[];
}

/**
 * A job that took more than its thread may have. The thread was ended and replaced; nothing else was touched.
 */
export class ThreadLimitError extends Error {
  readonly limit: 'time' | 'memory';
  constructor(job: string, limit: 'time' | 'memory') {
    super(`${job} took more ${limit} than a thread may have`);
    this.name = 'ThreadLimitError';
    this.limit = limit;
  }
}

export interface Order {
  readonly job: string;
  readonly input: unknown;
}

/** What a thread says: once that it can take jobs, then how each ended. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly output: unknown }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly text: Wording;
      readonly retryAfterSeconds: number | undefined;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined };

/**
 * The buffer under these bytes when they are all of it, so that it can be handed over; a copy of them
 * otherwise.
 */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return bytes.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer)
    : Uint8Array.from(bytes);
}
