import type { Attempt, Event, Message } from '../../../../shared/api/portal-types.ts';
import type { Tone } from '../../../../shared/ui/status.tsx';

/** A thing that happened to a message, to be put in order. */
export type Entry =
  | { readonly kind: 'accepted' | 'scheduled' | 'queued' | 'erased'; readonly at: string }
  | { readonly kind: 'attempt'; readonly at: string; readonly attempt: Attempt }
  | { readonly kind: 'sealed'; readonly at: string; readonly certificateId: string | null }
  | { readonly kind: 'complained' | 'cancelled' | 'reported'; readonly at: string; readonly event: Event }
  | { readonly kind: Answer; readonly at: string };

/** The outcome of asking the recipient to acknowledge it. */
export type Answer = keyof typeof ANSWERS;

const ANSWERS = { acknowledged: 'sent', ackRefused: 'failed', unanswered: 'neutral' } as const;

const ANSWER_OF: Readonly<Record<string, Answer>> = {
  'acknowledgement.given': 'acknowledged',
  'acknowledgement.refused': 'ackRefused',
  'acknowledgement.expired': 'unanswered',
};

/** Oldest first. Attempts replace their events. */
export function entriesOf(
  message: Message,
  attempts: readonly Attempt[],
  events: readonly Event[],
): readonly Entry[] {
  const entries: Entry[] = [{ kind: 'accepted', at: message.created_at }];
  if (message.send_at !== null) entries.push({ kind: 'scheduled', at: message.created_at });
  if (message.send_at !== null && message.queued_at !== null)
    entries.push({ kind: 'queued', at: message.queued_at });
  for (const attempt of attempts) entries.push({ kind: 'attempt', at: attempt.started_at, attempt });
  for (const event of events) {
    const at = event.created_at;
    if (event.type === 'email.sealed')
      entries.push({ kind: 'sealed', at, certificateId: textOf(event.data['certificate_id']) });
    const answer = ANSWER_OF[event.type];
    if (answer !== undefined) entries.push({ kind: answer, at });
    if (event.type === 'email.complained') entries.push({ kind: 'complained', at, event });
    if (event.type === 'email.cancelled') entries.push({ kind: 'cancelled', at, event });
    if (event.type === 'email.bounced' && event.data['asynchronous'] === true)
      entries.push({ kind: 'reported', at, event });
  }
  if (message.content_deleted_at !== null) entries.push({ kind: 'erased', at: message.content_deleted_at });
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

export function toneOf(entry: Entry): Tone {
  switch (entry.kind) {
    case 'attempt':
      return OUTCOMES[entry.attempt.outcome];
    case 'sealed':
      return 'sealed';
    case 'complained':
    case 'reported':
      return 'failed';
    case 'acknowledged':
    case 'ackRefused':
    case 'unanswered':
      return ANSWERS[entry.kind];
    default:
      return 'neutral';
  }
}

const OUTCOMES: Readonly<Record<Attempt['outcome'], Tone>> = {
  sent: 'sent',
  deferred: 'waiting',
  bounced: 'failed',
  cancelled: 'neutral',
};

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
