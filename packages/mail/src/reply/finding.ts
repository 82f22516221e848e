import type { Reason } from './reasons.ts';

/** A reason and what it rests on: the code that the standards define, or words. */
export interface Finding {
  readonly reason: Reason;
  readonly basis: 'status' | 'reply-code' | 'text' | 'step' | 'nothing';
  /** The status that is the basis: the reply's, or one in its text. */
  readonly status?: string;
  /** A status that is not vague, or words that state a fact. */
  readonly definite?: true;
}
