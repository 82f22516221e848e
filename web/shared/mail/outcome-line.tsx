import { replyLine } from '@acuse/evidence/reply-line';
import type { Message } from '../api/portal-types.ts';
import { Foreign } from '../ui/foreign.tsx';
import { useWords } from '../words/use-words.ts';
import { mailWords } from './words.ts';

export type Outcome = Pick<
  Message,
  'status' | 'last_reply' | 'bounce' | 'reported_by_mail' | 'acknowledgement'
>;

interface OutcomeLineProps {
  readonly message: Outcome;
  /** Also by whose answer, and the answer of the server that took it. */
  readonly whole?: boolean;
  readonly className?: string | undefined;
}

/**
 * What stands beside the status of a message: the answer that decided it, or, where an answer did not decide
 * it, what did. A server's 250 never stands beside a state that came after it.
 */
export function OutcomeLine({ message, whole = false, className }: OutcomeLineProps) {
  const words = useWords(mailWords).outcomes;
  const { said, reply } = outcomeOf(message, whole);
  const mx = whole ? (message.last_reply?.mx ?? null) : null;
  if (said === null && reply === null) return null;
  return (
    <div className={className}>
      {said !== null && words[said]}
      {said !== null && reply !== null && ': '}
      {reply !== null && (
        <span lang="en">
          <Foreign text={reply} />
          {mx !== null && <Foreign text={` (${mx})`} />}
        </span>
      )}
    </div>
  );
}

type Said = keyof (typeof mailWords)['en']['outcomes'];

interface Found {
  readonly said: Said | null;
  readonly reply: string | null;
}

/** Pure. */
export function outcomeOf(message: Outcome, whole = false): Found {
  const { status, last_reply: last, acknowledgement: asked } = message;
  const taken = last !== null && isAcceptance(last.code) ? replyLine(last) : null;
  const reply = last === null || taken !== null ? null : replyLine(last);
  switch (status) {
    case 'complained':
      return { said: 'complained', reply: null };
    case 'bounced':
      return bounceOf(message, reply);
    case 'cancelled':
      return { said: reply === null ? null : 'lastReply', reply };
    case 'sent':
      return { said: asked?.status ?? null, reply: whole ? taken : null };
    default:
      return { said: null, reply };
  }
}

function bounceOf({ bounce, reported_by_mail: reported }: Outcome, reply: string | null): Found {
  if (reported !== undefined) return { said: 'returned', reply };
  if (bounce?.type === 'suppressed') return { said: 'suppressed', reply: null };
  return { said: bounce?.type === 'expired' ? 'expired' : null, reply };
}

/** RFC 5321 §4.2.1: 2yz, the command was done. */
function isAcceptance(code: number | null): boolean {
  return code !== null && code >= 200 && code < 300;
}
