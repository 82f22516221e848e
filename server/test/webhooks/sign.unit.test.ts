import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { storableJson } from '../../src/webhooks/event.ts';
import { newWebhookSecret, webhookHeaders } from '../../src/webhooks/sign.ts';

const body = Buffer.from('{"type":"email.sent","text":"ñ 漢"}');
const facts = { webhookId: 'w', eventId: 'e', type: 'email.sent', body, previousSecret: null };

function signed(secret: string, previousSecret: string | null = null, at = new Date()) {
  return webhookHeaders({ ...facts, secret, previousSecret, at });
}

test('a secret is whsec_ and 32 bytes in base64, never the same twice', () => {
  const secrets = new Set(Array.from({ length: 100 }, newWebhookSecret));
  expect(secrets.size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
});

test('headers are those of the specification, to the letter', () => {
  const secret = newWebhookSecret();
  const headers = signed(secret);
  expect(headers).toMatchObject({
    'Content-Type': 'application/json',
    'Service-Event': 'email.sent',
    'Service-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'Service-Webhook-Id': 'w',
    'User-Agent': 'service-webhooks/1.0',
  });
  expect(headers).not.toHaveProperty('Service-Signature-Previous');
});

test('the signature is one that anyone can compute: a fixed vector', () => {
  const headers = webhookHeaders({
    webhookId: 'w',
    eventId: 'msg_1',
    type: 'email.queued',
    body: Buffer.from('{}'),
    secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    previousSecret: null,
    at: new Date('2026-01-02T03:04:05.678Z'),
  });
  // printf '{}' | openssl dgst -sha256 -hmac 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE='
  expect(headers['Service-Signature']).toBe(
    'sha256=e932e979856513dda4c9a46d886d8095356e73e185a4aeeb8042b45bec48523b',
  );
  // printf 'msg_1.1767323045.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01 -binary | base64
  expect(headers['webhook-timestamp']).toBe('1767323045');
  expect(headers['webhook-signature']).toBe('v1,kT/oo+hZqB4zhUs1tHXWK5JXxneJDCsrDtgsDjnYbSE=');
});

test('the Standard Webhooks library accepts the other headers, and no other body, id or time', () => {
  const secret = newWebhookSecret();
  const headers = signed(secret);
  const verifier = new Webhook(secret);
  expect(verifier.verify(body, headers)).toEqual(JSON.parse(body.toString()));
  expect(() => verifier.verify(Buffer.concat([body, Buffer.from(' ')]), headers)).toThrow();
  expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'other' })).toThrow();
  expect(() => verifier.verify(body, signed(secret, null, new Date(Date.now() - 10 * 60_000)))).toThrow();
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
});

test('while two secrets are valid, holders of either can check', () => {
  const [before, now] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signed(now, before);
  expect(headers['Service-Signature']).toBe(`sha256=${createHmac('sha256', now).update(body).digest('hex')}`);
  expect(headers['Service-Signature-Previous']).toBe(
    `sha256=${createHmac('sha256', before).update(body).digest('hex')}`,
  );
  for (const secret of [before, now]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
});

test('what PostgreSQL cannot store is replaced, all else is as it was', () => {
  expect(storableJson({ reply: 'a\0b', deep: [{ x: '\ud800' }, 'ok'] })).toBe(
    JSON.stringify({ reply: 'a\ufffdb', deep: [{ x: '\ufffd' }, 'ok'] }),
  );
  for (const value of [{ a: '\\u0000' }, { a: '😀\n"\\' }, {}, { n: 1, z: null }])
    expect(storableJson(value)).toBe(JSON.stringify(value));
});
