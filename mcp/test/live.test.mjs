// The official client in both protocol eras, in process, over stdio and over HTTP, against a real service.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../dist/config.js';
import { serveHttp } from '../dist/http.js';
import { TOOLS } from '../dist/server.js';
import {
  acuse,
  draft,
  ERAS,
  envOf,
  eventually,
  inProcess,
  live,
  mails,
  overHttp,
  overStdio,
} from './support.mjs';

const MANY = { ACUSE_MCP_PER_HOUR: '1000' };
const SECRET = 'a secret of thirty-two bytes or more';

for (const era of ERAS)
  for (const [way, open] of [
    ['in process', inProcess],
    ['over stdio', overStdio],
  ])
    describe(`${era} ${way}`, live, () => {
      it('sends after confirmation, which shows the message line by line', async () => {
        const subject = randomUUID();
        const { call, asked, close } = await open({ era, answer: 'accept', variables: MANY });
        const { output: seen } = await call('preview_message', draft({ subject }));
        assert.deepEqual(seen.refusals, []);
        const sent = await call('send_message', { ...draft({ subject }), preview_token: seen.preview_token });
        assert.equal(sent.output.replayed, false);
        assert.equal(asked.length, 1);
        for (const line of ['To: delivered@sandbox.test', `Subject: ${subject}`, 'Text (6 bytes): Hello.'])
          assert.ok(asked[0].split('\n').includes(line), asked[0]);
        await eventually(async () => (await mails(subject)).length === 1);
        await close();
      });

      it('does not send without: declined, cancelled, nobody to ask', async () => {
        for (const answer of ['decline', 'cancel', undefined]) {
          const subject = randomUUID();
          const { call, close } = await open({ era, answer, variables: MANY });
          const { output } = await call('preview_message', draft({ subject }));
          const isAskable = answer !== undefined;
          assert.equal(output.refusals[0]?.code, isAskable ? undefined : 'confirmation_unavailable');
          const { error } = await call('send_message', {
            ...draft({ subject }),
            preview_token: output.preview_token ?? 'none',
          });
          assert.equal(error.code, isAskable ? 'not_confirmed' : 'preview_required');
          const listed = await acuse().messages.list({ subject }).toArray(1);
          assert.deepEqual(listed, []);
          await close();
        }
      });
    });

describe('over HTTP', live, () => {
  let http;
  let loose;
  before(async () => {
    http = await serveHttp(readConfig(envOf({ ...MANY, ACUSE_MCP_SECRET: SECRET })), '127.0.0.1:0', () => {});
    const preview = { ...MANY, ACUSE_MCP_SECRET: SECRET, ACUSE_MCP_CONFIRM: 'preview' };
    loose = await serveHttp(readConfig(envOf(preview)), '127.0.0.1:0', () => {});
  });
  after(async () => {
    await http?.close();
    await loose?.close();
  });

  it('2026: sends after confirmation, and not without', async () => {
    for (const answer of ['accept', 'decline', undefined]) {
      const subject = randomUUID();
      const { call, close } = await overHttp({ era: ERAS[0], answer, address: http.url });
      const { output } = await call('preview_message', draft({ subject }));
      const preview_token = output.preview_token ?? 'none';
      const sent = await call('send_message', { ...draft({ subject }), preview_token });
      if (answer === 'accept') assert.equal(sent.output.replayed, false);
      else assert.equal(sent.error.code, answer === undefined ? 'preview_required' : 'not_confirmed');
      assert.equal((await acuse().messages.list({ subject }).toArray(2)).length, answer === 'accept' ? 1 : 0);
      await close();
    }
  });

  it('older: cannot ask, so it is refused, unless previews are enough', async () => {
    for (const [address, code] of [
      [http.url, 'confirmation_unavailable'],
      [loose.url, undefined],
    ]) {
      const subject = randomUUID();
      const { call, close } = await overHttp({ era: 'legacy', answer: 'accept', address });
      const { output } = await call('preview_message', draft({ subject }));
      assert.equal(output.refusals[0]?.code, code);
      if (code !== undefined) {
        assert.equal(output.preview_token, null);
        await close();
        continue;
      }
      const sent = await call('send_message', { ...draft({ subject }), preview_token: output.preview_token });
      assert.equal(sent.error, undefined);
      await close();
    }
  });

  it('wants a key, this host and this origin', async () => {
    const post = (headers) => fetch(http.url, { method: 'POST', headers, body: '{}' });
    const authorization = 'Bearer acuse_abc_def';
    assert.equal((await post({})).status, 401);
    assert.equal((await post({ authorization, origin: 'https://evil.example' })).status, 403);
  });

  it('a proof bundle is a link that can be read', async () => {
    const { message } = await acuse().messages.send(draft({ certified: true }));
    await acuse().evidence.waitUntilSealed(message.id);
    const { call, client, close } = await overHttp({ era: ERAS[0], address: http.url });
    const { result } = await call('get_proof_bundle', { message_id: message.id });
    const link = result.content.find(({ type }) => type === 'resource_link');
    const { contents } = await client.readResource({ uri: link.uri });
    const verified = await call('verify_bundle', { bundle_base64: contents[0].blob, trust: 'bundle' });
    assert.deepEqual([verified.output.valid, verified.output.verdict], [true, 'unproven']);
    await close();
  });
});

describe('keys', live, () => {
  for (const era of ERAS) {
    it(`${era}: with a read-only key no tool that writes is listed`, async () => {
      const { key } = await acuse().apiKeys.create({ name: 'reads', scopes: ['evidence:read'] });
      const { client, call, close } = await inProcess({ era, apiKey: key, answer: 'accept' });
      const { tools } = await client.listTools();
      assert.ok(tools.length > 8);
      // A bundle is saved in a folder of this machine; the access log has who verified.
      const writes = ['get_proof_bundle', 'verify_message'];
      for (const { name, annotations } of tools)
        assert.equal(annotations.readOnlyHint, !writes.includes(name), name);
      for (const name of ['preview_message', 'send_message', 'render_template'])
        assert.ok(!tools.some((each) => each.name === name));
      await assert.rejects(call('send_message', { ...draft(), preview_token: 'x' }));
      await close();
    });

    it(`${era}: with a whole key there are 14 tools in fixed order, with schemas`, async () => {
      const { client, close } = await inProcess({ era });
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      assert.equal(tools.length, 14);
      for (const { name, inputSchema, outputSchema } of tools) {
        assert.ok(outputSchema, name);
        assert.equal(inputSchema.additionalProperties, false, name);
        for (const field of ['cc', 'bcc', 'headers', 'raw'])
          assert.ok(!(field in (inputSchema.properties ?? {})));
      }
      await close();
    });
  }

  it('with a wrong key get_account alone is listed, and says whom to turn to', async () => {
    const { client, call, close } = await inProcess({ era: ERAS[0], apiKey: 'acuse_nothing_nothing' });
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['get_account'],
    );
    const { error } = await call('get_account');
    assert.equal(error.code, 'unauthorized');
    assert.match(error.next, /person/);
    await close();
  });

  it('the key is in no answer, log or error', async () => {
    const lines = [];
    const key = 'acuse_canary_canary';
    const log = (line) => lines.push(line);
    const { client, call, close } = await inProcess({ era: ERAS[0], apiKey: key, log });
    lines.push(JSON.stringify(await call('get_account')), JSON.stringify(await client.listTools()));
    assert.ok(lines.every((line) => !line.includes('canary')));
    await close();
  });
});

describe('tools and resources', live, () => {
  let opened;
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acuse-mcp-'));
    opened = await inProcess({
      era: ERAS[0],
      answer: 'accept',
      variables: { ...MANY, ACUSE_MCP_FILES: folder },
    });
  });
  after(async () => {
    await opened?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  it('every tool that reads answers what its schema says', async () => {
    const { message } = await acuse().messages.send(draft({ certified: true, subject: 'Sealed' }));
    const plain = await acuse().messages.send(draft());
    const { id: message_id } = message;
    await acuse().evidence.waitUntilSealed(message_id);
    const one = { message_id };
    const calls = [
      ['get_account'],
      ['check_recipient', { address: 'ana@sandbox.test' }],
      ['list_templates'],
      ['list_messages', { status: ['sent', 'queued'], limit: 5 }],
      ['get_message', { ...one, include_transcript: true }],
      ['get_evidence', one],
      ['verify_message', one],
      ['get_proof_bundle', one],
      ['get_rates', { days: 7 }],
      ['get_domain_setup'],
    ];
    for (const [name, args] of calls) {
      const { error, output } = await opened.call(name, args);
      assert.equal(error, undefined, `${name}: ${JSON.stringify(error)}`);
      assert.ok(output);
    }
    assert.deepEqual(await readdir(folder), [`${message_id}.proof.zip`]);
    const file = `${message_id}.proof.zip`;
    assert.equal((await opened.call('verify_bundle', { file })).error.code, 'no_policy');
    const { output: verified } = await opened.call('verify_bundle', { file, trust: 'bundle' });
    assert.deepEqual([verified.valid, verified.verdict], [true, 'unproven']);
    assert.equal(verified.reasons[0].name, 'bundle_keys');
    const { error } = await opened.call('get_evidence', { message_id: plain.message.id });
    assert.equal(error.code, 'missing_proof_data');
  });

  it('files are named without paths', async () => {
    for (const file of ['../etc/passwd', '/etc/passwd', 'a/b', '..', '.hidden']) {
      const { error } = await opened.call('verify_bundle', { file, trust: 'bundle' });
      assert.equal(error.code, 'invalid_name');
    }
  });

  it('resources can be read', async () => {
    const { message } = await acuse().messages.send(draft());
    for (const uri of [
      'acuse://openapi',
      'acuse://llms',
      'acuse://errors/unauthorized',
      `acuse://messages/${message.id}`,
    ]) {
      const { contents } = await opened.client.readResource({ uri });
      assert.ok(contents[0].text.length > 20, uri);
    }
    await assert.rejects(opened.client.readResource({ uri: 'acuse://errors/nothing' }), /not_found/);
  });

  it('a repeated send is a replay, a changed one needs a preview, and so does a wrong token', async () => {
    const message = draft({ subject: randomUUID() });
    const { output } = await opened.call('preview_message', message);
    const preview_token = output.preview_token;
    const sent = await opened.call('send_message', { ...message, preview_token });
    const again = await opened.call('send_message', { ...message, preview_token });
    assert.deepEqual([sent.output.replayed, again.output.replayed], [false, true]);
    assert.equal(again.output.message.id, sent.output.message.id);
    for (const changed of [
      { text: 'Other.' },
      { to: 'ana@sandbox.test' },
      { tags: ['x'] },
      { certified: true },
    ]) {
      const { error } = await opened.call('send_message', { ...message, ...changed, preview_token });
      assert.equal(error.code, 'preview_required');
    }
  });

  it('an address of the sandbox that bounced can be written to again, as the API takes it', async () => {
    const to = 'bounced@sandbox.test';
    const { message } = await acuse().messages.send(draft({ to }));
    await eventually(async () => (await acuse().messages.get(message.id)).status === 'bounced');
    await eventually(async () => (await acuse().suppressions.list({ address: to }).toArray(1)).length === 1);
    const { output } = await opened.call('preview_message', draft({ to }));
    assert.deepEqual(output.refusals, []);
    assert.equal((await opened.call('check_recipient', { address: to })).output.suppressed, false);
  });

  it('copies and header fields are no arguments', async () => {
    for (const more of [{ cc: 'x@sandbox.test' }, { bcc: ['x@sandbox.test'] }, { headers: { 'X-A': 'b' } }]) {
      const { error } = await opened.call('preview_message', { ...draft(), ...more });
      assert.equal(error.code, 'invalid_arguments');
      assert.match(error.next, /no copies or header fields/);
    }
  });
});

describe('budgets', live, () => {
  it('per hour, counted from the API: two sends at once cannot both take the last place', async () => {
    const done = await acuse()
      .messages.list({ tag: 'mcp', created_after: new Date(Date.now() - 3_600_000) })
      .toArray(1000);
    const variables = { ACUSE_MCP_PER_HOUR: String(done.length + 1), ACUSE_MCP_CONFIRM: 'preview' };
    const { call, close } = await inProcess({ era: ERAS[0], variables });
    const drafts = [1, 2, 3].map(() => draft({ subject: randomUUID() }));
    const tokens = [];
    for (const each of drafts) tokens.push((await call('preview_message', each)).output.preview_token);
    const results = await Promise.all(
      drafts.map((each, at) => call('send_message', { ...each, preview_token: tokens[at] })),
    );
    assert.deepEqual(results.map(({ error }) => error?.code ?? 'sent').sort(), [
      'hourly_limit',
      'hourly_limit',
      'sent',
    ]);
    const at = results.findIndex(({ error }) => error === undefined);
    const replay = await call('send_message', { ...drafts[at], preview_token: tokens[at] });
    assert.equal(replay.output.replayed, true);
    await close();
  });
});
