import { startDnsPeer } from '@acuse/testkit/dns-peer';
import { expect, onTestFinished, test } from 'vitest';
import { createReverse } from '../../../src/operate/doctor/probes.ts';

test('the name of an address is what the DNS says, whatever the hosts file says', async () => {
  const dns = await startDnsPeer((name, type) =>
    name === '1.0.0.127.in-addr.arpa' && type === 'PTR'
      ? { records: [{ name, type, value: 'mail.example.com' }] }
      : undefined,
  );
  onTestFinished(() => dns.close());
  const reverse = createReverse([dns.server]);
  // Every hosts file has these two.
  expect(await reverse('127.0.0.1')).toStrictEqual({ kind: 'found', values: ['mail.example.com'] });
  expect(await reverse('::1')).toStrictEqual({ kind: 'none' });
});
