import type { SmtpReply } from '../reply/parse.ts';

/**
 * The step of the conversation that a reply or an error belongs to. `body` is message data, `dot` its end (or
 * BDAT LAST).
 */
export type SmtpStage =
  | 'connect'
  | 'tls'
  | 'banner'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'rset'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'quit';

/**
 * Why a session ended: a Node socket or TLS code (`ECONNREFUSED`, …) or one of ours, listed in SmtpFaultCode.
 */
export interface NetworkError {
  readonly code: SmtpFaultCode | (string & {});
  readonly message: string;
}

export type SmtpFaultCode =
  /** The step's time ran out. */
  | 'timeout'
  /** The peer closed in the middle of the conversation. */
  | 'connection_closed'
  /** The answer was not an SMTP reply, or a 2xx before the data had ended. */
  | 'bad_reply'
  /** A reply line, or a reply without end, over the limits of limits.ts. */
  | 'reply_too_long'
  /** A reply to no command: the session cannot be trusted to be in step. */
  | 'unsolicited_reply'
  /** Clear text after the answer to STARTTLS (CVE-2011-0411 and its kind). */
  | 'starttls_injection'
  | 'tls_failed'
  | 'tls_untrusted'
  | 'tls_not_offered'
  | 'auth_not_offered'
  | 'aborted';

/**
 * One line of the conversation; `t_ms` counts from the start of the attempt, secrets and message data are cut
 * out.
 */
export interface TranscriptLine {
  readonly t_ms: number;
  readonly who: 'C' | 'S';
  readonly line: string;
}

/**
 * Facts about the TLS layer; `authorized` is WebPKI with the host name, whether or not anybody asked for it.
 */
export interface TlsFacts {
  readonly version: string;
  readonly cipher: string;
  readonly peerCertificateSha256: string | null;
  readonly authorized: boolean;
  readonly error: string | null;
}

/** The peer: addresses as the kernel saw them, the greeting, the extensions after the last EHLO. */
export interface SessionFacts {
  readonly host: string;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string | null;
  readonly localPort: number | null;
  readonly tls: TlsFacts | null;
  readonly banner: string | null;
}

/** A refusal, with the reply and the step that drew it. */
export interface Refused {
  readonly kind: 'refused';
  readonly stage: SmtpStage;
  readonly reply: SmtpReply;
}

/**
 * No final answer: the outcome is unknown only if `mayHaveBeenAccepted`, which is from the last byte of the
 * data on.
 */
export interface ConnectionFailed {
  readonly kind: 'connection-failed';
  readonly stage: SmtpStage;
  readonly error: NetworkError;
  readonly mayHaveBeenAccepted: boolean;
}

/**
 * The server lacks what this message needs; nothing was sent. `enhancedStatus` 5.3.4 (SIZE) or 5.6.7
 * (SMTPUTF8).
 */
export interface Unsupported {
  readonly kind: 'unsupported';
  readonly extension: 'SIZE' | 'SMTPUTF8';
  readonly enhancedStatus: string;
  readonly detail: string;
}

export interface Accepted {
  readonly kind: 'accepted';
  readonly reply: SmtpReply;
}

/**
 * Each outcome of one message, with its own transcript: that of the first message on a session opens with the
 * greeting.
 */
export type SendResult = (Accepted | Refused | ConnectionFailed | Unsupported) & {
  readonly transcript: readonly TranscriptLine[];
  readonly facts: SessionFacts;
  /** Messages this session had carried before this one. */
  readonly earlierMessages: number;
};

/** Reads a monotonic time in ms. */
export interface MonotonicClock {
  now(): number;
}

/** The part of AbortSignal that a session uses, so that a lighter one may be given. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
