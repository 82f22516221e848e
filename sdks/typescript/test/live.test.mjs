// The client against the real service in sandbox mode.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Attachment } from '@acuse/client';
import { client, draft, live } from './support/live.mjs';

describe('messages', live, () => {
  const acuse = live.skip ? undefined : client();

  it('an attachment arrives byte for byte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
    const path = join(folder, 'nómina.PDF');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 31) & 255));
    await writeFile(path, bytes);
    const attachment = await Attachment.fromFile(path);
    await rm(folder, { recursive: true });
    assert.equal(attachment.content_type, 'application/pdf');
    const { message } = await acuse.messages.send(draft({ attachments: [attachment] }));
    const { parts } = await acuse.messages.getParts(message.id);
    const part = parts.find(({ filename }) => filename === 'nómina.PDF');
    assert.deepEqual(Buffer.from(await acuse.messages.getPart(message.id, String(part.index))), bytes);
  });
});

describe('every resource', live, () => {
  const acuse = live.skip ? undefined : client();

  it('answers what the contract says', async () => {
    const key = await acuse.apiKeys.create({ name: randomUUID(), scopes: ['evidence:read'] });
    assert.ok((await acuse.apiKeys.list().toArray(100)).some(({ id }) => id === key.id));
    await acuse.apiKeys.revoke(key.id);
    const domain = await acuse.domains.create({ name: `${randomUUID().slice(0, 8)}.example` });
    assert.equal((await acuse.domains.get(domain.id)).name, domain.name);
    await acuse.domains.delete(domain.id);
    const template = await acuse.templates.create({
      name: randomUUID(),
      subject: 'Hi {{name}}',
      text: 'Hi {{name}}',
    });
    const rendered = await acuse.templates.render(template.id, { variables: { name: 'Ana' } });
    assert.equal(rendered.subject, 'Hi Ana');
    const suppressed = await acuse.suppressions.create({
      address: `${randomUUID()}@example.com`,
      reason: 'x',
    });
    await acuse.suppressions.delete(suppressed.id);
    assert.equal((await acuse.rates.get({ days: 2 })).days, 2);
    assert.equal((await acuse.account.get()).sandbox, true);
    assert.equal((await acuse.health.live()).status, 'ok');
    for await (const event of acuse.events.list({ limit: 5 })) {
      assert.match(event.type, /^email\./);
      break;
    }
    assert.match(await acuse.messages.exportCsv(), /^id,created_at/);
  });
});
