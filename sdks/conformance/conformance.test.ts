import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy } from './proxy/proxy.mjs';
import { mutants } from './run/mutants.mjs';
import { runScenario } from './run/suite.mjs';
import { answers } from './scenarios/c-answers.mjs';
import { scenarios } from './scenarios/index.mjs';

/**
 * The suite itself: every scenario can fail. The shim here is right, and wrong in one thing when asked to be.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: requests and answers of the protocol are JSON
type Json = any;

const ROUTE = '/v1/messages';
const CLASSES: Record<number, string> = {
  429: 'RateLimitedError',
  500: 'ServerError',
  503: 'UnavailableError',
};

/** One thing that a shim does wrong. */
type Mutant = Partial<{
  key: 'new each time';
  retries: 'never' | 'for ever';
  redirects: true;
  waits: 'too short';
}>;

/** A client that is small and right, but for `mutant`. */
function shimOf(mutant: Mutant): Json {
  return {
    info: { level: 1 },
    written: () => '',
    async ask(op: string, args: Json, options: Json) {
      if (op !== 'send') return { error: { class: 'ShimError', text: `no op ${op}` } };
      const made = args.idempotency_key ?? `auto_${crypto.randomUUID()}`;
      const attempts: Json[] = [];
      const sleeps: number[] = [];
      const most = mutant.retries === 'never' ? 1 : mutant.retries === 'for ever' ? 9 : 4;
      for (let attempt = 1; ; attempt++) {
        const key = mutant.key === undefined ? made : `auto_${crypto.randomUUID()}`;
        const outcome = await tryOnce(options, args.message, key, attempt, mutant);
        attempts.push({ attempt, error: outcome.error?.class ?? null });
        if (outcome.error === undefined) {
          const { message, replayed } = outcome;
          const result = { message, replayed, idempotency_key: made, attempts: attempt, request_id: 'r' };
          return { result, attempts, sleeps };
        }
        const isFinal = outcome.after > 60 || outcome.error.code === 'quota_exceeded' || !outcome.again;
        if (isFinal || attempt === most)
          return { error: { ...outcome.error, attempts: attempt, idempotency_key: made }, attempts, sleeps };
        const delay = mutant.waits === undefined ? outcome.after * 1_000 : 0;
        sleeps.push(Math.max(250 * 2 ** (attempt - 1), delay));
      }
    },
  };
}

async function tryOnce(
  options: Json,
  message: Json,
  key: string,
  attempt: number,
  mutant: Mutant,
): Promise<Json> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${options.api_key}`,
    'idempotency-key': key,
    'acuse-attempt': String(attempt),
  };
  const redirect = mutant.redirects ? 'follow' : 'manual';
  const body = JSON.stringify(message);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(options.base_url + ROUTE, { method: 'POST', headers, body, redirect });
    text = await answer.text();
  } catch {
    return { again: true, after: 0, error: { class: 'ConnectionError', outcome_unknown: true } };
  }
  const after = Number(answer.headers.get('retry-after') ?? 0);
  const { status } = answer;
  if (status >= 300) {
    const code = text.startsWith('{') ? JSON.parse(text).error.code : null;
    const name = code === 'quota_exceeded' ? 'QuotaExceededError' : (CLASSES[status] ?? 'ApiError');
    const error = { class: name, status, code, ...(after > 60 ? { retry_after: after } : {}) };
    return { again: status === 429 || status >= 500, after, error };
  }
  const replayed = answer.headers.get('idempotent-replayed') === 'true';
  return { message: JSON.parse(text), replayed };
}

/** A server in memory: a message for each key. */
const accepted = new Map<string, Json>();
let server: Json;
beforeAll(async () => {
  const keep = ({ headers, body }: Json) => {
    const key = headers['idempotency-key'];
    const isReplay = accepted.has(key);
    if (!isReplay) accepted.set(key, { ...JSON.parse(body), id: crypto.randomUUID() });
    return {
      answer: {
        status: isReplay ? 200 : 201,
        headers: { 'content-type': 'application/json', 'idempotent-replayed': String(isReplay) },
        body: JSON.stringify(accepted.get(key)),
      },
    };
  };
  server = await startProxy({ server: '', script: () => ({ late: keep }) });
});
afterAll(() => server.close());

async function run(number: number, mutant: Mutant) {
  const scenario = scenarios.find((each) => each.number === number)!;
  const of = (to: string) => [...accepted.values()].filter((each) => each.to === to);
  const shared = {
    root,
    folder: join(root, '.types'),
    server: { url: server.url, key: 'acuse_1_2', messages: of, mails: of },
    shim: shimOf(mutant),
  };
  return (await runScenario(scenario, shared)).status;
}

test('there are the 64 scenarios of the design, once each', () => {
  const numbers = scenarios.map(({ number }) => number);
  expect(numbers.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(answers.length).toBe(14);
});

test('each other scenario has a library that it must catch', () => {
  const caught = new Set(mutants.map(({ number }) => number));
  const others = scenarios.filter(({ letter }) => letter !== 'B' && letter !== 'C');
  expect(others.filter(({ number }) => !caught.has(number))).toEqual([]);
});

describe.each<[number, string, Mutant]>([
  [11, 'makes a key for each attempt', { key: 'new each time' }],
  [11, 'never tries again', { retries: 'never' }],
  [15, 'makes a key for each attempt', { key: 'new each time' }],
  [16, 'never tries again', { retries: 'never' }],
  [19, 'tries for ever', { retries: 'for ever' }],
  [23, 'never tries again', { retries: 'never' }],
  [24, 'does not wait', { waits: 'too short' }],
  [25, 'does not wait', { waits: 'too short' }],
  [32, 'never tries again', { retries: 'never' }],
  [34, 'follows a redirect', { redirects: true }],
])('scenario %i, with a library that %s', (number, _what, mutant) => {
  test('fails, and passes with a right one', async () => {
    expect(await run(number, {})).toBe('passed');
    expect(await run(number, mutant)).toBe('failed');
  });
});
