import type { SmtpStage, TlsFacts, TranscriptLine } from '@acuse/mail/smtp/types';
import type { TlsBy } from '../attempt/sessions.ts';
import type { ClaimedMessage } from '../claim/claimed.ts';
import type { Cancelled, Decision, Fact, Judgement } from './outcome.ts';

/** What an attempt came to: what was observed, and outcome.ts's verdict on it. */

/** One host spoken to, or tried; stored and served in this form. */
export interface SessionRecord {
  readonly mx: string;
  readonly address: string;
  readonly port: number;
  readonly local_address: string | null;
  /** Messages that the same connection had carried before. */
  readonly earlier_messages: number;
  /** Whose word the use of TLS followed. */
  readonly tls_policy: TlsBy;
  readonly tls: {
    readonly version: string;
    readonly cipher: string;
    readonly certificate_sha256: string | null;
    readonly authorized: boolean;
    readonly error: string | null;
  } | null;
  readonly reply: { readonly code: number; readonly enhanced: string | null; readonly text: string } | null;
  /** The step that the reply or the error belongs to. */
  readonly stage: SmtpStage;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly transcript: readonly TranscriptLine[];
}

export interface Attempted {
  readonly kind: 'attempted';
  readonly item: ClaimedMessage;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly sessions: readonly SessionRecord[];
  readonly fact: Fact | Cancelled;
  /** The host that the fact came from; null where none was reached for. */
  readonly mx: string | null;
  readonly tls: TlsFacts | null;
  readonly decision: Decision;
  /** The message's header section, for its report; empty when it was not read. */
  readonly header: Uint8Array;
}

/** A message that ends, or waits on, without having been tried now. */
export function untried(
  item: ClaimedMessage,
  now: Date,
  ended: Pick<Attempted, 'fact' | 'decision'>,
): Attempted {
  return {
    kind: 'attempted',
    item,
    startedAt: now,
    finishedAt: now,
    sessions: [],
    mx: null,
    tls: null,
    header: new Uint8Array(0),
    ...ended,
  };
}

/** As a worker makes it: somebody was asked, or not even that was possible. */
export interface Tried extends Attempted {
  readonly fact: Fact;
  readonly decision: Judgement;
}

/**
 * Given back, no attempt counted: its destination is paused, we are stopping, or the fault is this machine's.
 */
export interface Released {
  readonly kind: 'released';
  readonly item: ClaimedMessage;
  readonly dueAt: Date;
}

export type ActResult = Attempted | Released;
