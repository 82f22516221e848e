// Libraries that are wrong in one thing: each of these stands between the suite and a right shim, and changes
// what is asked or what is answered as a defect of a library would. The scenario named must fail with it.
import { writeFileSync } from 'node:fs';

/** Asks with other options. */
const given =
  (change) =>
  (ask, { op, args, options }) =>
    ask(op, args, { ...options, ...change(options) });
/** Asks with other arguments, of one operation. */
const asking =
  (wanted, change) =>
  (ask, { op, args, options }) =>
    ask(op, op === wanted ? { ...args, ...change(args) } : args, options);
/** Changes the result of one operation. */
const told = (wanted, change) => async (ask, request) => {
  const answer = await ask(request.op, request.args, request.options);
  if (request.op !== wanted || answer.result === undefined) return answer;
  return { ...answer, result: { ...answer.result, ...change(answer.result, request) } };
};
/** Takes an error for a success. */
const swallows = (wanted, result) => async (ask, request) => {
  const answer = await ask(request.op, request.args, request.options);
  return request.op === wanted && answer.error !== undefined ? { result, attempts: [] } : answer;
};

const A = [
  [1, 'calls every send a replay', told('send', () => ({ replayed: true }))],
  [2, 'forgets the key that was given', asking('send', () => ({ idempotency_key: null }))],
  [3, 'takes a refused key for a success', swallows('send', { replayed: true })],
  [4, 'does not return its own key', told('send', () => ({ idempotency_key: null }))],
  [5, 'never calls a send a replay', told('send', () => ({ replayed: false }))],
  [
    6,
    'cuts keys at 64 characters',
    asking('send', ({ idempotency_key: key }) => ({ idempotency_key: key?.slice(0, 64) })),
  ],
  [
    7,
    'drops what a key must not have',
    asking('send', ({ idempotency_key: key }) => ({ idempotency_key: key?.replace(/[^!-~]/g, '') })),
  ],
  [
    8,
    'sends null for what is not set',
    asking('send', ({ message }) => ({ message: { reply_to: null, certified: null, ...message } })),
  ],
  [
    9,
    'loses characters beyond the first plane',
    asking('send_file', ({ message }) => ({
      message: { ...message, subject: message.subject.replace(/[\u{10000}-\u{10ffff}]/gu, '?') },
    })),
  ],
  [10, 'sends a composed message without its key', asking('send_raw', () => ({ idempotency_key: null }))],
];

const D = [
  ...[
    [37, 'believes any authority'],
    [38, 'believes a certificate for another name'],
    [39, 'believes an expired certificate'],
  ].map(([number, what]) => ({ number, what, isTrusting: true })),
  [40, 'ignores ca_file', given(() => ({ ca_file: null }))],
  [41, 'ignores the proxy', given(() => ({ proxy: null }))],
  [42, 'allows plain http everywhere', given(() => ({ allow_insecure: true }))],
];

/** A batch in pieces of so many items, whose results are put together again. */
const inPieces =
  (count) =>
  async (ask, { op, args, options }) => {
    if (op !== 'send_batch') return ask(op, args, options);
    const results = [];
    for (let at = 0; at < args.items.length; at += count) {
      const answer = await ask(op, { items: args.items.slice(at, at + count) }, options);
      if (answer.error !== undefined) return answer;
      results.push(...answer.result.results);
    }
    return { result: { results }, attempts: [] };
  };
/** Sends again what is in doubt, as if it were new. */
async function sendsAgain(ask, { op, args, options }) {
  if (op !== 'send_batch') return ask(op, args, options);
  await ask(op, args, { ...options, max_retries: 0 });
  return ask(op, args, options);
}
/** One request for a batch of any size. */
async function inOneRequest(ask, { op, args, options }) {
  if (op !== 'send_batch') return ask(op, args, options);
  const answer = await fetch(`${options.base_url}/v1/messages/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: args.items }),
  });
  const { results, error } = await answer.json();
  const failed = args.items.map(() => ({ status: 'failed', error, message: null }));
  return { result: { results: results ?? failed }, attempts: [] };
}
/** Takes items from whole lists. */
const eagerly = (op) => async (ask, request) => {
  if (request.op !== op) return ask(request.op, request.args, request.options);
  const { take = Number.POSITIVE_INFINITY, ...args } = request.args;
  const answer = await ask(op, args, request.options);
  return { ...answer, result: { items: answer.result.items.slice(0, take), more: false } };
};
async function asksOn(ask, request) {
  const answer = await ask(request.op, request.args, request.options);
  if (request.op !== 'wait_until_sealed' || answer.error === undefined) return answer;
  await ask(request.op, request.args, request.options);
  return ask(request.op, request.args, request.options);
}
async function leavesFile(ask, request) {
  const answer = await ask(request.op, request.args, request.options);
  if (answer.error !== undefined && request.args.path) writeFileSync(request.args.path, 'PK');
  return answer;
}

const E = [
  [
    43,
    'returns the results backwards',
    told('send_batch', ({ results }) => ({ results: results.reverse() })),
  ],
  [44, 'cuts a batch into requests of 50', inPieces(50)],
  [45, 'sends a batch again with new keys', sendsAgain],
  [46, 'throws for a lost part of a batch', told('send_batch', () => ({ results: [] }))],
  [47, 'sends a batch of any size in one request', inOneRequest],
  [
    48,
    'ignores the size of a page',
    asking('list', ({ params: { limit, ...params } }) => ({ params: { ...params, limit: 100 } })),
  ],
  [49, 'reads a whole list before it gives an item', eagerly('list')],
  [50, 'takes a list that goes round for its end', swallows('list', { items: [], more: false })],
  [51, 'holds a bundle in memory', told('download_bundle', ({ bytes }) => ({ peak_bytes: bytes }))],
  [52, 'leaves a bundle that was cut', leavesFile],
  [72, 'cuts a batch at 10 items', inPieces(10)],
  [53, 'waits for a plain message to be sealed', asksOn],
];

const F = [
  [54, 'compares no times', asking('verify_webhook', () => ({ tolerance: 1e9 }))],
  [54, 'accepts what has no time', asking('verify_webhook', () => ({ accept_unstamped: true }))],
  [
    54,
    'reads the first secret alone',
    asking('verify_webhook', ({ secrets }) => ({ secrets: secrets.slice(0, 1) })),
  ],
  [
    54,
    'parses what is not a delivery',
    swallows('verify_webhook', { type: 'email.sent', replay_protected: true }),
  ],
  [
    68,
    'reads the first signature alone',
    asking('verify_webhook', ({ headers }) => ({
      headers: { ...headers, 'webhook-signature': headers['webhook-signature']?.split(' ')[0] },
    })),
  ],
];

/** Calls every file a valid bundle. */
async function believes(ask, request) {
  const answer = await ask(request.op, request.args, request.options);
  return request.op === 'verify_bundle'
    ? {
        result: { reasons: [], warnings: [], ...answer.result, checks: [], valid: true, verdict: 'verified' },
      }
    : answer;
}

const G = [
  [55, 'calls everything valid', believes],
  [55, 'calls nothing valid', told('verify_bundle', () => ({ valid: false, verdict: 'incomplete' }))],
  [55, 'says nothing of what is odd', told('verify_bundle', () => ({ warnings: [] }))],
  [55, 'passes over the clock', asking('verify_bundle', () => ({ now: null }))],
  [
    55,
    'names another check than the one that failed',
    told('verify_bundle', ({ checks }) => ({ checks: checks.map((each) => ({ ...each, name: 'other' })) })),
  ],
  [56, 'compares nothing with a received message', told('verify_bundle', () => ({ copy: 'same' }))],
  [57, 'takes the bundle’s own policy', asking('verify_bundle', () => ({ policy: 'TRUST_BUNDLE' }))],
  [58, 'takes a bomb for a bundle', believes],
  [59, 'follows a log wherever it goes', swallows('log_follow', { tree_size: 1 })],
  [65, 'calls everything valid', believes],
];

async function goesOn(ask, { op, args, options }) {
  const answer = await ask(op, args, options);
  if (answer.error?.class === 'Cancelled') await ask(op, args, options);
  return answer;
}
/** Half of the sends by another client, so that there are twice as many connections. */
async function twice(ask, { op, args, options }) {
  if (op !== 'send_many') return ask(op, args, options);
  const half = { ...args, count: args.count / 2 };
  const answers = await Promise.all([
    ask(op, half, options),
    ask(op, { ...half, keys: 'half' }, { ...options, client: 'another' }),
  ]);
  return { result: { results: answers.flatMap(({ result }) => result.results) } };
}
async function sendsTwice(ask, { op, args, options }) {
  if (op !== 'send') return ask(op, args, options);
  await ask(op, { ...args, idempotency_key: `${args.idempotency_key}-again` }, options);
  return ask(op, args, options);
}

const H = [
  [
    60,
    'prints its key',
    told('print', ({ texts }, { options }) => ({ texts: [...texts, String(options.api_key)] })),
  ],
  [
    60,
    'prints bodies',
    told('print', ({ texts }, { args }) => ({ texts: [...texts, args.message?.text ?? ''] })),
  ],
  [
    61,
    'tells the hook of the last attempt alone',
    async (ask, { op, args, options }) => {
      const answer = await ask(op, args, options);
      return { ...answer, attempts: answer.attempts?.slice(-1) };
    },
  ],
  [61, 'leaves app_info out', given(() => ({ app_info: null }))],
  [62, 'tries a cancelled call again', goesOn],
  [63, 'opens a pool for each of two clients', twice],
  [64, 'sends again on a new connection with another key', sendsTwice],
  [66, 'has no retries', given(({ max_retries }) => (max_retries > 6 ? { max_retries: 0 } : {}))],
  [
    67,
    'makes a client for each call',
    (() => {
      let n = 0;
      return given(() => ({ client: String(n++) }));
    })(),
  ],
  [
    71,
    'shows what a proxy wrote',
    async (ask, { op, args, options }) => {
      const answer = await ask(op, args, options);
      return answer.error === undefined ? answer : { ...answer, error: { ...answer.error, text: '\u202e' } };
    },
  ],
  [
    70,
    'loses the key where nothing is known of a send',
    async (ask, { op, args, options }) => {
      const answer = await ask(op, args, options);
      return answer.error === undefined ? answer : { error: { ...answer.error, idempotency_key: null } };
    },
  ],
  [
    69,
    'refuses an answer without a status',
    async (ask, { op, args, options }) => {
      const answer = await ask(op, args, options);
      return op === 'send' && !answer.result?.message?.status
        ? { error: { class: 'ProtocolError' } }
        : answer;
    },
  ],
];

/** `{number, what, ask?, isTrusting?}` */
export const mutants = [A, D, E, F, G, H]
  .flat()
  .map((each) => (Array.isArray(each) ? { number: each[0], what: each[1], ask: each[2] } : each));

/** A shim that is wrong in the mutant's way. */
export function mutated(shim, { ask }) {
  if (ask === undefined) return shim;
  return { ...shim, ask: (op, args = {}, options = {}) => ask(shim.ask, { op, args, options }) };
}
