/** One HTTP exchange, whichever client makes it. */
import type { Phase } from '../errors.ts';

/** A request as it goes out. Times in milliseconds. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly connectTimeoutMs: number;
  /** Until the answer's headers, and for the whole of an answer unless `idleTimeoutMs` is set. */
  readonly timeoutMs: number;
  /** Longest pause between bytes of an answer that may take any time. */
  readonly idleTimeoutMs?: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * An answer whose body is still to come. Header names are in lower case. A body that ends before its
 * Content-Length makes `body` throw HttpFailure `lost_answer`.
 */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What makes exchanges. Follows no redirect, adds no header that asks for compression, retries nothing. */
export interface Transport {
  /** Throws HttpFailure, or the signal's reason. */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends idle connections. */
  close(): void;
}

export type FailureKind = 'no_connection' | 'lost_answer' | 'timeout' | 'tls';

/** An exchange that brought no whole answer. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: FailureKind;
  readonly phase: Phase;

  constructor(kind: FailureKind, phase: Phase, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.phase = phase;
  }
}
