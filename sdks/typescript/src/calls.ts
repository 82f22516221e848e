/** One call: its attempts, what decides between them, and what comes out of the last. */
import { type Answered, badAnswer, readAnswer, readRefusal, remember } from './answers.ts';
import {
  BUDGET_TOKENS,
  type Decision,
  decide,
  isUnknown,
  type Outcome,
  retryCost,
  rewarded,
} from './decide.ts';
import {
  type AcuseError,
  ApiError,
  CancelledError,
  ConnectionError,
  ProtocolError,
  TimeoutError,
} from './errors.ts';
import type { Operation } from './operation.ts';
import { type CallOptions, forCall, type Settings } from './options.ts';
import { maskKey } from './secrets.ts';
import { createSlots, type Slots } from './slots.ts';
import { type HttpAnswer, HttpFailure, type Transport } from './transport/transport.ts';
import { pathOf, queryOf } from './url.ts';

/** Bytes of body for which an attempt gets one second more. */
const BYTES_PER_SECOND = 256 * 1024;
/** Requests at once. */
const REQUESTS_MAX = 100;

/** The arguments of an operation. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: Uint8Array | undefined;
  /** In place of the operation's own media type. */
  readonly media?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly options?: CallOptions | undefined;
  /** Takes a success's body as it comes, in place of reading it whole; may run once for each attempt. */
  readonly consume?: ((answer: HttpAnswer) => Promise<unknown>) | undefined;
  /** Longest pause between bytes, in place of a limit for the whole answer. */
  readonly idleTimeoutMs?: number | undefined;
}

/** The outcome of a call. */
export interface Called extends Answered {
  readonly value: unknown;
  readonly attempts: number;
}

/** Shared by all views of a client. */
export interface Shared {
  readonly key: string;
  readonly transport: Transport;
  readonly slots: Slots;
  /** Tokens for retries, of all calls together. */
  budget: number;
}

export function createShared(key: string, transport: Transport): Shared {
  return { key, transport, slots: createSlots(REQUESTS_MAX), budget: BUDGET_TOKENS };
}

/** Makes calls with one set of options. */
export class Calls {
  readonly #shared: Shared;
  readonly settings: Settings;

  constructor(shared: Shared, settings: Settings) {
    this.#shared = shared;
    this.settings = settings;
  }

  /** The same connections and budget with other options. */
  with(settings: Settings): Calls {
    return new Calls(this.#shared, settings);
  }

  get maskedKey(): string {
    return maskKey(this.#shared.key);
  }

  close(): void {
    this.#shared.transport.close();
  }

  /** Throws one of errors.ts. */
  async run(operation: Operation, input: CallInput = {}): Promise<Called> {
    const settings = forCall(this.settings, input.options ?? {});
    const call = new Call({ shared: this.#shared, settings, operation, input });
    const called = await call.run();
    remember(called.value, called);
    return called;
  }

  /** The value alone. */
  async value(operation: Operation, input: CallInput = {}): Promise<unknown> {
    return (await this.run(operation, input)).value;
  }
}

interface CallParts {
  readonly shared: Shared;
  readonly settings: Settings;
  readonly operation: Operation;
  readonly input: CallInput;
}

type Headers = Readonly<Record<string, string>>;

type Ended =
  | { readonly answer: Answered & { value: unknown } }
  | { readonly error: AcuseError; readonly outcome: Outcome; readonly headers?: Headers };

class Call {
  readonly #parts: CallParts;
  readonly #url: string;
  readonly #startedMs: number;
  #attempt = 0;
  /** Tokens that the last retry cost. */
  #spent = 0;
  /** An attempt may have done what was asked. */
  #unknown = false;

  constructor(parts: CallParts) {
    this.#parts = parts;
    const { operation, input, settings } = parts;
    this.#url = settings.baseUrl + pathOf(operation.path, input.path ?? {}) + queryOf(input.query);
    this.#startedMs = settings.clock();
  }

  async run(): Promise<Called> {
    for (;;) {
      this.#attempt++;
      const startedMs = this.#parts.settings.clock();
      const ended = await this.#try();
      if ('answer' in ended) {
        this.#tell(startedMs, { status: ended.answer.status, requestId: ended.answer.requestId });
        return this.#succeed(ended.answer);
      }
      const { error, outcome, headers } = ended;
      if (this.#isGone(error)) {
        this.#tell(startedMs, { status: 404, error });
        return this.#succeed({ value: undefined, ...factsOf(error) });
      }
      const decision = this.#decide(outcome, headers ?? {});
      this.#tell(startedMs, { error, decision });
      if (decision.delayMs === null) throw error;
      this.#parts.shared.budget = decision.budget;
      this.#spent += retryCost(outcome);
      await this.#sleep(decision.delayMs);
    }
  }

  #succeed(answer: Answered & { value: unknown }): Called {
    const { shared } = this.#parts;
    shared.budget = rewarded(shared.budget, this.#spent);
    return { ...answer, attempts: this.#attempt };
  }

  /** The object is gone already, after an attempt that may have deleted it. */
  #isGone(error: AcuseError): boolean {
    return (
      this.#parts.operation.http === 'DELETE' &&
      this.#unknown &&
      error instanceof ApiError &&
      error.status === 404
    );
  }

  #decide(outcome: Outcome, headers: Headers): Decision {
    const { settings, operation, shared } = this.#parts;
    return decide({
      retry: operation.retry,
      outcome,
      attempt: this.#attempt,
      headers,
      random: settings.random(),
      budget: shared.budget,
      timeLeftMs: this.#timeLeftMs(),
      maxRetries: settings.maxRetries,
      nowMs: settings.clock(),
    });
  }

  #timeLeftMs(): number {
    const { deadlineMs, clock } = this.#parts.settings;
    return this.#startedMs + deadlineMs - clock();
  }

  async #try(): Promise<Ended> {
    const { signal } = this.#parts.input.options ?? {};
    try {
      if (signal?.aborted) throw signal.reason;
      const release = await this.#parts.shared.slots.take(signal);
      try {
        return await this.#exchange();
      } finally {
        release();
      }
    } catch (cause) {
      if (signal?.aborted) throw this.#cancelled(cause);
      if (cause instanceof HttpFailure) return this.#lost(cause);
      throw cause;
    }
  }

  async #exchange(): Promise<Ended> {
    const { shared, operation, input, settings } = this.#parts;
    const answer = await shared.transport.exchange({
      method: operation.http,
      url: this.#url,
      headers: this.#headers(),
      body: input.body,
      connectTimeoutMs: Math.min(settings.connectTimeoutMs, Math.max(1, this.#timeLeftMs())),
      timeoutMs: this.#timeoutMs(),
      idleTimeoutMs: input.idleTimeoutMs,
      signal: input.options?.signal,
    });
    // A read has no effect that could be unknown.
    const outcomeUnknown = this.#changes();
    const facts = { attempts: this.#attempt, idempotencyKey: input.idempotencyKey, outcomeUnknown };
    if (answer.status >= 400) {
      const unknown = this.#unknown || (outcomeUnknown && answer.status >= 500);
      const error = await readRefusal(
        answer,
        { ...facts, outcomeUnknown: unknown, changes: outcomeUnknown },
        settings.clock(),
      );
      if (!(error instanceof ApiError)) return { error, outcome: { kind: 'malformed' } };
      const outcome = { kind: 'answer', status: error.status, code: error.code } as const;
      this.#unknown ||= outcomeUnknown && isUnknown(outcome);
      return { error, outcome, headers: answer.headers };
    }
    const read = await readAnswer(answer, operation, input.consume);
    if (!('problem' in read)) return { answer: read };
    return { error: badAnswer(read, facts), outcome: { kind: 'malformed' } };
  }

  #changes(): boolean {
    return this.#parts.operation.retry !== 'safe';
  }

  #timeoutMs(): number {
    const { input, settings } = this.#parts;
    const forBody = ((input.body?.length ?? 0) / BYTES_PER_SECOND) * 1_000;
    return Math.max(1, Math.min(settings.timeoutMs + forBody, this.#timeLeftMs()));
  }

  #headers(): Record<string, string> {
    const { shared, operation, input, settings } = this.#parts;
    const media = input.body === undefined ? null : (input.media ?? operation.media);
    return {
      Accept: operation.accept ?? '*/*',
      Authorization: `Bearer ${shared.key}`,
      'User-Agent': settings.userAgent,
      'Acuse-Attempt': String(this.#attempt),
      ...(media !== null && { 'Content-Type': media }),
      ...(input.idempotencyKey !== undefined && { 'Idempotency-Key': input.idempotencyKey }),
    };
  }

  #lost(failure: HttpFailure): Ended {
    const { input } = this.#parts;
    const outcome = { kind: failure.kind };
    this.#unknown ||= this.#changes() && isUnknown(outcome);
    const facts = {
      attempts: this.#attempt,
      idempotencyKey: input.idempotencyKey,
      phase: failure.phase,
      outcomeUnknown: this.#unknown,
    };
    const timedOut =
      failure.kind === 'timeout' || (failure.kind === 'no_connection' && failure.cause === undefined);
    const error = new (timedOut ? TimeoutError : ConnectionError)(failure.message, facts, { cause: failure });
    return { error, outcome };
  }

  #cancelled(cause: unknown): CancelledError {
    const { idempotencyKey } = this.#parts.input;
    return new CancelledError(
      'The call was cancelled.',
      { attempts: this.#attempt, idempotencyKey },
      { cause },
    );
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#parts.input.options ?? {};
    try {
      await this.#parts.settings.sleep(ms, signal);
    } catch (cause) {
      if (signal?.aborted) throw this.#cancelled(cause);
      throw cause;
    }
    if (signal?.aborted) throw this.#cancelled(signal.reason);
  }

  #tell(
    startedMs: number,
    what: { status?: number; requestId?: string | undefined; error?: AcuseError; decision?: Decision },
  ): void {
    const { settings, operation } = this.#parts;
    if (settings.onAttempt === undefined) return;
    const { error, decision } = what;
    const status =
      what.status ?? (error instanceof ApiError || error instanceof ProtocolError ? error.status : null);
    try {
      const returned: unknown = settings.onAttempt({
        operation: operation.name,
        attempt: this.#attempt,
        status: status ?? null,
        code: error instanceof ApiError ? error.code : null,
        requestId: what.requestId ?? error?.requestId ?? null,
        durationMs: Math.max(0, settings.clock() - startedMs),
        retryInMs: decision?.delayMs ?? null,
        error: error?.name ?? null,
      });
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // A hook only watches.
    }
  }
}

function factsOf(error: AcuseError): Answered {
  return { status: 404, headers: {}, requestId: error.requestId };
}

/** True if the server may have done what a call asked that ended with this error. */
export function isOutcomeUnknown(error: unknown): boolean {
  return (
    (error instanceof ConnectionError || error instanceof ProtocolError || error instanceof ApiError) &&
    error.outcomeUnknown
  );
}
