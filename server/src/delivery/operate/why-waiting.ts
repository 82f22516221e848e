import { HELD_UNTIL_BEFORE_EXPIRY_MS } from '../claim/claim-store.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../record/outcome-kinds.ts';
import { type Cap, type CapScope, EACH } from './cap-store.ts';
import type { Pause } from './pause-store.ts';
import type { QueuedFacts, QueuePlace, SeenWindow } from './queue-store.ts';

/** Explains why a message waits; the main reason first. Pure. */
export interface WaitingFacts {
  readonly message: QueuedFacts;
  readonly destinationPause: Pause | null;
  readonly tenantPause: Pause | null;
  readonly cap: Cap | null;
  readonly windows: readonly SeenWindow[];
  /** Due messages of the account before it. */
  readonly dueBefore: number;
}

export const WAITING_CODES = [
  'scheduled',
  'outcome_unknown',
  'held_for_mode',
  'account_paused',
  'destination_paused',
  'being_tried',
  'capped',
  'next_attempt',
  'due',
  'destination_closed',
  'destination_busy',
  'behind_others',
  'nothing_known',
  'not_tried',
  'last_reply',
  'expires',
  'expired',
] as const;

export interface WaitingReason {
  readonly code: (typeof WAITING_CODES)[number];
  readonly until: Date | null;
  readonly text: string;
}

/** The audience. Accounts see no commands, no operator's notes and nothing of others. */
export type Told = 'operator' | 'account';

/** Due for longer than this, no process scans (ms). */
const UNSEEN_AFTER_MS = 10_000;

/** For the operator, also about messages that no longer wait. */
export function whyWaiting(facts: WaitingFacts, now: Date): string[] {
  const { message } = facts;
  if (!isWaiting(message)) return [ended(message)];
  return waitingReasons(facts, now, 'operator').map(({ text }) => text);
}

export function waitingReasons(facts: WaitingFacts, now: Date, told: Told): WaitingReason[] {
  const { message } = facts;
  if (!isWaiting(message)) return [];
  if (message.status === 'scheduled' && message.send_at !== null)
    return [scheduled(message.send_at, now, told)];
  if (message.unknown_since !== null)
    return [reason('outcome_unknown', unknown(message, message.unknown_since, told))];
  return [
    ...otherMode(message, now, told),
    ...pauses(facts, told),
    ...place(facts, now, told),
    lastWords(message),
    expiry(facts, now),
  ];
}

function isWaiting({ status, send_at: sendAt, queue, unknown_since: unknown }: QueuedFacts): boolean {
  return (status === 'scheduled' && sendAt !== null) || queue !== null || unknown !== null;
}

function unknown({ message_id: id }: QueuedFacts, since: Date, told: Told): string {
  const why = `It has been held since ${since.toISOString()}, when the database was restored: it may have been sent before.`;
  return told === 'operator'
    ? `${why} acuse queue resolve ${id} decides about it.`
    : `${why} The operator decides what happens to it.`;
}

function reason(code: WaitingReason['code'], text: string, until: Date | null = null): WaitingReason {
  return { code, until, text };
}

function scheduled(sendAt: Date, now: Date, told: Told): WaitingReason {
  const at = sendAt.toISOString();
  if (sendAt > now)
    return reason('scheduled', `It is scheduled: it is queued at ${at}, in ${span(sendAt, now)}.`, sendAt);
  const late = now.getTime() - sendAt.getTime() >= UNSEEN_AFTER_MS;
  const text = `It has been due on the schedule since ${at}, for ${span(now, sendAt)}.`;
  return reason('scheduled', late ? `${text} ${WHO_DELIVERS[told]}` : text);
}

const WHO_DELIVERS = {
  operator: 'Is a process with the role delivery running on this database?',
  account: 'If this lasts for minutes, tell the operator.',
} as const;

function ended({ status, since, last_reply: reply }: QueuedFacts): string {
  const words = reply === null ? '' : `: ${replyText(reply)}`;
  if (status === 'complained')
    return `It was delivered, and the recipient complained at ${since.toISOString()}.`;
  const over = status in OUTCOME_KINDS ? OUTCOME_KINDS[status as OutcomeKind].over : null;
  if (over === null)
    return `It is ${status} but not in the queue, which should never happen: run acuse fsck and report this.`;
  return `${over} at ${since.toISOString()}${words}.`;
}

const OTHER_MODE = {
  operator: {
    sandbox:
      'It was accepted in the sandbox, so it goes only to the test mailbox: it is held until a process with ACUSE_DELIVERY=sandbox runs.',
    real: 'It was accepted for real delivery, so the test mailbox never gets it: it is held while processes run with ACUSE_DELIVERY=sandbox.',
  },
  account: {
    sandbox:
      'It was accepted in the sandbox, so it goes only to the test mailbox: it is held while this service delivers for real.',
    real: 'It was accepted for real delivery, so the test mailbox never gets it: it is held while this service is a sandbox.',
  },
} as const;

function otherMode({ queue, sandbox }: QueuedFacts, now: Date, told: Told): WaitingReason[] {
  const { due_at: dueAt, expires_at: expiresAt } = queue!;
  const isHeld = dueAt > now && expiresAt.getTime() - dueAt.getTime() === HELD_UNTIL_BEFORE_EXPIRY_MS;
  if (!isHeld) return [];
  return [reason('held_for_mode', OTHER_MODE[told][sandbox ? 'sandbox' : 'real'])];
}

function pauses({ message, destinationPause, tenantPause }: WaitingFacts, told: Told): WaitingReason[] {
  const { destination } = message.queue!;
  const account = {
    code: 'account_paused',
    what: told === 'operator' ? `The account ${message.tenant_name}` : 'All mail of this account',
    option: `--tenant ${message.tenant_id}`,
  } as const;
  const receiver = {
    code: 'destination_paused',
    what: told === 'operator' ? `The destination ${destination}` : `Mail to ${destination}`,
    option: `--destination ${destination}`,
  } as const;
  return [...pauseLine(account, tenantPause, told), ...pauseLine(receiver, destinationPause, told)];
}

function pauseLine(
  { code, what, option }: { code: WaitingReason['code']; what: string; option: string },
  pause: Pause | null,
  told: Told,
): WaitingReason[] {
  if (pause === null) return [];
  const { reason: why, paused_by: by, paused_at } = pause;
  const at = paused_at.toISOString();
  const text =
    told === 'operator'
      ? `${what} was paused at ${at} by ${by}: ${why}. To resume: acuse queue resume ${option}`
      : `${what} was paused by the operator at ${at} and continues when the operator resumes it.`;
  return [reason(code, text)];
}

function place(facts: WaitingFacts, now: Date, told: Told): WaitingReason[] {
  const queue = facts.message.queue!;
  const { due_at: dueAt, leased_until: leasedUntil } = queue;
  const at = dueAt.toISOString();
  if (dueAt > now && leasedUntil !== null) return [beingTried(queue, leasedUntil, told)];
  if (facts.destinationPause !== null || facts.tenantPause !== null) return [];
  if (dueAt > now && facts.cap !== null) return [capped(facts.message, facts.cap, now, told)];
  if (dueAt > now)
    return [
      reason('next_attempt', `It waits for its next attempt at ${at}, in ${span(dueAt, now)}.`, dueAt),
      ...closed(facts),
    ];
  return [
    reason('due', `It has been due since ${at}, for ${span(now, dueAt)}.`),
    ...obstacles(facts, now, told),
  ];
}

function capped(message: QueuedFacts, cap: Cap, now: Date, told: Told): WaitingReason {
  const { destination, due_at: dueAt } = message.queue!;
  const [at, left] = [dueAt.toISOString(), span(dueAt, now)];
  if (told === 'account') return reason('capped', cappedText(cap, destination, at, left), dueAt);
  const { reason: why, made_by: by, steps, cap_id: id, source } = cap;
  const since = cap.made_at.toISOString();
  const set = `Set at ${since} by ${by}: ${why}. To take it back: acuse queue uncap ${id}`;
  if (cap.warms_up)
    return reason(
      'capped',
      cap.receiver === null
        ? `The warm-up of ${source} has sent as many messages as it may today: it continues at ${at}, in ${left}. ${set}`
        : `The warm-up of ${source} has sent as many messages to ${destination} as it may today: it continues at ${at}, in ${left}. ${set}`,
      dueAt,
    );
  const of = scopeText(cap);
  const text =
    cap.period === 'hour'
      ? `A cap allows ${steps[0]} messages in an hour (${of}), and as many have gone: it continues at ${at}, in ${left}.`
      : `A cap allows ${steps[0]} messages in a day (${of}), and no more are sent for now: it continues at ${at}, in ${left}.`;
  return reason('capped', `${text} ${set}`, dueAt);
}

/** For accounts: says whether the limit is the receiver's, the account's own or a shared one. */
function cappedText(cap: Cap, destination: string, at: string, left: string): string {
  const hourly = cap.period === 'hour';
  if (cap.receiver !== null)
    return hourly
      ? `The operator limits how many messages go to ${destination} in an hour, and as many have gone: it continues at ${at}, in ${left}.`
      : `The operator limits how many messages go to ${destination} in a day, and no more are sent for now: it continues at ${at}, in ${left}.`;
  if (cap.tenant_id !== null)
    return hourly
      ? `The operator limits how many messages this account sends in an hour, and as many have gone: it continues at ${at}, in ${left}.`
      : `The operator limits how many messages this account sends in a day, and as many have gone: it continues at ${at}, in ${left}.`;
  return hourly
    ? `The operator limits how many messages leave by this route in an hour, and as many have gone: it continues at ${at}, in ${left}.`
    : `The operator limits how many messages leave by this route in a day, and no more are sent for now: it continues at ${at}, in ${left}.`;
}

/** The scope of a cap, for operators. */
export function scopeText({ tenant_id, source_pool, source, receiver }: CapScope): string {
  const parts = [
    tenant_id === null ? null : `account ${tenant_id}`,
    source_pool === null ? null : `pool ${source_pool}`,
    source === null ? null : `address ${source}`,
    receiver === null ? null : receiver === EACH ? 'each receiver' : `receiver ${receiver}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'all mail' : parts.join(', ');
}

function beingTried({ attempt }: QueuePlace, leasedUntil: Date, told: Told): WaitingReason {
  if (told === 'account')
    return reason('being_tried', `It is being handed over right now (attempt ${attempt}).`);
  return reason(
    'being_tried',
    `A delivery process is handling it now (attempt ${attempt}). Its lease ends at ${leasedUntil.toISOString()} and is extended while the process works; if the process died, the message comes due then.`,
    leasedUntil,
  );
}

function obstacles(facts: WaitingFacts, now: Date, told: Told): WaitingReason[] {
  const found = [...closed(facts), ...full(facts, told), ...queueBefore(facts)];
  if (found.length > 0 || now.getTime() - facts.message.queue!.due_at.getTime() < UNSEEN_AFTER_MS)
    return found;
  return [reason('nothing_known', `Nothing known blocks it. ${WHO_DELIVERS[told]}`)];
}

function closed({ message, windows }: WaitingFacts): WaitingReason[] {
  return windows.flatMap(({ closed_until: until }) =>
    until === null
      ? []
      : [
          reason(
            'destination_closed',
            `${message.queue!.destination} was repeatedly busy or unreachable; paused until ${until.toISOString()}.`,
            until,
          ),
        ],
  );
}

function full({ message, windows }: WaitingFacts, told: Told): WaitingReason[] {
  const open = windows.filter((window) => window.closed_until === null);
  if (open.length === 0) return [];
  const { destination } = message.queue!;
  const sum = (of: (window: SeenWindow) => number) => open.reduce((total, window) => total + of(window), 0);
  const text =
    told === 'operator'
      ? `${destination} may have ${sum(({ places }) => places)} SMTP sessions at once; ${sum(({ in_use }) => in_use)} are in use and ${sum(({ waiting }) => waiting)} messages wait for one.`
      : `All SMTP sessions that ${destination} may have at once are in use; it gets the next one that is free.`;
  return [reason('destination_busy', text)];
}

function queueBefore({ dueBefore }: WaitingFacts): WaitingReason[] {
  if (dueBefore === 0) return [];
  const before =
    dueBefore === 1 ? 'One message of its account is' : `${dueBefore} messages of its account are`;
  return [reason('behind_others', `${before} due before it.`)];
}

function lastWords({ attempts, last_reply: reply }: QueuedFacts): WaitingReason {
  if (attempts === 0) return reason('not_tried', 'It has not been tried yet.');
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  return reason('last_reply', `Last reply after ${tries}: ${reply === null ? 'none' : replyText(reply)}.`);
}

function replyText({ code, text, mx }: NonNullable<QueuedFacts['last_reply']>): string {
  const said = [code === null ? [] : String(code), text].flat().join(' ');
  return mx === null ? said : `${said} (${mx})`;
}

function expiry({ message }: WaitingFacts, now: Date): WaitingReason {
  const { expires_at: expiresAt } = message.queue!;
  const at = expiresAt.toISOString();
  if (expiresAt <= now) return reason('expired', `Expired at ${at}: it bounces as expired at its next turn.`);
  return reason(
    'expires',
    `It expires at ${at}, in ${span(expiresAt, now)}; then it bounces as expired.`,
    expiresAt,
  );
}

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
