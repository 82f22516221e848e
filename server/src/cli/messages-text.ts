import { facts, type Lines, table } from './output.ts';

export interface ApiMessage {
  readonly id: string;
  readonly idempotency_key: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly certified: boolean;
  readonly status: string;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly sealed_at: string | null;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_reply: ApiReply | null;
  readonly copies?: readonly { readonly id: string; readonly recipient: string; readonly field: string }[];
}

interface ApiReply {
  readonly code: number | null;
  readonly enhanced: string | null;
  readonly text: string;
  readonly mx: string | null;
}

export interface ApiEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ApiAttempt {
  readonly attempt: number;
  readonly started_at: string;
  readonly outcome: string;
  readonly reply: ApiReply | null;
  readonly sessions: readonly {
    readonly mx: string;
    readonly address: string;
    readonly port: number;
    readonly tls: { readonly version: string } | null;
    readonly error: { readonly message: string } | null;
    readonly transcript: readonly { readonly t_ms: number; readonly who: 'C' | 'S'; readonly line: string }[];
  }[];
}

export function sentText(message: ApiMessage, replayed: boolean): Lines {
  return [
    facts([
      ['id', message.id],
      ['status', message.status],
      ...(message.copies ?? []).map(({ id, recipient, field }) => [field, `${recipient} is ${id}`] as const),
    ]),
    ...(replayed
      ? ['This key was used before: the message of that send is shown, and nothing was sent.']
      : []),
  ];
}

export function messageText(message: ApiMessage): Lines {
  return facts([
    ['id', message.id],
    ['from', message.from],
    ['to', message.to],
    ['subject', message.subject],
    ['status', message.status],
    ['reply', message.last_reply && replyText(message.last_reply)],
    ['attempts', message.attempts],
    ['next attempt', message.next_attempt_at],
    ['accepted', message.created_at],
    ['sent', message.sent_at],
    ['sealed', message.certified ? message.sealed_at : 'never: not certified'],
    ['idempotency key', message.idempotency_key],
  ]);
}

export function messagesText(messages: readonly ApiMessage[]): Lines {
  const rows = messages.map(({ id, status, created_at, sealed_at, certified, to, subject }) => [
    id,
    status,
    certified ? (sealed_at === null ? 'not yet' : 'sealed') : '-',
    created_at,
    to,
    subject,
  ]);
  return table(['ID', 'STATUS', 'SEALED', 'ACCEPTED', 'TO', 'SUBJECT'], rows, 'no messages');
}

/** Facts that every event repeats. */
const REPEATED = new Set(['from', 'to', 'subject', 'certified']);

export function eventsText(events: readonly ApiEvent[]): Lines {
  const rows = events.map(({ type, created_at, data }) => [
    created_at,
    type,
    Object.entries(data)
      .filter(([name]) => !REPEATED.has(name))
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' '),
  ]);
  return table(['AT', 'EVENT', 'DETAILS'], rows, 'no events');
}

export function attemptsText(attempts: readonly ApiAttempt[]): Lines {
  if (attempts.length === 0) return 'no attempts yet';
  return attempts.flatMap(({ attempt, started_at, outcome, reply, sessions }) => [
    `attempt ${attempt} at ${started_at}: ${outcome}${reply === null ? '' : `, ${replyText(reply)}`}`,
    ...sessions.flatMap(({ mx, address, port, tls, error, transcript }) => [
      `  ${mx} (${address} port ${port}), ${tls?.version ?? 'no TLS'}${error === null ? '' : `: ${error.message}`}`,
      ...transcript.map(({ t_ms, who, line }) => `  ${String(t_ms).padStart(8)} ms  ${who}: ${line}`),
    ]),
  ]);
}

function replyText({ code, enhanced, text, mx }: ApiReply): string {
  const words = [code, enhanced, text].filter((word) => word !== null && word !== '').join(' ');
  return mx === null ? words : `${words} (${mx})`;
}
