// Ways around the list of recipients: spellings, comments, groups, copies, templates, other arguments.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fakeService } from './fake.mjs';
import { inProcess } from './support.mjs';

const RECIPIENTS = 'ana@acme.test, sam@acme.test, kim@acme.test, @partner.test, @bücher.test';
const FROM = 'billing@acme.test';
const MESSAGE = { from: FROM, to: 'ana@acme.test', text: 'x' };

/** Nobody of the list, or nobody for sure. */
const OUTSIDE = [
  ['another address', 'eve@evil.test'],
  ['a subdomain', 'eve@sub.partner.test'],
  ['a longer domain', 'eve@partner.test.evil.test'],
  ['a domain that ends alike', 'eve@evilpartner.test'],
  ['a display name that is listed', 'ana@acme.test <eve@evil.test>'],
  ['a quoted display name', '"ana@acme.test" <eve@evil.test>'],
  ['an encoded display name', '=?utf-8?q?ana=40acme.test?= <eve@evil.test>'],
  ['angle brackets', '<ana@acme.test>'],
  ['a quoted local part', '"ana"@acme.test'],
  ['a quoted local part with an address', '"eve@evil.test"@partner.test'],
  ['a quoted pair', '"eve\\@evil.test>"@partner.test'],
  ['a comment behind', 'eve@evil.test (ana@acme.test)'],
  ['a comment in front', '(x)ana@acme.test'],
  ['a comment in the domain', 'eve@(partner.test)evil.test'],
  ['a comment with a listed domain', 'eve@evil.test(@partner.test'],
  ['a list with commas', 'ana@acme.test, eve@evil.test'],
  ['a list with semicolons', 'ana@acme.test;eve@evil.test'],
  ['a list with spaces', 'ana@acme.test eve@evil.test'],
  ['a group', 'team: ana@acme.test, eve@evil.test;'],
  ['an empty group', 'undisclosed-recipients:;'],
  ['a source route', '@partner.test:eve@evil.test'],
  ['a route with percent', 'eve%evil.test@partner.test'],
  ['a route with a bang', 'evil.test!eve@partner.test'],
  ['a line break', 'ana@acme.test\r\nBcc: eve@evil.test'],
  ['a bare line feed', 'ana@acme.test\nBcc: eve@evil.test'],
  ['a NUL', 'eve@evil.test\0@partner.test'],
  ['a tab', 'ana\t@acme.test'],
  ['a trailing dot', 'eve@partner.test.'],
  ['a literal', 'eve@[127.0.0.1]'],
  ['a number', 'eve@2130706433'],
  ['an address of IPv4', 'eve@127.0.0.1'],
  ['a fragment', 'eve@evil.test#@partner.test'],
  ['a path', 'eve@evil.test/@partner.test'],
  ['a full-width stop', 'eve@evil．test'],
  ['an ideographic stop', 'eve@sub。partner.test'],
  ['a Cyrillic letter in the domain', 'ana@acmе.test'],
  ['a Cyrillic letter in the local part', 'аna@acme.test'],
  ['an accent', 'aná@acme.test'],
  ['a combining accent', 'ana\u0301@acme.test'],
  ['a zero-width space', 'ana\u200b@acme.test'],
  ['a soft hyphen in the domain', 'ana@ac\u00adme.test.evil.test'],
  ['a right-to-left override', 'ana@acme.test\u202e'],
  ['a tag character', 'ana\u{e0041}@acme.test'],
  ['another tag', 'ana+x@acme.test'],
  ['dots within', 'a.na@acme.test'],
  ['a domain like bücher.test', 'eve@bucher.test'],
  ['broken Punycode', 'eve@xn--\u00fc.test'],
  ['an array', ['ana@acme.test', 'eve@evil.test']],
  ['an object', { address: 'eve@evil.test', toString: 'ana@acme.test' }],
  ['nothing', ''],
];

/** Spellings of somebody on the list → where the message goes. */
const INSIDE = [
  ['ana@acme.test', 'ana@acme.test'],
  ['ANA@ACME.TEST', 'ana@acme.test'],
  ['ſam@acme.test', 'sam@acme.test'],
  ['\u212aim@acme.test', 'kim@acme.test'],
  ['Bob@Partner.Test', 'Bob@partner.test'],
  ['eve@BÜCHER.test', 'eve@xn--bcher-kva.test'],
  ['eve@xn--bcher-kva.test', 'eve@xn--bcher-kva.test'],
];

const OTHER_ARGUMENTS = [
  ...['cc', 'bcc', 'Cc', 'BCC', 'To', 'to ', 'recipients', 'envelope', 'headers', 'raw', 'messages'],
  ...['replyTo', 'return_path', 'sender', 'send_at', 'metadata', 'list_unsubscribe', '__proto__x'],
];

describe('the list of recipients', () => {
  let service;
  let opened;
  before(async () => {
    service = fakeService();
    opened = await inProcess({
      era: '2026-07-28',
      variables: { ACUSE_MCP_RECIPIENTS: RECIPIENTS, ACUSE_MCP_FROM: FROM, ACUSE_MCP_CONFIRM: 'preview' },
      apiKey: 'acuse_a_b',
      acuse: service.acuse,
    });
  });
  after(async () => {
    await opened.close();
    assert.deepEqual(new Set(service.sent.map(({ body }) => body.to)), new Set(INSIDE.map(([, to]) => to)));
  });

  const codeOf = async (fields) => {
    const preview = await opened.call('preview_message', { ...MESSAGE, ...fields });
    const sent = await opened.call('send_message', { ...MESSAGE, ...fields, preview_token: 'pv1.a.b' });
    assert.equal(sent.error?.code, preview.error?.code);
    return preview.error?.code;
  };

  for (const [what, address] of OUTSIDE)
    it(`does not let ${what} through, in to or reply_to`, async () => {
      for (const field of ['to', 'reply_to'])
        assert.match(
          (await codeOf({ [field]: address })) ?? 'allowed',
          /^(?:recipient_not_allowed|invalid_address|invalid_arguments)$/,
        );
    });

  it('reaches the mailbox that it names, in its own spelling', async () => {
    for (const [to, reached] of INSIDE) {
      const { output } = await opened.call('preview_message', { ...MESSAGE, to, reply_to: to });
      assert.deepEqual([output.to, output.reply_to], [reached, reached]);
      const args = { ...MESSAGE, to, reply_to: to, preview_token: output.preview_token };
      assert.equal((await opened.call('send_message', args)).error, undefined);
      assert.deepEqual([service.sent.at(-1).body.to, service.sent.at(-1).body.reply_to], [reached, reached]);
    }
  });

  it('takes no other argument that could name somebody', async () => {
    for (const name of OTHER_ARGUMENTS)
      assert.equal(await codeOf({ [name]: 'eve@evil.test' }), 'invalid_arguments', name);
  });

  it('says which argument is missing, and what gives a preview token', async () => {
    const sent = await opened.call('send_message', MESSAGE);
    assert.match(sent.error.message, /preview_token: missing; preview_message gives it/);
    const read = await opened.call('get_message');
    assert.match(read.error.message, /message_id: missing$/);
  });

  it('holds for the sender as it is written', async () => {
    for (const from of [
      'eve@acme.test',
      'billing@acme.test <eve@acme.test>',
      '"billing@acme.test" <eve@acme.test>',
      'billing@acme.test, eve@acme.test',
      'Billing <billing@acme.test>, <eve@acme.test>',
      'Billing <billing@acme.test> <eve@acme.test>',
      'billing@acme.test\r\nSender: eve@acme.test',
    ])
      assert.match((await codeOf({ from })) ?? 'allowed', /^(?:from_not_allowed|invalid_address)$/, from);
  });
});
