import { useMe } from '../../shared/app/me.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { canWords } from './can-words.ts';

/**
 * Null: allowed; otherwise why not, for a button's `unavailable`. Each names its scope; the server decides.
 */
export interface Can {
  /** `messages:send`: send, retry, cancel, seal, webhooks, templates, domains, senders, share links. */
  readonly send: string | null;
  /** `suppressions:write`. */
  readonly suppress: string | null;
  /** `api_keys:write`. */
  readonly manageKeys: string | null;
  /** The role owner: people, settings, audit log. */
  readonly manageAccount: string | null;
}

export function useCan(): Can {
  const { account } = useMe();
  const words = useWords(canWords);
  const withScope = (scope: string, reason: string) =>
    account?.scopes.includes(scope) === true ? null : reason;
  return {
    send: withScope('messages:send', words.needsDeveloper),
    suppress: withScope('suppressions:write', words.needsDeveloper),
    manageKeys: withScope('api_keys:write', words.needsOwner),
    manageAccount: account?.role === 'owner' ? null : words.needsOwner,
  };
}
