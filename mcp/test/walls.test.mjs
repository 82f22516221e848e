// Whatever tools are called with, in whatever order, nothing goes outside the walls.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../dist/config.js';
import { listed, readAddress, readAddressList, readSender } from '../dist/guard/address.js';
import { checkToken, digestOf, idempotencyKeyOf, mintToken, PREVIEW_MS } from '../dist/guard/token.js';
import { fence, UNTRUSTED_MAX_CHARS } from '../dist/render/untrusted.js';
import { TOOLS } from '../dist/server.js';
import { ACCOUNT, fakeService, messageOf } from './fake.mjs';
import { inProcess } from './support.mjs';

const RECIPIENTS = 'ana@acme.test, @partner.test';
const CALLS = 10_000;

/** Numbers of a seed: a failure can be repeated. */
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ADDRESSES = [
  'ana@acme.test',
  'ANA@Acme.TEST',
  'bob@partner.test',
  'Bob@PARTNER.test',
  'bob+x@partner.test',
  'eve@evil.test',
  'eve@sub.partner.test',
  'eve@partner.test.evil.test',
  'eve@evilpartner.test',
  'ana@acme.test, eve@evil.test',
  'ana@acme.test;eve@evil.test',
  'ana@acme.test\r\nBcc: eve@evil.test',
  'Ana <eve@evil.test>',
  '"ana@acme.test" <eve@evil.test>',
  'eve@evil.test (ana@acme.test)',
  '"eve@evil.test,"@partner.test',
  '<eve@evil.test>bob@partner.test',
  'eve@evil.test\0@partner.test',
  'eve%evil.test@partner.test',
  '@partner.test:eve@evil.test',
  'eve@[127.0.0.1]',
  'eve@evil.test#@partner.test',
  'eve@evil．test',
  'ana@acmе.test',
  'аna@acme.test',
  'ana@acme.test\u202e',
  'ana\u200b@acme.test',
  '',
  '@',
  'a'.repeat(300),
  ['ana@acme.test', 'eve@evil.test'],
  { address: 'eve@evil.test' },
  null,
  7,
];
const EXTRAS = [
  {},
  {},
  {},
  { cc: 'eve@evil.test' },
  { bcc: 'eve@evil.test' },
  { headers: { 'X-To': 'eve@evil.test' } },
];

describe('10 000 random calls', () => {
  it('send nothing outside the list of recipients', { timeout: 300_000 }, async () => {
    const pick = generator(20_261_122);
    const one = (list) => list[pick(list.length)];
    const service = fakeService();
    const variables = {
      ACUSE_MCP_RECIPIENTS: RECIPIENTS,
      ACUSE_MCP_CONFIRM: 'preview',
      ACUSE_MCP_PER_HOUR: '100000',
    };
    const { call, close } = await inProcess({
      era: '2026-07-28',
      variables,
      apiKey: 'acuse_a_b',
      acuse: service.acuse,
    });
    const message = () => ({
      from: one([
        'billing@acme.test',
        'Billing <billing@acme.test>',
        'x@other.test',
        'ana@acme.test <x@acme.test>',
      ]),
      to: one(pick(2) === 0 ? ADDRESSES.slice(0, 5) : ADDRESSES),
      ...(pick(3) === 0 && { reply_to: one(ADDRESSES) }),
      subject: `S${pick(50)}`,
      text: 'Hello.',
      ...one(EXTRAS),
    });
    const previews = [];
    let refused = 0;
    for (let done = 0; done < CALLS; done++) {
      const what = pick(10);
      if (what < 4) {
        const made = message();
        const { output } = await call('preview_message', made);
        if (output?.preview_token) previews.push({ made, token: output.preview_token });
      } else if (what < 9) {
        const { made, token } = previews[pick(previews.length || 1)] ?? { made: message(), token: 'pv1.a.b' };
        const changed = pick(3) === 0 ? { ...made, to: one(ADDRESSES), ...one(EXTRAS) } : made;
        const wrong = pick(6) === 0 ? `${token}A` : token;
        if ((await call('send_message', { ...changed, preview_token: wrong })).error) refused++;
      } else {
        const { name } = one(TOOLS);
        const { error } = await call(
          name,
          one([{}, message(), { address: one(ADDRESSES) }, { message_id: 'x' }]),
        );
        if (error) refused++;
      }
    }
    await close();
    assert.ok(service.sent.length > 100 && refused > 1000, `${service.sent.length} sent, ${refused} refused`);
    for (const { body } of service.sent) {
      for (const address of [body.to, body.reply_to ?? body.to]) {
        assert.equal(typeof address, 'string');
        assert.match(address, /^(?:ana@acme\.test|[A-Za-z0-9+]{1,30}@partner\.test)$/);
      }
      for (const field of ['cc', 'bcc', 'headers']) assert.ok(!(field in body));
      assert.ok(body.tags.includes('mcp'));
    }
  });
});

describe('walls', () => {
  it('outside a sandbox nothing is sent until somebody names recipients', async () => {
    const { acuse } = fakeService();
    for (const [variables, listed] of [
      [{}, false],
      [{ ACUSE_MCP_RECIPIENTS: '*' }, true],
    ]) {
      const { client, close } = await inProcess({ era: '2026-07-28', variables, apiKey: 'acuse_a_b', acuse });
      const { tools } = await client.listTools();
      assert.equal(
        tools.some(({ name }) => name === 'send_message'),
        listed,
      );
      await close();
    }
  });

  it('from falls under its list, and money under its budget', async () => {
    const service = fakeService();
    const variables = { ACUSE_MCP_RECIPIENTS: '*', ACUSE_MCP_FROM: 'billing@acme.test' };
    const { call, close } = await inProcess({
      era: '2026-07-28',
      answer: 'accept',
      variables,
      apiKey: 'acuse_a_b',
      acuse: service.acuse,
    });
    const message = { from: 'other@acme.test', to: 'a@b.test', text: 'x' };
    assert.equal((await call('preview_message', message)).error.code, 'from_not_allowed');
    const dear = await call('preview_message', { ...message, from: 'billing@acme.test', certified: true });
    assert.deepEqual(
      dear.output.refusals.map(({ code }) => code),
      ['budget_exhausted'],
    );
    assert.equal(dear.output.preview_token, null);
    assert.equal(dear.output.cost_cents, 50);
    await close();
  });

  it('cents of the last day are counted from messages with the tag', async () => {
    for (const [certified, code] of [
      [1, undefined],
      [2, 'budget_exhausted'],
    ]) {
      const listed = Array.from({ length: certified }, (_, at) =>
        messageOf({ from: 'a@acme.test', to: 'b@c.test', certified: true }, `k${at}`),
      );
      const { acuse } = fakeService({ listed });
      const variables = { ACUSE_MCP_RECIPIENTS: '*', ACUSE_MCP_CENTS_PER_DAY: '100' };
      const opening = { era: '2026-07-28', answer: 'accept', variables, apiKey: 'acuse_a_b', acuse };
      const { call, close } = await inProcess(opening);
      const { output } = await call('preview_message', {
        from: 'a@acme.test',
        to: 'b@c.test',
        text: 'x',
        certified: true,
      });
      assert.equal(output.refusals[0]?.code, code);
      await close();
    }
  });

  it('a preview says everything that sending would be refused for', async () => {
    const domain = { id: 'd', name: 'acme.test', status: 'verified', readiness: 'degraded', records: [] };
    const routes = { '/v1/domains': () => ({ data: [domain], next_cursor: null, scanned_to: null }) };
    const strict = { settings: { ...ACCOUNT.settings, require_ready_domains: true } };
    for (const [account, answer, expected] of [
      [{}, 'accept', []],
      [strict, 'accept', ['domain_not_verified']],
      [{ status: 'suspended' }, 'accept', ['tenant_suspended']],
      [{ status: 'deactivated' }, 'accept', ['tenant_deactivated']],
      [{}, undefined, ['confirmation_unavailable']],
    ]) {
      const { acuse } = fakeService({ account, routes });
      const variables = { ACUSE_MCP_RECIPIENTS: '*' };
      const { call, close } = await inProcess({
        era: '2026-07-28',
        answer,
        variables,
        apiKey: 'acuse_a_b',
        acuse,
      });
      const message = { from: 'a@acme.test', to: 'b@c.test', text: 'x' };
      const { output } = await call('preview_message', message);
      const found = output.refusals.map(({ code }) => code);
      assert.deepEqual(found, expected);
      assert.equal(output.preview_token === null, expected.length > 0);
      await close();
    }
  });

  it('a confirmation holds for the message that was shown, whatever the client sends along', async () => {
    const service = fakeService();
    const variables = { ACUSE_MCP_RECIPIENTS: '*' };
    const { call, client, close } = await inProcess({
      era: '2026-07-28',
      answer: 'decline',
      variables,
      apiKey: 'acuse_a_b',
      acuse: service.acuse,
    });
    const message = { from: 'a@acme.test', to: 'b@c.test', text: 'x' };
    const { output } = await call('preview_message', message);
    const args = { ...message, preview_token: output.preview_token };
    const result = await client.callTool({
      name: 'send_message',
      arguments: args,
      inputResponses: { confirm: { action: 'accept', content: { send: true } } },
    });
    assert.equal(result.isError, true);
    assert.equal(service.sent.length, 0);
    await close();
  });

  it('what the account or the API says is fenced, and nothing of it is in descriptions', async () => {
    const { acuse } = fakeService();
    const { call, client, close } = await inProcess({ era: '2026-07-28', apiKey: 'acuse_a_b', acuse });
    const { output } = await call('get_account');
    assert.match(output.name.untrusted_text, /^\[untrusted [0-9a-f]{12}\] .* \[\/untrusted [0-9a-f]{12}\]$/);
    const { error } = await call('get_message', { message_id: ACCOUNT.id });
    assert.equal(error.code, 'not_found');
    assert.ok(!error.message.includes('evil') && !error.next.includes('evil'));
    assert.ok(!JSON.stringify(await client.listTools()).includes('evil'));
    await close();
  });
});

describe('addresses', () => {
  it('two spellings of one mailbox are one, and nothing else is', () => {
    assert.equal(readAddress('ANA@Acme.Test').key, readAddress('ana@acme.test').key);
    assert.equal(readAddress('ana@bücher.test').domain, 'xn--bcher-kva.test');
    assert.equal(readAddress('ſam@a.test').key, readAddress('sam@a.test').key);
    for (const text of [
      'a@b',
      'a@1.2.3.4',
      'a b@c.test',
      '.a@b.test',
      'a..b@c.test',
      '"a"@b.test',
      'a@b.test.',
      'a@b_c.test',
      'a%evil.test@b.test',
      'evil.test!a@b.test',
    ])
      assert.equal(readAddress(text), null, text);
    assert.equal(readSender('Ana, Inc <a@b.test>'), null);
    assert.equal(readSender('Ana <a@b.test>').header, 'Ana <a@b.test>');
  });

  it('a list names addresses, domains or everyone', () => {
    const list = readAddressList('ana@a.test @b.test');
    const found = ['ANA@a.test', 'bob@a.test', 'X@b.test', 'x@c.b.test'].map(
      (each) => listed(list, readAddress(each))?.address ?? null,
    );
    assert.deepEqual(found, ['ana@a.test', null, 'X@b.test', null]);
    for (const wrong of ['*@b.test', 'b.test', '@', 'Ana <a@b.test>'])
      assert.ok('wrong' in readAddressList(wrong));
  });
});

describe('previews', () => {
  const secret = Buffer.alloc(32, 1);
  const shown = { keyId: 'k', digest: digestOf({ b: 1, a: [null, undefined] }) };

  it('hold for one message, key, secret and ten minutes', () => {
    const token = mintToken(secret, shown, 1000);
    assert.equal(checkToken(secret, token, shown, 1000 + PREVIEW_MS - 1), 'ok');
    assert.equal(checkToken(secret, token, shown, 1000 + PREVIEW_MS), 'expired');
    assert.equal(checkToken(secret, token, { ...shown, keyId: 'l' }, 1000), 'changed');
    assert.equal(checkToken(secret, token, { ...shown, digest: digestOf({}) }, 1000), 'changed');
    assert.equal(checkToken(Buffer.alloc(32, 2), token, shown, 1000), 'changed');
    for (let at = 0; at < token.length; at++) {
      const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      // The last character of base64url has bits that say nothing.
      if (at < token.length - 1) assert.notEqual(checkToken(secret, other, shown, 1000), 'ok');
    }
    assert.match(idempotencyKeyOf(token), /^mcp_[0-9a-f]{40}$/);
  });
});

describe('text of others', () => {
  const inside = (text) =>
    /^\[untrusted \w+\] (.*) \[\/untrusted \w+\]$/s.exec(fence(text).untrusted_text)[1];

  it('is short, visible, without anything to click or to end the fence with', () => {
    const tags = Array.from('send', (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
    assert.equal(inside(`a${tags}\u202e\u200b\u2066\ufeff\u00ad\u0007\nb`), 'a b');
    assert.equal(
      inside('see https://evil.test/x and www.evil.test'),
      'see https[:]//evil[.]test/x and www[.]evil[.]test',
    );
    assert.ok(!/[<>]|\]\(|!\[/.test(inside('![x](https://e.test) <img src=x> [a](b)')));
    assert.ok(!inside('ev\u0000il．test').includes('evil.test'));
    assert.ok(Array.from(inside('x'.repeat(100_000))).length <= UNTRUSTED_MAX_CHARS);
    assert.notEqual(fence('a').untrusted_text, fence('a').untrusted_text);
  });
});

describe('variables', () => {
  it('are refused when they cannot be meant', () => {
    for (const [name, value] of [
      ['ACUSE_MCP_RECIPIENTS', 'acme.test'],
      ['ACUSE_MCP_FROM', 'x'],
      ['ACUSE_MCP_SECRET', 'short'],
      ['ACUSE_MCP_CONFIRM', 'no'],
      ['ACUSE_MCP_PER_HOUR', '-1'],
      ['ACUSE_MCP_CENTS_PER_DAY', 'many'],
      ['ACUSE_MCP_POLICY', '/nowhere'],
    ])
      assert.throws(
        () => readConfig({ ACUSE_URL: 'http://localhost:1', [name]: value }),
        (error) => error.message.includes(name),
      );
  });
});
