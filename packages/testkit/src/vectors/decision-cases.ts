import {
  type Attempt,
  budgetAfterSuccess,
  CONSTANTS,
  decide,
  delayMs,
  deletionEnded,
  httpDateMs,
  type Outcome,
  type RetryClass,
  retryAfterMs,
  retryCost,
} from './client-decisions.ts';

/** The cases of client-decisions.json, and what the reference says of each. */

const CLASSES: readonly RetryClass[] = ['safe', 'keyed', 'repeatable', 'once'];

const answer = (status: number, code: string | null = null): Outcome => ({ kind: 'answer', status, code });

const OUTCOMES: readonly Outcome[] = [
  ...(['no_connection', 'lost_answer', 'timeout', 'tls', 'malformed', 'cancelled'] as const).map((kind) => ({
    kind,
  })),
  answer(200),
  answer(201),
  answer(204),
  answer(301),
  answer(307),
  answer(400, 'invalid_body'),
  answer(401, 'unauthorized'),
  answer(403, 'insufficient_scope'),
  answer(404, 'not_found'),
  answer(408, 'request_timeout'),
  answer(408),
  answer(409, 'conflict'),
  answer(413, 'payload_too_large'),
  answer(415, 'unsupported_media_type'),
  answer(418, 'a_new_code'),
  answer(422, 'idempotency_key_reused'),
  answer(429, 'rate_limited'),
  answer(429, 'quota_exceeded'),
  answer(429, 'a_new_code'),
  answer(429),
  answer(500, 'internal_error'),
  answer(500),
  answer(501),
  answer(502),
  answer(503, 'unavailable'),
  answer(503),
  answer(504),
  answer(505),
  answer(507),
  answer(599),
];

/** Sunday, 22 November 2026, 10:00:00 UTC. */
const NOW = Date.UTC(2026, 10, 22, 10, 0, 0);

const ORDINARY: Attempt = {
  class: 'keyed',
  outcome: { kind: 'lost_answer' },
  attempt: 1,
  max_retries: CONSTANTS.max_retries,
  headers: {},
  u: 0.5,
  budget: CONSTANTS.budget_max,
  time_left: 180_000,
  now: NOW,
};

/** Multiples of 1/1024, so that every step of the delay is exact in binary floating point. */
const US = [0, 1 / 1_024, 0.25, 0.5, 0.75, 1_023 / 1_024];

const RETRY_AFTERS: readonly string[] = [
  ...['0', '1', '2', '3', '9', '10', '30', '59', '60', '61', '3600', '999999999', '1000000000'],
  ...['00000000000000000005', '99999999999999999999', ' 2 ', '\t2', '', ' ', '+2', '-2', '2.5', '2s', '2, 3'],
  ...['1e1', '0x10', '２', 'soon', 'Infinity', 'NaN', 'null'],
  ...['Sun, 22 Nov 2026 10:00:02 GMT', 'Sun, 22 Nov 2026 10:00:59 GMT', 'Sun, 22 Nov 2026 10:01:00 GMT'],
  ...['Sun, 22 Nov 2026 10:01:01 GMT', 'Sun, 22 Nov 2026 09:59:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ...['Mon, 22 Nov 2026 10:00:05 GMT', 'sun, 22 Nov 2026 10:00:05 GMT', 'Sun, 22 nov 2026 10:00:05 GMT'],
  ...['Sun, 22 Nov 2026 10:00:05 UTC', 'Sun, 22 Nov 2026 10:00:05 +0000', 'Sun, 22 Nov 2026 10:00:05'],
  ...['Sun, 2 Nov 2026 10:00:05 GMT', 'Sun, 31 Nov 2026 10:00:05 GMT', 'Sun, 00 Nov 2026 10:00:05 GMT'],
  ...['Sun, 29 Feb 2026 10:00:05 GMT', 'Sun, 22 Nov 2026 24:00:00 GMT', 'Sun, 22 Nov 2026 10:60:00 GMT'],
  ...['Sun, 22 Nov 2026 10:00:60 GMT', 'Sunday, 22-Nov-26 10:00:05 GMT', 'Sun Nov 22 10:00:05 2026'],
  ...['2026-11-22T10:00:05Z', 'Sun, 22 Nov 2026 10:00:05 GMT, 5', 'Sun,22 Nov 2026 10:00:05 GMT'],
  ...['Sat, 29 Feb 2028 10:00:05 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'Wed, 31 Dec 1969 23:59:59 GMT'],
];

/** client-decisions.json. */
export function decisionVectors(): object {
  return {
    constants: CONSTANTS,
    decisions: decisionInputs().map(([name, input]) => ({ name, in: input, out: decide(input) })),
    retry_after: retryAfterCases(),
    delays: [1, 2, 3, 4, 5, 6, 12].flatMap((retry) =>
      US.map((u) => ({ retry, u, delay: delayMs(retry, u, null) })),
    ),
    budgets: BUDGETS.map(([name, start, events]) => ({ name, start, ...runBudget(start, events) })),
    deletions: DELETIONS.map(([name, outcomes]) => ({ name, outcomes, ended: deletionEnded(outcomes) })),
  };
}

const told = (outcome: Outcome) =>
  outcome.kind === 'answer' ? `${outcome.status} ${outcome.code ?? 'without a code'}` : outcome.kind;

function decisionInputs(): [string, Attempt][] {
  const by = (name: string, change: Partial<Attempt>): [string, Attempt] => [
    name,
    { ...ORDINARY, ...change },
  ];
  const limited = answer(429, 'rate_limited');
  return [
    ...CLASSES.flatMap((each) =>
      OUTCOMES.map((outcome) => by(`${each}: ${told(outcome)}`, { class: each, outcome })),
    ),
    ...[1, 2, 3, 4, 5].flatMap((attempt) =>
      [0, 1, 3, 10].map((max_retries) =>
        by(`after attempt ${attempt} of ${max_retries + 1}`, { attempt, max_retries }),
      ),
    ),
    ...[1, 2, 3, 4, 5, 6].flatMap((attempt) =>
      US.map((u) => by(`attempt ${attempt}, u ${u}`, { attempt, u, max_retries: 10 })),
    ),
    ...RETRY_AFTERS.map((value) =>
      by(`429 with Retry-After ${JSON.stringify(value)}`, {
        outcome: limited,
        headers: { 'Retry-After': value },
      }),
    ),
    ...['0', '1', '10', '60'].flatMap((value) =>
      US.map((u) =>
        by(`503 with Retry-After ${value}, u ${u}`, {
          outcome: answer(503, 'unavailable'),
          headers: { 'retry-after': value },
          u,
        }),
      ),
    ),
    ...headerCases(by),
    ...deadlineCases(by),
    ...[0, 4, 5, 6, 9, 10, 11, 500].flatMap((budget) =>
      (['lost_answer', 'timeout'] as const).map((kind) =>
        by(`${kind} with ${budget} tokens`, { outcome: { kind }, budget }),
      ),
    ),
    by('everything forbids it: the outcome is named first', {
      outcome: answer(422, 'recipient_suppressed'),
      attempt: 4,
      headers: { 'retry-after': '3600' },
      budget: 0,
      time_left: 0,
    }),
    by('attempts before Retry-After', { outcome: limited, attempt: 4, headers: { 'retry-after': '3600' } }),
    by('Retry-After before the deadline', {
      outcome: limited,
      headers: { 'retry-after': '61' },
      time_left: 0,
    }),
    by('the deadline before the budget', { budget: 0, time_left: 0 }),
  ];
}

type By = (name: string, change: Partial<Attempt>) => [string, Attempt];

function headerCases(by: By): [string, Attempt][] {
  const later = 'Sun, 22 Nov 2026 10:00:10 GMT';
  const limited = answer(429, 'rate_limited');
  return [
    ...['retry-after', 'Retry-After', 'RETRY-AFTER', 'rEtRy-AfTeR'].map((name) =>
      by(`the header as ${name}`, { outcome: limited, headers: { 'X-Other': '9', [name]: '3' } }),
    ),
    by('a moment, by the Date of the answer', {
      outcome: limited,
      headers: { 'Retry-After': later, Date: 'Sun, 22 Nov 2026 10:00:06 GMT' },
    }),
    by('a moment, by the client where Date cannot be read', {
      outcome: limited,
      headers: { 'Retry-After': later, Date: 'today' },
    }),
    by('a moment, and a clock of the client that is an hour ahead', {
      outcome: limited,
      headers: { 'Retry-After': later, date: 'Sun, 22 Nov 2026 10:00:00 GMT' },
      now: NOW + 3_600_000,
    }),
    by('a moment, and milliseconds of the client', {
      outcome: limited,
      headers: { 'Retry-After': later },
      now: NOW + 250,
    }),
    by('quota_exceeded tells Retry-After, and is not retried', {
      outcome: answer(429, 'quota_exceeded'),
      headers: { 'retry-after': '3' },
    }),
    by('400 tells Retry-After, and is not retried', {
      outcome: answer(400, 'invalid_body'),
      headers: { 'retry-after': '3' },
    }),
    by('no answer, so no header', { outcome: { kind: 'lost_answer' }, headers: { 'retry-after': '3600' } }),
  ];
}

function deadlineCases(by: By): [string, Attempt][] {
  const asked = { outcome: answer(503, 'unavailable'), headers: { 'retry-after': '10' } };
  return [
    ...[0, 1, 374, 375, 376, 1_000].map((time_left) => by(`${time_left} ms left`, { time_left })),
    by('past the deadline', { time_left: -1 }),
    ...[9_999, 10_000, 10_500, 10_501].map((time_left) =>
      by(`Retry-After 10, ${time_left} ms left`, { ...asked, time_left }),
    ),
  ];
}

function retryAfterCases(): object[] {
  return RETRY_AFTERS.map((value) => ({
    value,
    now: NOW,
    ms: retryAfterMs({ 'retry-after': value }, NOW),
    moment: httpDateMs(value.trim()),
  }));
}

/** `ok`: success at the first attempt; `lost`, `timeout`: an attempt after which a retry is wanted. */
type BudgetEvent = 'ok' | 'lost' | 'timeout' | 'ok after retry';

const times = (count: number, ...events: BudgetEvent[]): BudgetEvent[] =>
  Array.from({ length: count }, () => events).flat();

const BUDGETS: readonly (readonly [string, number, readonly BudgetEvent[]])[] = [
  ['a success at the first attempt adds 1', 490, times(3, 'ok')],
  ['never more than 500', 499, times(3, 'ok')],
  ['a retry costs 5, and its success returns them', 500, ['lost', 'ok after retry']],
  ['a retry after a timeout costs 10, and its success returns them', 500, ['timeout', 'ok after retry']],
  ['all retries of a call are returned', 400, ['timeout', 'lost', 'ok after retry', 'ok']],
  ['all retries are returned, whatever each has cost', 400, ['lost', 'timeout', 'lost', 'ok after retry']],
  ['and those of its own call alone', 400, ['lost', 'ok after retry', 'lost', 'ok after retry', 'ok']],
  ['an outage empties it', 20, ['lost', 'lost', 'timeout', 'lost', 'lost']],
  ['a timeout needs 10', 9, ['timeout', 'lost', 'lost']],
  ['a hundred retries empty a full one', 500, times(101, 'lost')],
];

/** Tokens after each event, and whether the wanted retries were paid. */
function runBudget(start: number, events: readonly BudgetEvent[]): object {
  let budget = start;
  let spent = 0;
  const after: { event: BudgetEvent; paid: boolean | null; budget: number }[] = [];
  for (const event of events) {
    let paid: boolean | null = null;
    if (event === 'ok' || event === 'ok after retry') {
      budget = budgetAfterSuccess(budget, event === 'ok' ? 0 : spent);
      spent = 0;
    } else {
      const cost = retryCost({ kind: event === 'timeout' ? 'timeout' : 'lost_answer' });
      paid = budget >= cost;
      if (paid) budget -= cost;
      if (paid) spent += cost;
    }
    after.push({ event, paid, budget });
  }
  return { events: after };
}

const GONE = answer(404, 'not_found');
const DELETIONS: readonly (readonly [string, readonly Outcome[]])[] = [
  ['at once', [answer(204)]],
  ['it was not there', [GONE]],
  ['the answer was lost', [{ kind: 'lost_answer' }, GONE]],
  ['a timeout', [{ kind: 'timeout' }, GONE]],
  ['a fault of the server', [answer(503, 'unavailable'), GONE]],
  ['nothing had been sent', [{ kind: 'no_connection' }, GONE]],
  ['refused for its rate', [answer(429, 'rate_limited'), GONE]],
  ['lost, then no connection', [{ kind: 'lost_answer' }, { kind: 'no_connection' }, GONE]],
  ['lost, then deleted', [{ kind: 'lost_answer' }, answer(204)]],
  ['lost for good', [{ kind: 'lost_answer' }, { kind: 'lost_answer' }]],
  ['lost, then refused', [{ kind: 'lost_answer' }, answer(403, 'insufficient_scope')]],
];
