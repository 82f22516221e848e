import { HELD_UNTIL_BEFORE_EXPIRY_MS } from '../claim/claim-store.ts';
import type { Pause } from './pause-store.ts';
import type { QueuedFacts, SeenWindow } from './queue-store.ts';

/** Why a message is still here, in sentences: what holds it now comes first. Pure. */
export interface WaitingFacts {
  readonly message: QueuedFacts;
  readonly destinationPause: Pause | null;
  readonly tenantPause: Pause | null;
  readonly windows: readonly SeenWindow[];
  /** Due messages of the same account that come before it. */
  readonly dueBefore: number;
}

/** Due for longer than a process takes to look: then nobody looks. */
const UNSEEN_AFTER_MS = 10_000;

export function whyWaiting(facts: WaitingFacts, now: Date): string[] {
  const { message } = facts;
  if (message.status === 'scheduled' && message.send_at !== null) return [scheduled(message.send_at, now)];
  if (message.queue === null) return [ended(message)];
  return [
    ...otherMode(message, now),
    ...pauses(facts),
    ...place(facts, now),
    ...lastWords(message),
    expiry(facts, now),
  ];
}

function scheduled(sendAt: Date, now: Date): string {
  if (sendAt > now)
    return `It is scheduled: it is queued at ${sendAt.toISOString()}, in ${span(sendAt, now)}.`;
  const late = now.getTime() - sendAt.getTime() >= UNSEEN_AFTER_MS;
  const asked = late ? ' Is a process with the role delivery running on this database?' : '';
  return `It has been due on the schedule since ${sendAt.toISOString()}, for ${span(now, sendAt)}.${asked}`;
}

function ended({ status, since, last_reply: reply }: QueuedFacts): string {
  const words = reply === null ? '' : `: ${replyText(reply)}`;
  switch (status) {
    case 'sent':
      return `It was delivered at ${since.toISOString()}${words}.`;
    case 'bounced':
      return `It bounced at ${since.toISOString()}${words}.`;
    case 'cancelled':
      return `It was cancelled at ${since.toISOString()}${words}.`;
    case 'complained':
      return `It was delivered, and the recipient complained at ${since.toISOString()}.`;
    default:
      return `It is ${status} but not in the queue, which should never happen: run acuse fsck and report this.`;
  }
}

function otherMode({ queue, sandbox }: QueuedFacts, now: Date): string[] {
  const { due_at: dueAt, expires_at: expiresAt } = queue!;
  const isHeld = dueAt > now && expiresAt.getTime() - dueAt.getTime() === HELD_UNTIL_BEFORE_EXPIRY_MS;
  if (!isHeld) return [];
  return [
    sandbox
      ? 'It was accepted in the sandbox, so it goes only to the test mailbox: it is held until a process with ACUSE_DELIVERY=sandbox runs.'
      : 'It was accepted for real delivery, so the test mailbox never gets it: it is held while processes run with ACUSE_DELIVERY=sandbox.',
  ];
}

function pauses({ message, destinationPause, tenantPause }: WaitingFacts): string[] {
  const { destination } = message.queue!;
  return [
    ...pauseLine(`The account ${message.tenant_name}`, `--tenant ${message.tenant_id}`, tenantPause),
    ...pauseLine(`The destination ${destination}`, `--destination ${destination}`, destinationPause),
  ];
}

function pauseLine(what: string, option: string, pause: Pause | null): string[] {
  if (pause === null) return [];
  const { reason, paused_by: by, paused_at: at } = pause;
  return [
    `${what} was paused at ${at.toISOString()} by ${by}: ${reason}. To resume: acuse queue resume ${option}`,
  ];
}

function place(facts: WaitingFacts, now: Date): string[] {
  const { queue } = facts.message;
  const { due_at: dueAt, leased_until: leasedUntil, attempt } = queue!;
  if (dueAt > now && leasedUntil !== null)
    return [
      `A delivery process is handling it now (attempt ${attempt}). Its lease ends at ${leasedUntil.toISOString()} and is extended while the process works; if the process died, the message comes due then.`,
    ];
  if (facts.destinationPause !== null || facts.tenantPause !== null) return [];
  if (dueAt > now)
    return [
      `It waits for its next attempt at ${dueAt.toISOString()}, in ${span(dueAt, now)}.`,
      ...closed(facts),
    ];
  return [`It has been due since ${dueAt.toISOString()}, for ${span(now, dueAt)}.`, ...obstacles(facts, now)];
}

function obstacles(facts: WaitingFacts, now: Date): string[] {
  const found = [...closed(facts), ...full(facts), ...queueBefore(facts)];
  if (found.length > 0 || now.getTime() - facts.message.queue!.due_at.getTime() < UNSEEN_AFTER_MS)
    return found;
  return ['Nothing known blocks it. Is a process with the role delivery running on this database?'];
}

function closed({ message, windows }: WaitingFacts): string[] {
  return windows.flatMap(({ closed_until: until }) =>
    until === null
      ? []
      : [
          `${message.queue!.destination} was repeatedly busy or unreachable; paused until ${until.toISOString()}.`,
        ],
  );
}

function full({ message, windows }: WaitingFacts): string[] {
  const open = windows.filter((window) => window.closed_until === null);
  if (open.length === 0) return [];
  const sum = (of: (window: SeenWindow) => number) => open.reduce((total, window) => total + of(window), 0);
  return [
    `${message.queue!.destination} may have ${sum(({ places }) => places)} SMTP sessions at once; ${sum(({ in_use }) => in_use)} are in use and ${sum(({ waiting }) => waiting)} messages wait for one.`,
  ];
}

function queueBefore({ dueBefore }: WaitingFacts): string[] {
  return dueBefore === 0 ? [] : [`${dueBefore} messages of its account are due before it.`];
}

function lastWords({ attempts, last_reply: reply }: QueuedFacts): string[] {
  if (attempts === 0) return ['It has not been tried yet.'];
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  return [`Last reply after ${tries}: ${reply === null ? 'none' : replyText(reply)}.`];
}

function replyText({ code, text, mx }: NonNullable<QueuedFacts['last_reply']>): string {
  const said = [code === null ? [] : String(code), text].flat().join(' ');
  return mx === null ? said : `${said} (${mx})`;
}

function expiry({ message }: WaitingFacts, now: Date): string {
  const { expires_at: expiresAt } = message.queue!;
  if (expiresAt <= now)
    return `Expired at ${expiresAt.toISOString()}: it bounces as expired at its next turn.`;
  return `It expires at ${expiresAt.toISOString()}, in ${span(expiresAt, now)}; then it bounces as expired.`;
}

/** From `earlier` to `later`, in the two largest units. */
function span(later: Date, earlier: Date): string {
  const seconds = Math.max(0, Math.round((later.getTime() - earlier.getTime()) / 1_000));
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  if (from === -1) return 'less than a second';
  return parts
    .slice(from, from + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
