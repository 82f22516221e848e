import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempts, has, json, refusal } from '../run/scenario.mjs';

/** The answers of a script, one a request; then the server's own. */
const inTurn =
  (...answers) =>
  () =>
    answers.shift();

const PARALLEL = 200;
const PARALLEL_REQUESTS_MAX = 300;
const BUDGET_THREADS = 100;

const BY_STATUS = {
  400: 'InvalidRequestError',
  401: 'AuthenticationError',
  403: 'PermissionError',
  404: 'NotFoundError',
  405: 'InvalidRequestError',
  408: 'InvalidRequestError',
  409: 'ConflictError',
  413: 'InvalidRequestError',
  415: 'InvalidRequestError',
  422: 'RefusedError',
  429: 'RateLimitedError',
  500: 'ServerError',
  503: 'UnavailableError',
};
const BY_CODE = { quota_exceeded: 'QuotaExceededError' };

/** Codes of docs/errors.md: `{status, code, fix}`, the fix without its Markdown. */
function documented(root) {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  return [...text.matchAll(/^\| (\d{3}) \| `(\w+)` \| .* \| (.*) \|$/gm)].map(([, status, code, fix]) => ({
    status: Number(status),
    code,
    fix,
  }));
}

/** A send that is made again and waits at least so long before it. */
async function waits(t, answer, leastMs, options = {}) {
  const proxy = await t.proxy(inTurn(answer));
  const sent = await t.ok('send', { message: t.message() }, t.options(proxy.url, options));
  attempts(sent, 2);
  assert.equal(sent.sleeps.length, 1, 'sleeps');
  assert.ok(sent.sleeps[0] >= leastMs && sent.sleeps[0] <= leastMs * 1.1 + 1, `slept ${sent.sleeps[0]} ms`);
  await t.mails(1);
}

/** An error for each code, by a route that is asked once. */
async function refused(t, { status, code }, expected, headers = {}) {
  const proxy = await t.proxy(() => refusal(status, code, headers));
  const options = t.options(proxy.url, { max_retries: 0 });
  const answer = await t.fails('send', { message: t.message(), idempotency_key: 'k' }, options, {
    status,
    code,
    message: `Told of ${code}.`,
    request_id: 'req-1',
    ...expected,
  });
  assert.equal(proxy.seen.requests.length, 1);
  return answer;
}

/** A library's reading of an answer, and how often it asked. */
async function single(t, answer, expected) {
  const proxy = await t.proxy(() => answer);
  const failed = await t.fails('send', { message: t.message() }, t.options(proxy.url), expected);
  assert.equal(proxy.seen.requests.length, 1, 'requests');
  return failed;
}

/** Answers that mean waiting, giving up or nothing at all. */
export const answers = [
  {
    number: 23,
    title: '500, 500, 201: three attempts',
    async run(t) {
      const proxy = await t.proxy(inTurn(refusal(500, 'internal_error'), refusal(500, 'internal_error')));
      const answer = await t.ok('send', { message: t.message() }, t.options(proxy.url));
      has(answer.result, { attempts: 3, replayed: false });
      attempts(answer, 3);
      assert.deepEqual(answer.sleeps.map(Math.round), [250, 500]);
      assert.deepEqual(
        proxy.seen.requests.map(({ headers }) => headers['acuse-attempt']),
        ['1', '2', '3'],
      );
      await t.mails(1);
    },
  },
  {
    number: 24,
    title: '503 with Retry-After: 2',
    run: (t) => waits(t, refusal(503, 'unavailable', { 'retry-after': '2' }), 2_000),
  },
  {
    number: 25,
    title: '429 with Retry-After: 1',
    run: (t) => waits(t, refusal(429, 'rate_limited', { 'retry-after': '1' }), 1_000),
  },
  {
    number: 26,
    title: 'Retry-After as a date',
    run(t) {
      const now = Date.parse('2026-11-22T10:00:00Z');
      const headers = { 'retry-after': 'Sun, 22 Nov 2026 10:00:03 GMT' };
      return waits(t, refusal(503, 'unavailable', headers), 3_000, { now_ms: now });
    },
  },
  {
    number: 27,
    title: 'Retry-After: 3600: no retry, told in the error',
    run: (t) =>
      single(t, refusal(503, 'unavailable', { 'retry-after': '3600' }), {
        class: 'UnavailableError',
        retry_after: 3_600,
      }),
  },
  {
    number: 28,
    title: 'quota_exceeded: one request',
    run: (t) => single(t, refusal(429, 'quota_exceeded'), { class: 'QuotaExceededError', status: 429 }),
  },
  {
    number: 29,
    title: 'Every documented code: class, code and fix',
    async run(t) {
      const codes = documented(t.root);
      assert.ok(codes.length >= 28, 'codes in docs/errors.md');
      for (const each of codes) {
        const { error } = await refused(t, each, { class: BY_CODE[each.code] ?? BY_STATUS[each.status] });
        assert.ok(error.fix, `fix of ${each.code}`);
        // A link to another page is told as the page.
        const plain = (text) =>
          text
            .replace(/\[[^\]]*\]\(([^)]*)\)/g, 'docs/$1')
            .replace(/[`\s]+/g, ' ')
            .trim();
        assert.equal(plain(error.fix), plain(each.fix), `fix of ${each.code}`);
      }
    },
  },
  {
    number: 30,
    title: 'An unknown code: by its status',
    async run(t) {
      for (const [status, name] of Object.entries(BY_STATUS))
        await refused(t, { status: Number(status), code: 'added_later' }, { class: name });
    },
  },
  {
    number: 31,
    title: '500 in HTML: an error without the HTML',
    async run(t) {
      const html = {
        answer: { status: 500, headers: { 'content-type': 'text/html' }, body: '<html><b>Oops</b></html>' },
      };
      const proxy = await t.proxy(() => html);
      const options = t.options(proxy.url, { max_retries: 0 });
      const { error } = await t.fails('send', { message: t.message() }, options, {
        class: 'ServerError',
        status: 500,
      });
      assert.ok(!JSON.stringify(error).includes('Oops'), 'the HTML');
    },
  },
  {
    number: 32,
    title: '502 and 504: tried again',
    async run(t) {
      const from = (status) => ({
        answer: { status, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
      });
      const proxy = await t.proxy(inTurn(from(502), from(504)));
      const answer = await t.ok('send', { message: t.message() }, t.options(proxy.url));
      attempts(answer, 3);
      await t.mails(1);
    },
  },
  {
    number: 33,
    title: '200 with an array, {}, HTML: not what the contract says',
    async run(t) {
      const html = {
        answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
      };
      const broken = {
        answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":' },
      };
      for (const answer of [json(200, []), json(200, {}), html, broken])
        await single(t, answer, { class: 'ProtocolError', outcome_unknown: true });
    },
  },
  {
    number: 34,
    title: '307: not followed, and the key goes nowhere',
    async run(t) {
      const elsewhere = await t.proxy();
      const proxy = await t.proxy(() => ({
        answer: { status: 307, headers: { location: `${elsewhere.url}/v1/messages` } },
      }));
      const answer = await t.shim.ask('send', { message: t.message() }, t.options(proxy.url));
      assert.ok(answer.error, 'an error');
      const read = { operation: 'messages.list', params: {} };
      assert.ok((await t.shim.ask('call', read, t.options(proxy.url))).error, 'an error');
      assert.equal(elsewhere.seen.connections, 0, 'connections elsewhere');
      await t.mails(0);
    },
  },
  {
    number: 35,
    title: 'Unknown fields and an unknown status stay readable',
    async run(t) {
      const change = (answer) => {
        const value = { ...JSON.parse(answer.body), status: 'added_later', added_later: { deep: [1] } };
        return { ...answer, body: Buffer.from(JSON.stringify(value)) };
      };
      const proxy = await t.proxy(() => ({ change }));
      const sent = await t.ok('send', { message: t.message() }, t.options(proxy.url));
      has(sent.result.message, { status: 'added_later', added_later: { deep: [1] } });
      const get = { operation: 'messages.get', params: { id: sent.result.message.id } };
      const { result } = await t.ok('call', get, t.options(proxy.url));
      has(result, { status: 'added_later', added_later: { deep: [1] } });
      // "Done when" 5: instances of every schema as a later server may send them.
      const examples = JSON.parse(readFileSync(join(t.vectors, 'examples.json'), 'utf8'));
      for (const [schema, { full, minimal, others, future }] of Object.entries(examples))
        for (const value of [full, minimal, ...(others ?? []), ...(future === undefined ? [] : [future])]) {
          const back = await t.ok('roundtrip', { schema, value });
          assert.deepEqual(back.result, value, `${schema} decoded and encoded`);
        }
    },
  },
  {
    number: 36,
    title: '200 parallel sends against 500: the budget ends the retries',
    async run(t) {
      const proxy = await t.proxy(() => refusal(500, 'internal_error'));
      const args = { message: t.message(), count: PARALLEL, threads: BUDGET_THREADS };
      const { result } = await t.ok('send_many', args, t.options(proxy.url));
      assert.equal(result.results.filter(({ error }) => error?.class === 'ServerError').length, PARALLEL);
      assert.ok(
        proxy.seen.requests.length <= PARALLEL_REQUESTS_MAX,
        `${proxy.seen.requests.length} requests`,
      );
    },
  },
];

const READ = { operation: 'messages.get', params: { id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11' } };
const UNSHOWN = ['\n', '\u001b[31m', '\u0085', '\u2028', '\u202e', '\u2066'];

/** An answer of another program in the server's place, or wrote into an answer. */
export const foreign = {
  number: 71,
  title: 'Foreign answers: their code, whether the outcome is known, and what their text may not do',
  async run(t) {
    const page = (status) => ({
      answer: { status, headers: { 'content-type': 'text/html', location: '/' }, body: '<html></html>' },
    });
    const broken = {
      answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"x":' },
    };
    const cases = [
      [page(302), { class: 'ProtocolError', status: 302 }, true],
      [page(404), { class: 'NotFoundError', status: 404, code: 'http_404' }, false],
      [page(502), { class: 'ServerError', status: 502, code: 'http_502' }, true],
      [{ drop: 'before' }, { class: 'ConnectionError' }, true],
      [broken, { class: 'ProtocolError', status: 200 }, true],
      [json(200, null), { class: 'ProtocolError', status: 200 }, true],
    ];
    for (const [action, expected, ofSend] of cases) {
      const proxy = await t.proxy(() => action);
      const options = t.options(proxy.url, { max_retries: 0 });
      const idempotency_key = `${t.name}-71`;
      const send = await t.fails('send', { message: t.message(), idempotency_key }, options, {
        ...expected,
        idempotency_key,
      });
      assert.equal(send.error.outcome_unknown ?? false, ofSend, `a send: ${JSON.stringify(send.error)}`);
      if (expected.code !== undefined) assert.equal(send.attempts[0].code, expected.code, 'code in the hook');
      const read = await t.fails('call', READ, options, expected);
      assert.ok(!read.error.outcome_unknown, `a read: ${JSON.stringify(read.error)}`);
    }
    const message = `Told ${UNSHOWN.join('')} of it.`;
    const proxy = await t.proxy(() => json(422, { error: { code: 'conflict', message } }));
    const options = t.options(proxy.url, { max_retries: 0 });
    const { error } = await t.fails('send', { message: t.message() }, options, { status: 422 });
    const { result } = await t.ok('print', { what: 'error', message: t.message() }, options);
    // Printed text may have lines of its own, such as a stack.
    const printed = UNSHOWN.filter((each) => each !== '\n');
    for (const [texts, unshown] of [
      [[error.message], UNSHOWN],
      [[error.text, ...result.texts], printed],
    ])
      for (const text of texts)
        for (const each of unshown)
          assert.ok(!text.includes(each[0]), `${JSON.stringify(each)} in ${JSON.stringify(text)}`);
    assert.ok(error.message.startsWith('Told ') && error.message.endsWith(' of it.'), error.message);
  },
};

/** A host of the service upgrades libraries first. */
export const olderServer = {
  number: 69,
  title: 'An older server: what it does not have is absent, and a send is a send',
  async run(t) {
    const essential = JSON.parse(readFileSync(join(t.root, 'sdks/generate/essential.json'), 'utf8'));
    const least = (name, value) =>
      Object.fromEntries(Object.entries(value).filter(([field]) => essential[name].includes(field)));
    const older = (change) => () => ({
      change: (answer) => ({
        ...answer,
        body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body)))),
      }),
    });
    const single = await t.proxy(older((value) => least('Message', value)));
    const sent = await t.ok('send', { message: t.message() }, t.options(single.url));
    has(sent.result, { attempts: 1, replayed: false });
    const { id } = sent.result.message;
    const read = { operation: 'messages.get', params: { id } };
    has((await t.ok('call', read, t.options(single.url))).result, { id });
    const pages = await t.proxy(
      older(({ data, next_cursor }) => ({ next_cursor, data: data.map((each) => least('Message', each)) })),
    );
    const list = { operation: 'messages.list', params: { to: t.to } };
    const { result } = await t.ok('call', list, t.options(pages.url));
    assert.deepEqual(
      result.data.map((each) => each.id),
      [id],
    );
    const batches = await t.proxy(
      older(({ results }) => ({
        results: results.map(({ index, status, message }) => ({
          ...{ index, status },
          message: least('Message', message),
        })),
      })),
    );
    const item = { ...t.message(), idempotency_key: `${t.name}-69` };
    const batch = await t.ok('send_batch', { items: [item] }, t.options(batches.url));
    has(batch.result.results[0], { status: 'created' });
    await t.mails(2);
  },
};
