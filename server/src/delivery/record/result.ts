import type { SmtpStage, TlsFacts, TranscriptLine } from '@acuse/mail/smtp/types';
import type { TlsBy } from '../attempt/sessions.ts';
import type { ClaimedMessage } from '../claim/claimed-message.ts';
import type { Cancelled, Decision, Fact, Judgement } from './outcome.ts';

export interface SessionRecord {
  readonly mx: string;
  readonly address: string;
  readonly port: number;
  readonly local_address: string | null;
  readonly earlier_messages: number;
  readonly tls_policy: TlsBy;
  readonly tls: {
    readonly version: string;
    readonly cipher: string;
    readonly certificate_sha256: string | null;
    readonly authorized: boolean;
    readonly error: string | null;
  } | null;
  readonly reply: { readonly code: number; readonly enhanced: string | null; readonly text: string } | null;
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
  readonly mx: string | null;
  readonly tls: TlsFacts | null;
  readonly decision: Decision;
  /** For the report; empty if unread. */
  readonly header: Uint8Array;
}

/** Ended or kept waiting without an attempt. */
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

export interface Tried extends Attempted {
  readonly fact: Fact;
  readonly decision: Judgement;
}

/** Returned without counting an attempt: paused, capped, stopping, or a local fault. */
export interface Released {
  readonly kind: 'released';
  readonly item: ClaimedMessage;
  readonly dueAt: Date;
  /** The cap that it waits for. */
  readonly heldBy?: string;
}

export type ActResult = Attempted | Released;
