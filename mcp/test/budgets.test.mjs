// Budgets with two of everything at once, after a restart, and with a wrong clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACCOUNT, fakeService } from './fake.mjs';
import { inProcess } from './support.mjs';

const MESSAGE = { from: 'a@acme.test', to: 'b@c.test', certified: false };
const HOUR_MS = 3_600_000;

const open = ({ acuse }, variables, more = {}) =>
  inProcess({
    era: '2026-07-28',
    apiKey: 'acuse_a_b',
    acuse,
    variables: { ACUSE_MCP_RECIPIENTS: '*', ACUSE_MCP_CONFIRM: 'preview', ...variables },
    ...more,
  });

/** A connection with a key of its own to the account whose sends are `sent`. */
function connection(sent, number, variables) {
  const id = `${ACCOUNT.id.slice(0, -1)}${number}`;
  const account = { api_key: { ...ACCOUNT.api_key, id } };
  return open(fakeService({ sent, remembers: true, account }), variables);
}

/** Previews a message; `send` sends it. */
async function previewed({ call }, fields) {
  const message = { ...MESSAGE, ...fields };
  const { output } = await call('preview_message', message);
  return { output, send: () => call('send_message', { ...message, preview_token: output.preview_token }) };
}

const codes = (results) => results.map(({ error }) => error?.code ?? 'sent').sort();

describe('budgets', () => {
  for (const [what, variables, fields, code] of [
    ['messages per hour', { ACUSE_MCP_PER_HOUR: '3' }, {}, 'hourly_limit'],
    ['cents per day', { ACUSE_MCP_CENTS_PER_DAY: '150' }, { certified: true }, 'budget_exhausted'],
  ])
    it(`of ${what} hold for all keys of an account together, whatever comes at once`, async () => {
      const sent = [];
      const opened = await Promise.all([1, 2, 3, 4, 5].map((number) => connection(sent, number, variables)));
      const all = await Promise.all(opened.map((each, at) => previewed(each, { ...fields, text: `${at}` })));
      const results = await Promise.all(all.map(({ send }) => send()));
      assert.deepEqual(codes(results), [code, code, 'sent', 'sent', 'sent']);
      assert.equal(sent.length, 3);
      const at = results.findIndex(({ error }) => error === undefined);
      const [replay, refused] = await Promise.all([
        all[at].send(),
        all[results.findIndex(({ error }) => error !== undefined)].send(),
      ]);
      assert.deepEqual([replay.output.replayed, refused.error.code], [true, code]);
      assert.equal(sent.length, 3);
      await Promise.all(opened.map(({ close }) => close()));
    });

  it('survive a restart: what was sent is counted from the API', async () => {
    const sent = [];
    for (const expected of ['sent', 'sent', 'hourly_limit']) {
      const opened = await connection(sent, 1, { ACUSE_MCP_PER_HOUR: '2' });
      const { output, send } = await previewed(opened, { text: `${sent.length}` });
      const code = output.refusals[0]?.code ?? codes([await send()])[0];
      assert.equal(code, expected);
      await opened.close();
    }
    assert.equal(sent.length, 2);
  });

  it('count the last hour of the service, not of a clock that is wrong here', async () => {
    const now = Date.parse(ACCOUNT.created_at) + HOUR_MS / 2;
    const seen = [];
    const service = fakeService({ date: new Date(now).toUTCString() });
    const list = service.acuse.messages.list.bind(service.acuse.messages);
    service.acuse.messages.list = (query) => {
      seen.push(query.created_after.getTime());
      return list(query);
    };
    const { call, close } = await open(service, {}, { clock: () => now + 5 * HOUR_MS });
    await call('preview_message', { ...MESSAGE, text: 'x' });
    assert.deepEqual(seen, [now - HOUR_MS]);
    await close();
  });

  it('are not passed by a send that was lost: the same call again is a replay', async () => {
    const sent = [];
    const opened = await connection(sent, 1, { ACUSE_MCP_PER_HOUR: '1' });
    const { send } = await previewed(opened, { text: 'x' });
    const results = await Promise.all([send(), send(), send()]);
    assert.deepEqual(results.map(({ output }) => output.replayed).sort(), [false, true, true]);
    assert.equal(sent.length, 1);
    await opened.close();
  });
});
