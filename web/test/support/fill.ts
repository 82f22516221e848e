import { eventually } from '@acuse/testkit/eventually';
import { AGENT, type Known, SHARE, TEMPLATE } from '../pages.mjs';
import { changeSome } from './changes.ts';
import type { Portal } from './portal.ts';
import type { Receiver } from './receiver.ts';

/** Something on every page. */
export async function fill(portal: Portal, receiver: Receiver): Promise<Known> {
  const endpoint = { url: receiver.url, events: ['*'], description: 'ERP, production' };
  const webhook = (await portal.api('POST', '/v1/webhooks', endpoint)).body.id;
  const html = '<p>Hello <a href="https://example.com/a">there</a></p>';
  const [sent, deferred] = [
    await portal.send({ html }),
    await portal.send({
      to: 'greylisted@sandbox.test',
      subject: 'Lorem ipsum dolor sit amet, consectetur',
    }),
  ];
  const message = async (id: string) => (await portal.api('GET', `/v1/messages/${id}`)).body;
  await eventually(async () => (await message(sent)).sealed_at !== null);
  await eventually(async () => (await message(deferred)).status === 'deferred');
  const { body: made } = await portal.api('POST', '/v1/templates', TEMPLATE.created);
  await portal.api('PATCH', `/v1/templates/${made.id}`, TEMPLATE.changed);
  const tenant = String(portal.server.sandbox!['tenant_id']);
  const { body: domain } = await portal.api('POST', '/v1/domains', { name: 'boletines.example.com' });
  await portal.api('POST', `/v1/domains/${domain.id}/verify`);
  await portal.api('POST', '/v1/senders', { address: '*@boletines.example.com' });
  await portal.api('POST', '/v1/suppressions', { address: 'a.very.long.address@mail.example.com' });
  const deliveries = async () => (await portal.api('GET', `/v1/webhooks/${webhook}/deliveries`)).body.data;
  await eventually(async () =>
    (await deliveries()).some(({ attempts }: { attempts: number }) => attempts > 0),
  );
  const delivery = (await deliveries()).at(-1).id;
  const { body: mails } = await portal.api('GET', '/sandbox/mailbox');
  const { url } = await portal.ownerAsks('POST', `/messages/${sent}/shares`, SHARE);
  const { pathname, hash } = new URL(url);
  const share = pathname + hash;
  const mail = mails.data[0].id;
  const { body: program } = await portal.api('POST', '/oauth/register', AGENT.metadata);
  const asks = String(new URLSearchParams({ ...AGENT.asks, client_id: program.client_id }));
  const scopes = ['messages:send', 'evidence:read'];
  const asking = { name: 'Claude', scopes, needs_approval: true };
  const { body: agent } = await portal.api('POST', '/v1/api-keys', asking);
  const approval = await askToSend(portal, agent.key, html);
  const things = { template: made.id, domain: domain.id, tenant, webhook, delivery, mail, approval };
  const known = { sent, deferred, ...things, share, asks };
  await changeSome(portal, known);
  return known;
}

/** A send that waits for a person; its id. */
async function askToSend(portal: Portal, key: string, html: string): Promise<string> {
  const answer = await fetch(`${portal.base}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'every-page-asks',
    },
    body: JSON.stringify({
      ...{ from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'Lorem ipsum' },
      ...{ html, text: 'Hello there' },
    }),
  });
  const { error } = (await answer.json()) as { error: { message: string } };
  return error.message.slice(error.message.lastIndexOf('/') + 1);
}
