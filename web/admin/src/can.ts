import { useMe } from '../../shared/app/me.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { canWords } from './can-words.ts';

/**
 * What an operator may do: null, or why not, for a button's `unavailable`. Everybody reads, retries, cancels,
 * pauses and resumes; the server decides.
 */
export interface Can {
  /** The role admin: everything else that changes something, and what messages say. */
  readonly administer: string | null;
}

export function useCan(): Can {
  const { session } = useMe();
  const words = useWords(canWords);
  return { administer: session.user.role === 'admin' ? null : words.needsAdmin };
}
