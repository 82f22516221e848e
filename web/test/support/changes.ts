import type { Known } from '../pages.mjs';
import { openAccount } from './people.ts';
import type { Portal } from './portal.ts';
import { ownHeaders } from './sessions.ts';

/** Changes of people and operators in a year, so that both audit logs hold entries with their values. */
export async function changeSome(portal: Portal, { deferred }: Pick<Known, 'deferred'>): Promise<void> {
  const developer = await portal.asDeveloper();
  await developer.close();
  const people = await portal.ownerAsks('GET', '/members');
  const { id } = people.data.find(({ role }: { role: string }) => role === 'developer');
  await portal.ownerAsks('PATCH', `/members/${id}`, { role: 'viewer' });
  const key = await portal.ownerAsks('POST', '/api-keys', {
    name: 'ERP',
    scopes: ['messages:send', 'evidence:read'],
  });
  await portal.ownerAsks('DELETE', `/api-keys/${key.id}`);
  await portal.ownerAsks('POST', `/messages/${deferred}/retry`);

  const operator = await portal.asOperator();
  const { origin } = new URL(String(portal.server.sandbox!['admin_url']));
  const asOperator = async (method: string, path: string, data: object) => {
    const request = { method, headers: ownHeaders(origin), data };
    const answer = await operator.context.request.fetch(`${origin}/v1/admin${path}`, request);
    if (answer.status() >= 300) throw new Error(`${path}: ${await answer.text()}`);
  };
  const { id: other } = await openAccount(portal, 'Ejemplo, S. A.');
  await asOperator('PATCH', `/tenants/${other}`, { status: 'suspended', quota_messages_month: 5 });
  const [reason, destination] = [
    'ticket 4711, ticket 4712, ticket 4713, ticket 4714, ticket 4715',
    'correo.example.com',
  ];
  await asOperator('PUT', `/queue/pauses/destinations/${destination}`, { reason });
  await asOperator('PUT', `/queue/notes/${destination}/conversations`, { value: 2, reason, days: 90 });
  await asOperator('PUT', '/queue/notes/boletines.example.net/no_pipelining', { value: 1, reason });
  await asOperator('POST', '/queue/caps', { receiver: '*', steps: [5_000], reason, days: 90 });
  await asOperator('POST', '/suppressions', { address: 'nobody@example.com', reason: 'ticket 4712' });
  await asOperator('POST', '/operators', { email: 'support@example.com', role: 'support' });
  await operator.close();
}
