import type { BounceReason, Message, Suppression } from '../../../../shared/api/portal-types.ts';

/** Why mail did not arrive at an address, as far as the account can know. Pure. */
export type Verdict =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'suppressed'; readonly entry: Suppression; readonly message: Message | null }
  | {
      readonly kind: 'waiting' | 'scheduled' | 'delivered' | 'complained' | 'cancelled';
      readonly message: Message;
    }
  | { readonly kind: 'bounced'; readonly message: Message; readonly cause: Cause };

/** Advice for the recipient. */
export type Cause = 'address' | 'full' | 'filter' | 'suppressed' | 'other';

const CAUSES: Readonly<Record<Exclude<Cause, 'other'>, readonly BounceReason[]>> = {
  address: [
    'mailbox_unknown',
    'mailbox_disabled',
    'mailbox_moved',
    'address_syntax',
    'domain_unknown',
    'domain_refuses_mail',
    'relay_denied',
  ],
  full: ['mailbox_full'],
  filter: [
    'mailbox_refused',
    'spam',
    'virus',
    'blocklisted',
    'reputation',
    'sender_refused',
    'not_compliant',
    'content_policy',
    'message_too_large',
    'policy',
  ],
  suppressed: ['suppressed'],
};

/** `messages`: to the address, newest first. */
export function judge(messages: readonly Message[], entry: Suppression | null): Verdict {
  const [newest = null] = messages;
  // No more mail is sent, whatever the last message says.
  if (entry !== null) return { kind: 'suppressed', entry, message: causeOf(messages, entry) };
  if (newest === null) return { kind: 'nothing' };
  switch (newest.status) {
    case 'queued':
    case 'deferred':
      return { kind: 'waiting', message: newest };
    case 'scheduled':
    case 'complained':
    case 'cancelled':
      return { kind: newest.status, message: newest };
    case 'bounced':
      return { kind: 'bounced', message: newest, cause: whatCan(newest) };
    default:
      return { kind: 'delivered', message: newest };
  }
}

function causeOf(messages: readonly Message[], entry: Suppression): Message | null {
  return messages.find(({ id }) => id === entry.message_id) ?? messages[0] ?? null;
}

function whatCan({ bounce }: Message): Cause {
  const reason = bounce?.reason ?? null;
  const found = Object.entries(CAUSES).find(([, reasons]) => reasons.some((each) => each === reason));
  return (found?.[0] as Cause | undefined) ?? 'other';
}

/** How the domain took the newest messages. */
export interface Health {
  readonly sent: number;
  readonly waiting: number;
  readonly bounced: number;
}

export function healthOf(messages: readonly Message[]): Health {
  const count = (...states: Message['status'][]) =>
    messages.filter(({ status }) => states.includes(status)).length;
  return {
    sent: count('sent', 'complained'),
    waiting: count('queued', 'deferred'),
    bounced: count('bounced'),
  };
}

/** Fewer messages tell nothing of a domain. */
const TELLING_MESSAGES = 10;

/** Where the cause is; null: these messages do not tell. */
export function conclusionOf(health: Health, { kind }: Verdict): 'mailbox' | 'domain' | null {
  const { sent, waiting, bounced } = health;
  if (kind !== 'bounced' && kind !== 'waiting') return null;
  if (sent + waiting + bounced < TELLING_MESSAGES) return null;
  if (sent > 9 * (waiting + bounced)) return 'mailbox';
  return waiting + bounced > sent ? 'domain' : null;
}
