// A first day with the client that openapi-typescript and openapi-fetch make: send,
// list, read an error.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const client = createClient<paths>({
  baseUrl: process.env['ACUSE_URL']!,
  headers: { Authorization: `Bearer ${process.env['ACUSE_API_KEY']}` },
});
const send: components['schemas']['Send'] = {
  from: 'Billing <billing@sandbox.test>',
  to: 'delivered@sandbox.test',
  subject: 'From TypeScript',
  text: 'Hello.',
};
const sent = await client.POST('/v1/messages', {
  params: { header: { 'Idempotency-Key': `typescript-${Date.now()}` } },
  body: send,
});
if (sent.error !== undefined) throw new Error(sent.error.error.message);
const status: components['schemas']['MessageStatus'] = sent.data.status;

const listed = await client.GET('/v1/messages', { params: { query: { limit: 10 } } });
const first: components['schemas']['Message'] | undefined = listed.data?.data[0];
if (first?.id !== sent.data.id) throw new Error(`${first?.id} is listed, not ${sent.data.id}`);

const refused = await client.POST('/v1/messages', {
  params: { header: { 'Idempotency-Key': 'refused' } },
  body: { ...send, to: 'nobody' },
});
const code: components['schemas']['ErrorCode'] | undefined = refused.error?.error.code;
if (code !== 'invalid_address') throw new Error(`refused with ${code}`);
console.log(`TypeScript: ${status}, listed, ${code}`);
