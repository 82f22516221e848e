import type { Reason } from './reasons.ts';

/**
 * Phrases that give a reason away. Matched against lower case, single spaces, addresses as `<addr>`, URLs as
 * their host. `explicit`: a statement of fact, where other phrases of the same reason are also what filters
 * answer.
 */
export interface TextRule {
  readonly reason: Reason;
  readonly explicit?: true;
  readonly phrases: readonly RegExp[];
}
