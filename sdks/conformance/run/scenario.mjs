import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startProxy } from '../proxy/proxy.mjs';

/** The tools of one scenario: a shim, the server, proxies of its own and words to expect things in. */
export function makeContext({ shim, server, through = server.url, certificates, folder, root }) {
  const closing = [];
  const name = randomUUID().slice(0, 13);
  const to = `delivered+${name}@sandbox.test`;
  const t = {
    shim,
    server,
    certificates,
    name,
    to,
    folder,
    /** A key of the sandbox account, and a path for a file of this scenario. */
    key: server.key,
    path: (file) => join(folder, `${name}-${file}`),
    root,
    vectors: join(root, 'contract/vectors'),
    message: (fields = {}) => ({
      from: 'billing@sandbox.test',
      to,
      subject: `Invoice ${name}`,
      text: 'Hello.',
      certified: false,
      ...fields,
    }),
    async proxy(script, settings = {}) {
      const proxy = await startProxy({ server: server.url, script, ...settings });
      closing.push(proxy.close);
      return proxy;
    },
    options: (url = through, others = {}) => ({ base_url: url, api_key: server.key, ...others }),
    /** For much at once, which a busy machine may put off: waits in earnest. */
    patient: (url = through, others = {}) => t.options(url, { sleep: 'real', max_retries: 6, ...others }),
    /** The answer of a request that must succeed. */
    async ok(op, args, options = t.options()) {
      const answer = await shim.ask(op, args, options);
      assert.equal(answer.error, undefined, `${op}: ${JSON.stringify(answer.error)}`);
      return answer;
    },
    /** The error of a request that must fail with this class, and what else it must have. */
    async fails(op, args, options, expected) {
      const answer = await shim.ask(op, args, options);
      assert.ok(answer.error, `${op} succeeded: ${JSON.stringify(answer.result)}`.slice(0, 500));
      has(answer.error, expected);
      return answer;
    },
    /** Asserts how many messages were accepted for an address, and how many mails were delivered. */
    async mails(count, address = to) {
      const accepted = await server.messages(address);
      assert.equal(accepted.length, count, 'messages accepted');
      const mails = await server.mails(address);
      assert.equal(mails.length, count, 'mails delivered');
      return mails;
    },
    close() {
      for (const close of closing) close();
    },
  };
  return t;
}

/** How often a scenario repeats what it does: ACUSE_TEST_CASES=5 makes five times as many. */
export const cases = (usual) => usual * Number(process.env.ACUSE_TEST_CASES ?? 1);

/** The fields that are expected, compared one by one. */
export function has(value, expected) {
  for (const [name, wanted] of Object.entries(expected))
    assert.deepEqual(value[name], wanted, `${name} of ${JSON.stringify(value).slice(0, 600)}`);
}

/** The reports to the hook: so many attempts, numbered from 1. */
export function attempts(answer, count) {
  const numbers = (answer.attempts ?? []).map(({ attempt }) => attempt);
  assert.deepEqual(
    numbers,
    Array.from({ length: count }, (_, at) => at + 1),
    'attempts',
  );
}

/** An error as the API words it. */
export const refusal = (status, code, headers = {}) => ({
  answer: {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req-1', ...headers },
    body: JSON.stringify({ error: { code, message: `Told of ${code}.` } }),
  },
});

/** A JSON answer of any kind. */
export const json = (status, value, headers = {}) => ({
  answer: {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  },
});
