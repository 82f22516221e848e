import type { Wording } from '../../wording.ts';

/**
 * CPU-heavy work for a thread: a pure function. Both sides import the job; thread.ts names them all, and only
 * name and input travel. fsck's pages have their own program, because they are read where they are checked.
 */
export interface Job<Input, Output> {
  /** Unique; a label of the metrics. */
  readonly name: string;
  /** A job beyond this time ends its thread (ms). */
  readonly limitMs: number;
  /** Runs in the thread. An ApiError reaches the caller as such; other errors are faults. */
  run(input: Input): Output | Promise<Output>;
  /** Buffers of the output to transfer, not copy. */
  handedOver?(output: Output): readonly ArrayBuffer[];
}

/** A job exceeded its limits. Its thread was replaced. */
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

/** A thread's messages: first ready, then each result. */
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

/** The bytes' buffer, to hand over; none if others share it: then the bytes are copied. */
export function buffersOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** The buffer of these bytes, to be transferred; a copy if others share it. */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const [buffer] = buffersOf(bytes);
  return buffer === undefined ? Uint8Array.from(bytes) : new Uint8Array(buffer);
}
