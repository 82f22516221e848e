import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type DnsServer, hasDnsmasq, startDnsmasq } from '@acuse/testkit/dnsmasq';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutboundHttp } from '../../src/platform/network/outbound-http.ts';
import { createResolveHost } from '../../src/platform/network/resolve-host.ts';

test('names of this machine are asked of nobody', async () => {
  const resolve = createResolveHost(['127.0.0.1:1']);
  for (const name of ['localhost', 'hooks.localhost'])
    expect(await resolve(name)).toEqual(['127.0.0.1', '::1']);
});

test('a DNS server that is silent keeps nobody waiting for long, and others not at all', async () => {
  const silent = createSocket('udp4');
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const http = createOutboundHttp({
    allowLoopback: false,
    dnsServers: [`127.0.0.1:${silent.address().port}`],
  });
  const startedMs = performance.now();
  let answered = 0;
  const slow = Array.from({ length: 32 }, async (_, at) => {
    const refusal = await http.refusal(`https://host${at}.example/`);
    answered++;
    return refusal;
  });
  expect(await http.refusal('https://93.184.215.14/')).toBeNull();
  expect(answered).toBe(0);
  for (const refusal of await Promise.all(slow)) expect(refusal).toContain('does not resolve');
  expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS);
  await http.close();
  silent.close();
});

describe.skipIf(!hasDnsmasq)(`over a real DNS server${hasDnsmasq ? '' : ' (skipped: needs dnsmasq)'}`, () => {
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await startDnsmasq(['hooks.example']);
    await dns.serve([
      { type: 'A', name: 'four.hooks.example', value: '192.0.2.4' },
      { type: 'A', name: 'six.hooks.example', value: '2001:db8::6' },
      ...['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'].map((value) => ({
        type: 'A' as const,
        name: 'both.hooks.example',
        value,
      })),
      { type: 'CNAME', name: 'alias.hooks.example', value: 'target.hooks.example' },
      { type: 'A', name: 'internal.hooks.example', value: '10.0.0.7' },
    ]);
  });

  afterAll(() => dns.stop());

  const resolve = (name: string) => createResolveHost([dns.address])(name);

  test('addresses of one family are those, of both they come by turns', async () => {
    expect(await resolve('four.hooks.example')).toEqual(['192.0.2.4']);
    expect(await resolve('six.hooks.example')).toEqual(['2001:db8::6']);
    const both = await resolve('both.hooks.example');
    expect(both).toHaveLength(4);
    expect(both[0]).toBe('2001:db8::1');
    expect(new Set(both.slice(1))).toEqual(new Set(['192.0.2.1', '192.0.2.2', '192.0.2.3']));
  });

  test('an alias is followed', async () => {
    expect(await resolve('alias.hooks.example')).toEqual(['192.0.2.1']);
  });

  test('a name that is not there has no address, and no search list finds it another', async () => {
    await expect(resolve('none.hooks.example')).rejects.toThrow('none.hooks.example has no address');
    await expect(resolve('four')).rejects.toThrow('has no address');
  });

  test('what it says is what the guard goes by', async () => {
    const http = createOutboundHttp({ allowLoopback: false, dnsServers: [dns.address] });
    expect(await http.refusal('https://internal.hooks.example/')).toContain('public');
    expect(await http.refusal('https://INTERNAL.hooks.example./')).toContain('public');
    expect(await http.refusal('https://none.hooks.example/')).toContain('does not resolve');
    await http.close();
  });
});
