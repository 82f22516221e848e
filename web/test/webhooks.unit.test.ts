import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signaturesOf } from '../portal/src/pages/webhook/signature.ts';

describe('signatures', () => {
  const secret = `whsec_${Buffer.from('a secret of some bytes, in base64').toString('base64')}`;
  const headers = { 'webhook-id': 'e-1', 'webhook-timestamp': '1795372338' };

  test('are those that the service makes', async () => {
    const body = '{"reply":"no hay buzón"}';
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(await signaturesOf(secret, { body, headers })).toEqual({
      service: `sha256=${hmac(secret, body).digest('hex')}`,
      standard: `v1,${hmac(bytes, `e-1.1795372338.${body}`).digest('base64')}`,
    });
  });

  test.each(['', 'whsec_', 'whsec_ñ', 'whsec_abcde', 'sk_abcd'])('%j is no secret', async (text) => {
    expect(await signaturesOf(text, { body: '', headers })).toBeNull();
  });
});
