// A request for an acknowledgement, from the preview to the recipient's answer, against a real service.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { draft, eventually, inProcess, live } from './support.mjs';

const open = (answer) =>
  inProcess({
    era: '2026-07-28',
    answer,
    variables: { ACUSE_MCP_RECIPIENTS: '*', ACUSE_MCP_PER_HOUR: '1000' },
  });

describe('an acknowledgement', live, () => {
  it('is asked for, said to the person who confirms, and read when it is given', async () => {
    const { call, asked, close } = await open('accept');
    const message = draft({
      to: 'acknowledges@sandbox.test',
      subject: randomUUID(),
      certified: true,
      acknowledgement: 'request',
      locale: 'es',
    });
    const { output: seen } = await call('preview_message', message);
    assert.deepEqual(seen.refusals, []);
    const { output: sent } = await call('send_message', { ...message, preview_token: seen.preview_token });
    assert.ok(asked[0].split('\n').includes('Asks the recipient to acknowledge receipt'), asked[0]);
    assert.equal(sent.message.acknowledgement.status, 'requested');
    await eventually(async () => {
      const { output } = await call('list_messages', { acknowledgement: ['acknowledged'] });
      const found = output.messages.find(({ id }) => id === sent.message.id);
      return found?.acknowledgement.source === 'recipient_page';
    });
    await close();
  });

  it('of a plain message, or by a time alone, is refused before anything is sent', async () => {
    const { call, close } = await open('accept');
    for (const [fields, next] of [
      [{ certified: false, acknowledgement: 'request' }, /certified: true/],
      [{ certified: true, acknowledge_by: '2036-01-01T00:00:00Z' }, /acknowledgement: "request"/],
    ]) {
      const { error } = await call('preview_message', draft(fields));
      assert.equal(error.code, 'invalid_body');
      assert.match(error.next, next);
    }
    await close();
  });
});
