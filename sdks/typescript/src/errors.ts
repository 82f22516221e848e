/** Everything that a call can throw. Messages never show a key, a secret or a body. */
import { plain, redact } from './secrets.ts';
import type { ErrorCode } from './types-generated.ts';

/** Common to every error of a call. */
export interface CallFacts {
  /** Requests that the call made. */
  readonly attempts?: number;
  /** The key to try again with, so that nothing is sent twice. */
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Base class of every error of this library. */
export class AcuseError extends Error {
  override readonly name: string = 'AcuseError';
  /** Requests that the call made; 0 when it was refused before any. */
  readonly attempts: number;
  /** After a send: the key to try again with, so that nothing is sent twice. */
  readonly idempotencyKey: string | undefined;
  /** The server's name for the request; name it when you report a problem. */
  readonly requestId: string | undefined;

  constructor(message: string, facts: CallFacts = {}, options?: ErrorOptions) {
    super(plain(redact(message)), options);
    this.attempts = facts.attempts ?? 0;
    this.idempotencyKey = facts.idempotencyKey;
    this.requestId = facts.requestId;
  }

  /** The entries of a log. */
  toJSON(): Record<string, unknown> {
    const { stack: _stack, cause: _cause, ...fields } = this;
    return { ...fields, name: this.name, message: this.message };
  }
}

/** Something that was passed to the library is wrong; nothing was requested. */
export class ConfigurationError extends AcuseError {
  override readonly name: string = 'ConfigurationError';
}

/** The call was cancelled by its signal. `name` is AbortError, as it is for the platform's own. */
export class CancelledError extends AcuseError {
  override readonly name: string = 'AbortError';
}

/** How far an attempt had got. */
export type Phase = 'connect' | 'tls' | 'send' | 'receive';

/** Facts of a lost attempt. */
export interface ConnectionFacts extends CallFacts {
  readonly phase: Phase;
  readonly outcomeUnknown: boolean;
}

/** No answer: no connection, a failed handshake, or a connection that ended too early. */
export class ConnectionError extends AcuseError {
  override readonly name: string = 'ConnectionError';
  /** How far the last attempt had got. */
  readonly phase: Phase;
  /** The server may have done what was asked. For a send: try again with `idempotencyKey`. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, facts: ConnectionFacts, options?: ErrorOptions) {
    super(message, facts, options);
    this.phase = facts.phase;
    this.outcomeUnknown = facts.outcomeUnknown;
  }
}

/** No answer in time. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
}

/** An answer that is not what the contract says. */
export class ProtocolError extends AcuseError {
  override readonly name: string = 'ProtocolError';
  readonly status: number | undefined;
  /** The server may have done what was asked. */
  readonly outcomeUnknown: boolean;

  constructor(
    message: string,
    facts: CallFacts & { readonly status?: number; readonly outcomeUnknown?: boolean } = {},
    options?: ErrorOptions,
  ) {
    super(message, facts, options);
    this.status = facts.status;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
  }
}

/** Facts of a refusal. */
export interface Refusal extends CallFacts {
  readonly status: number;
  readonly code: ErrorCode;
  readonly fix?: string | undefined;
  readonly retryAfter?: number | undefined;
  /** Default: of a 5xx. */
  readonly outcomeUnknown?: boolean;
}

/** The server refused the request or failed. */
export class ApiError extends AcuseError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** For an answer that is not the API's, `http_` and its status: `http_502`. */
  readonly code: ErrorCode;
  /** Advice about it. */
  readonly fix: string | undefined;
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined;
  /** An attempt may have done what was asked. A send: try again with `idempotencyKey`. A read: false. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, refusal: Refusal, options?: ErrorOptions) {
    super(message, refusal, options);
    this.outcomeUnknown = refusal.outcomeUnknown ?? refusal.status >= 500;
    this.status = refusal.status;
    this.code = refusal.code;
    this.fix = refusal.fix;
    this.retryAfter = refusal.retryAfter;
  }
}

/** 400, 405, 408, 413, 415: the request is wrong. */
export class InvalidRequestError extends ApiError {
  override readonly name: string = 'InvalidRequestError';
}

/** 401: the API key is missing, unknown or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name: string = 'AuthenticationError';
}

/** 403: the key lacks a scope, or the account is suspended. */
export class PermissionError extends ApiError {
  override readonly name: string = 'PermissionError';
}

/** 404: there is no such thing in this account. */
export class NotFoundError extends ApiError {
  override readonly name: string = 'NotFoundError';
}

/** 409: what is there already forbids it. */
export class ConflictError extends ApiError {
  override readonly name: string = 'ConflictError';
}

/** 422: understood and refused, such as a suppressed recipient. */
export class RefusedError extends ApiError {
  override readonly name: string = 'RefusedError';
}

/** 429 `quota_exceeded`: a monthly quota is exhausted. */
export class QuotaExceededError extends ApiError {
  override readonly name: string = 'QuotaExceededError';
}

/** 429 `rate_limited`: too many requests. */
export class RateLimitedError extends ApiError {
  override readonly name: string = 'RateLimitedError';
}

/** 5xx: the service failed; the request may have been carried out. */
export class ServerError extends ApiError {
  override readonly name: string = 'ServerError';
}

/** 503: the service is overloaded or down. */
export class UnavailableError extends ServerError {
  override readonly name: string = 'UnavailableError';
}

/** A delivery that does not prove where it comes from. `reason` is one of `WebhookReason`. */
export class WebhookError extends AcuseError {
  override readonly name: string = 'WebhookError';
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, {}, options);
    this.reason = reason;
  }
}

/** Why a log is not what it should be. */
export type LogReason = 'went_back' | 'forked' | 'bad_signature';

/** The public log contradicts what it said before, or is not signed with the pinned key. */
export class LogError extends AcuseError {
  override readonly name: string = 'LogError';
  readonly reason: LogReason;

  constructor(reason: LogReason, message: string, options?: ErrorOptions) {
    super(message, {}, options);
    this.reason = reason;
  }
}

/** A bundle cannot be verified at all: the policy, the file or an option is not what it must be. */
export class VerifyError extends AcuseError {
  override readonly name: string = 'VerifyError';
}

/** By status, and by code where a status has two. */
export function apiError(message: string, refusal: Refusal): ApiError {
  return new (classOf(refusal))(message, refusal);
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  405: InvalidRequestError,
  408: InvalidRequestError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: RefusedError,
  429: RateLimitedError,
  503: UnavailableError,
};

function classOf({ status, code }: Refusal): typeof ApiError {
  if (status === 429 && code === 'quota_exceeded') return QuotaExceededError;
  return BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
}
