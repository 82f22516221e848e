/** Messages: what generated code cannot know of sending. */
import { remember } from './answers.ts';
import { type BatchDraft, type BatchOutcome, sendInBatches } from './batch.ts';
import { jsonBody, rawBody } from './body.ts';
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { readIdempotencyKey } from './keys.ts';
import { MessagesOperations } from './operations-generated.ts';
import type { CallOptions } from './options.ts';
import type { Message, Send } from './types-generated.ts';

/** The outcome of a send. */
export interface Sent {
  readonly message: Message;
  /** The key had been used for this message before: nothing was sent now. */
  readonly replayed: boolean;
  /** The key that the message was sent under. */
  readonly idempotencyKey: string;
  /** Requests that it took. With `replayed`: more than one usually means that the first had got through. */
  readonly attempts: number;
  readonly requestId: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** `acuse.messages`. */
export class Messages extends MessagesOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    super(calls);
    this.#calls = calls;
  }

  /**
   * Sends a message. With `idempotencyKey`, calling again with the same message sends nothing twice, however
   * often and from wherever; without it a key is made, which protects this call's own retries and no other.
   * A job that may run twice needs a key of its own.
   */
  send(message: Send, idempotencyKey?: string, options?: CallOptions): Promise<Sent> {
    const body = () => jsonBody(message);
    return this.#send('messages.send', { body, idempotencyKey, options });
  }

  /** Sends a message that is composed already: the bytes of a message/rfc822. */
  sendRaw(message: Uint8Array | string, idempotencyKey?: string, options?: CallOptions): Promise<Sent> {
    return this.#send('messages.sendRaw', { body: () => rawBody(message), idempotencyKey, options });
  }

  /** Sends a message again, as a new one, to the same recipient. */
  resend(id: string, idempotencyKey?: string, options?: CallOptions): Promise<Sent> {
    return this.#send('messages.resend', { path: { id }, idempotencyKey, options });
  }

  /**
   * Sends any number of messages, in as many requests as they need, and answers one outcome per item, in
   * order. Items without a key get one. What is refused is the `error` of its items, also where a whole
   * request is refused, such as for a wrong API key.
   */
  sendBatch(items: readonly BatchDraft[], options?: CallOptions): Promise<BatchOutcome[]> {
    return sendInBatches(this.#calls, items, options);
  }

  async #send(
    name: 'messages.send' | 'messages.sendRaw' | 'messages.resend',
    input: {
      readonly body?: () => Uint8Array;
      readonly path?: Readonly<Record<string, string>>;
      readonly idempotencyKey: string | undefined;
      readonly options: CallOptions | undefined;
    },
  ): Promise<Sent> {
    const idempotencyKey = readIdempotencyKey(input.idempotencyKey);
    const body = input.body?.();
    const { options, path = {} } = input;
    const called = await this.#calls.run(OPERATIONS[name], { path, body, idempotencyKey, options });
    const { status, headers, requestId, attempts } = called;
    const message = called.value as Message;
    const replayed = headers['idempotent-replayed'] === 'true';
    const sent = { message, replayed, idempotencyKey, attempts, requestId, status, headers };
    remember(sent, called);
    return sent;
  }
}
