import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Stop } from '../light-abort.ts';
import { EXCERPT_MAX_BYTES } from './answer-excerpt.ts';

/** `https://host:port`, and the path with its query. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

interface Posted {
  readonly statusCode: number;
  readonly answeredMs: number;
  readonly headers: IncomingHttpHeaders;
  readonly start: Uint8Array;
}

/**
 * The answer's body is read this far, so that the connection can be reused, then cut. Only its start is kept.
 */
const ANSWER_MAX_BYTES = 64 * 1024;
const ANSWER_BODY_MS = 1_000;
/** Each piece costs some microseconds, even if it has one byte. */
const ANSWER_PIECES_MAX = 256;

export interface Post {
  readonly target: Target;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  readonly stops: readonly Stop[];
  readonly timeoutMs: number;
}

/** No status in time. */
export class NoAnswer extends Error {}

/**
 * POSTs once and reads the start of the answer. Uses undici's `dispatch`: `request` makes a stream, promises
 * and an async scope, half of a POST's cost. Rejects on errors before the status; later ones change nothing.
 */
export function postOnce(dispatcher: Dispatcher, post: Post): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const { target, headers, body } = post;
    const handler = new AnswerHandler(post, resolve, reject);
    if (handler.isSettled) return;
    try {
      const { origin, path } = target;
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, handler);
    } catch (error) {
      handler.fail(error);
    }
  });
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  isSettled = false;
  readonly #stops: readonly Stop[];
  readonly #resolve: (posted: Posted) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onStop = () => this.#breakOff(this.#stops.find(({ aborted }) => aborted)?.reason);
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #statusCode: number | null = null;
  #answeredMs = 0;
  #headers: IncomingHttpHeaders = {};
  #start: Buffer | null = null;
  #sizeBytes = 0;
  #pieces = 0;

  constructor(post: Post, resolve: (posted: Posted) => void, reject: (error: unknown) => void) {
    this.#stops = post.stops;
    this.#resolve = resolve;
    this.#reject = reject;
    for (const stop of post.stops) stop.addEventListener('abort', this.#onStop);
    const { timeoutMs } = post;
    this.#timer = setTimeout(
      () => this.#breakOff(new NoAnswer(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    if (post.stops.some(({ aborted }) => aborted)) this.#onStop();
  }

  /** May come late: a request waits for its connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isSettled) this.#abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An interim answer (RFC 9110 §15.2).
    if (statusCode < 200 || this.isSettled) return;
    this.#answeredMs = performance.now();
    this.#statusCode = statusCode;
    this.#headers = headers;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(), ANSWER_BODY_MS);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isSettled) return;
    if (this.#sizeBytes < EXCERPT_MAX_BYTES) {
      const kept = chunk.subarray(0, EXCERPT_MAX_BYTES - this.#sizeBytes);
      this.#start = this.#start === null ? kept : Buffer.concat([this.#start, kept]);
    }
    this.#sizeBytes += chunk.length;
    this.#pieces++;
    if (this.#sizeBytes > ANSWER_MAX_BYTES || this.#pieces > ANSWER_PIECES_MAX) this.#cut();
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    if (this.#statusCode !== null) this.#succeed();
    else if (this.#settle()) this.#reject(error);
  }

  #succeed(): void {
    const statusCode = this.#statusCode;
    if (statusCode === null || !this.#settle()) return;
    this.#resolve({
      statusCode,
      answeredMs: this.#answeredMs,
      headers: this.#headers,
      start: this.#start ?? NOTHING,
    });
  }

  #cut(): void {
    this.#succeed();
    this.#abort();
  }

  #breakOff(reason: unknown): void {
    this.fail(reason);
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new Error('broken off'));
  }

  #settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop.removeEventListener('abort', this.#onStop);
    return true;
  }
}

const NOTHING = new Uint8Array(0);
