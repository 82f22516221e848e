import { useMe } from '../../shared/app/me.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { canWords } from './can-words.ts';

/** Null: allowed; otherwise why not, for a button's `unavailable`. The server decides. */
export interface Can {
  /** The role admin: everything else that changes something, and what messages say. */
  readonly administer: string | null;
}

export function useCan(): Can {
  const { session } = useMe();
  const words = useWords(canWords);
  return { administer: session.user.role === 'admin' ? null : words.needsAdmin };
}
