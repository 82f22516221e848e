// Confirmations and previews that are used again, for something else, too late, or were never given.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACCOUNT, fakeService } from './fake.mjs';
import { ERAS, inProcess } from './support.mjs';

const [MODERN] = ERAS;
const A = { from: 'a@acme.test', to: 'ana@acme.test', text: 'A', certified: false };
const B = { ...A, to: 'bob@acme.test', text: 'B' };
const SECRET = 'a secret of thirty-two bytes or more';
const MINUTES_11 = 660_000;

function open(service, { variables, ...more } = {}) {
  return inProcess({
    era: MODERN,
    answer: 'accept',
    apiKey: 'acuse_a_b',
    acuse: service.acuse,
    ...more,
    variables: { ACUSE_MCP_RECIPIENTS: '@acme.test', ACUSE_MCP_SECRET: SECRET, ...variables },
  });
}

const tokenOf = async ({ call }, message) => (await call('preview_message', message)).output.preview_token;

/** Sends A as a client does, and gives the request that carried the person's yes. */
async function confirmed(opened) {
  const args = { ...A, preview_token: await tokenOf(opened, A) };
  const { output } = await opened.call('send_message', args);
  assert.equal(output.replayed, false);
  const yes = opened.wire.sent.findLast(({ params }) => params?.inputResponses !== undefined);
  assert.equal(yes.method, 'tools/call');
  return yes;
}

const again = (yes, changes) => ({ ...yes, params: { ...yes.params, ...changes } });
const isQuestion = ({ result }) => result?.resultType === 'input_required';

describe('a confirmation', () => {
  it('shows the beginning and the size of each body, and the names of attachments', async () => {
    const opened = await open(fakeService());
    const list = Array.from({ length: 100 }, (_, i) => `customer-${i}@acme.test`).join('\n');
    const body = { subject: 'Hello', text: list, html: `<p hidden>${list}</p>` };
    const attachments = [{ filename: 'customers.csv', content_base64: 'QQ==' }];
    const message = { ...A, ...body, attachments };
    await opened.call('send_message', { ...message, preview_token: await tokenOf(opened, message) });
    const lines = opened.asked[0].split('\n');
    const [text, html] = ['Text', 'HTML'].map((name) => lines.find((line) => line.startsWith(`${name} (`)));
    const bytes = Buffer.byteLength(list);
    assert.ok(text.startsWith(`Text (${bytes} bytes): customer-0@acme.test customer-1@acme.test `), text);
    assert.ok(html.startsWith(`HTML (${bytes + 14} bytes): customer-0@acme.test `), html);
    for (const line of [text, html]) assert.ok(line.endsWith('…') && line.length < 600, line);
    assert.ok(lines.includes('Attachments: customers.csv (1 bytes)'), lines.join('\n'));
    await opened.close();
  });

  it('sends once, however often it is handed in', async () => {
    const service = fakeService();
    const opened = await open(service);
    const yes = await confirmed(opened);
    const answers = await Promise.all([1, 2, 3].map(() => opened.wire.ask(yes)));
    for (const { result } of answers) assert.equal(result.structuredContent.replayed, true);
    assert.equal(service.sent.length, 1);
    await opened.close();
  });

  it('of one message sends no other', async () => {
    const service = fakeService();
    const opened = await open(service);
    const yes = await confirmed(opened);
    const ofB = { ...B, preview_token: await tokenOf(opened, B) };
    assert.ok(isQuestion(await opened.wire.ask(again(yes, { arguments: ofB }))), 'asked anew for B');
    const { arguments: ofA } = yes.params;
    const mixed = await opened.wire.ask(
      again(yes, { arguments: { ...B, preview_token: ofA.preview_token } }),
    );
    assert.match(mixed.result.content[0].text, /preview_required/);
    // A second preview of the same message is a second message: it needs a yes of its own.
    const later = await open(service, { clock: () => Date.now() + 1000 });
    const twice = { ...A, preview_token: await tokenOf(later, A) };
    assert.notEqual(twice.preview_token, ofA.preview_token);
    assert.ok(isQuestion(await opened.wire.ask(again(yes, { arguments: twice }))));
    assert.equal(service.sent.length, 1);
    await Promise.all([opened.close(), later.close()]);
  });

  it('needs the question that it answers, whole and from this server', async () => {
    const service = fakeService();
    const opened = await open(service);
    const yes = await confirmed(opened);
    const ofB = { ...B, preview_token: await tokenOf(opened, B) };
    const { requestState, inputResponses } = yes.params;
    const forged = `${requestState.slice(0, -2)}${requestState.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const state of [undefined, '', 'x', forged, requestState.split('.')[0]]) {
      const { result, error } = await opened.wire.ask(
        again(yes, { arguments: ofB, inputResponses, requestState: state }),
      );
      assert.ok(error !== undefined || result.isError || isQuestion({ result }), JSON.stringify(result));
    }
    const other = await open(service, { variables: { ACUSE_MCP_SECRET: `${SECRET}, another` } });
    const elsewhere = await other.wire.ask(yes);
    assert.ok(elsewhere.error !== undefined || elsewhere.result.isError);
    assert.equal(service.sent.length, 1);
    await Promise.all([opened.close(), other.close()]);
  });

  it('is a yes only when the person said yes', async () => {
    const service = fakeService();
    const opened = await open(service);
    const yes = await confirmed(opened);
    service.sent.length = 0;
    for (const answer of [
      { action: 'accept', content: { send: false } },
      { action: 'accept', content: {} },
      { action: 'accept', content: { send: 'true' } },
      { action: 'accept' },
      { action: 'decline', content: { send: true } },
      { action: 'cancel', content: { send: true } },
      { action: 'maybe', content: { send: true } },
      true,
    ]) {
      const { result, error } = await opened.wire.ask(again(yes, { inputResponses: { confirm: answer } }));
      assert.ok(error !== undefined || result.isError || isQuestion({ result }), JSON.stringify(answer));
    }
    assert.equal(service.sent.length, 0);
    await opened.close();
  });

  it('ends with its preview', async () => {
    const service = fakeService();
    let late = 0;
    const opened = await open(service, { clock: () => Date.now() + late });
    const yes = await confirmed(opened);
    late = MINUTES_11;
    const { result } = await opened.wire.ask(yes);
    assert.match(result.content[0].text, /preview_expired/);
    assert.equal(service.sent.length, 1);
    await opened.close();
  });
});

describe('a preview', () => {
  for (const era of ERAS)
    it(`${era}: of another key, or of a server that was started again with another secret, is none`, async () => {
      const service = fakeService();
      const opened = await open(service, { era });
      const args = { ...A, preview_token: await tokenOf(opened, A) };
      const key = { ...ACCOUNT.api_key, id: ACCOUNT.id };
      for (const other of [
        await open(fakeService({ sent: service.sent, account: { api_key: key } }), { era }),
        await open(service, { era, variables: { ACUSE_MCP_SECRET: undefined } }),
      ]) {
        assert.equal((await other.call('send_message', args)).error.code, 'preview_required');
        await other.close();
      }
      assert.equal(service.sent.length, 0);
      await opened.close();
    });

  it('survives a restart with the same secret, and sends nothing twice', async () => {
    const service = fakeService();
    const opened = await open(service);
    const args = { ...A, preview_token: await tokenOf(opened, A) };
    await opened.call('send_message', args);
    await opened.close();
    const next = await open(service);
    assert.equal((await next.call('send_message', args)).output.replayed, true);
    assert.equal(service.sent.length, 1);
    await next.close();
  });

  it('that was sent is refused when anything of the message changes', async () => {
    const service = fakeService();
    const opened = await open(service);
    const file = { filename: 'a.txt', content_base64: 'QQ==' };
    const whole = { ...A, subject: 'S', html: '<p>A</p>', reply_to: A.to, tags: ['t'], attachments: [file] };
    const preview_token = await tokenOf(opened, whole);
    for (const change of [
      { to: 'bob@acme.test' },
      { from: 'b@acme.test' },
      { from: 'Name <a@acme.test>' },
      { reply_to: undefined },
      { reply_to: 'bob@acme.test' },
      { subject: 'S ' },
      { text: 'a' },
      { html: '<p>a</p>' },
      { html: undefined },
      { certified: true },
      { tags: ['t', 'u'] },
      { attachments: undefined },
      { attachments: [{ ...file, filename: 'b.txt' }] },
      { attachments: [{ ...file, content_base64: 'Qg==' }] },
      { attachments: [{ ...file, content_type: 'text/html' }] },
      { attachments: [file, file] },
    ]) {
      const { error } = await opened.call('send_message', { ...whole, ...change, preview_token });
      assert.equal(error?.code, 'preview_required', JSON.stringify(change));
    }
    assert.equal(service.sent.length, 0);
    await opened.close();
  });
});
