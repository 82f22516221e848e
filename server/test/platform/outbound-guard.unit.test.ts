import net from 'node:net';
import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, afterEach, beforeAll, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { createOutboundHttp, type OutboundHttp } from '../../src/platform/network/outbound-http.ts';
import { createResolveHost } from '../../src/platform/network/resolve-host.ts';

/**
 * Requests that tenants could forge through us. Two witnesses: receivers on every local address count what
 * reaches them, and no socket of this process is ever told to connect.
 */
let everywhere: HttpsReceiver;
let everywhere6: HttpsReceiver;
let dials: MockInstance;
/**
 * The names in use here; what is not in it is asked of the real resolver, which knows localhost by itself.
 */
const NAMES: Record<string, string[]> = {
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.0.0.8'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'six.example': ['2606:4700::1111', 'fd00::1'],
  'public.example': ['93.184.215.14'],
};
const system = createResolveHost(['127.0.0.1:1']);
const resolve = async (name: string) => NAMES[name] ?? system(name);
let http: OutboundHttp;

beforeAll(async () => {
  everywhere = await startHttpsReceiver({ host: '0.0.0.0' });
  everywhere6 = await startHttpsReceiver({ host: '::1', port: everywhere.port });
  http = createOutboundHttp({ allowLoopback: false, resolve, timeoutMs: 2_000 });
});

afterAll(async () => {
  await http.close();
  await everywhere.close();
  await everywhere6.close();
});

beforeEach(() => {
  dials = vi.spyOn(net.Socket.prototype, 'connect');
});

afterEach(() => {
  dials.mockRestore();
});

async function expectUnreached(attempt: (url: string) => Promise<unknown>, url: string): Promise<void> {
  const before = everywhere.connections + everywhere6.connections;
  await attempt(url);
  expect(dials).not.toHaveBeenCalled();
  expect(everywhere.connections + everywhere6.connections).toBe(before);
}

/** `:P` stands for the port that the receivers listen on. */
const FORGED = [
  // IPv4 in every spelling that URL parsers read as one.
  'https://127.0.0.1:P/',
  'https://127.1:P/',
  'https://127.0.1:P/',
  'https://2130706433:P/',
  'https://0x7f000001:P/',
  'https://0x7f.0.0.1:P/',
  'https://0x7f.1:P/',
  'https://017700000001:P/',
  'https://0177.0.0.01:P/',
  'https://00000177.0.0.1:P/',
  'https://127.0.0.1.:P/',
  'https://127.255.255.254:P/',
  'https://0:P/',
  'https://0.0.0.0:P/',
  'https://00:P/',
  'https://0x0:P/',
  // In other alphabets, and escaped.
  'https://①②⑦.⓪.⓪.①:P/',
  'https://１２７.０.０.１:P/',
  'https://127。0。0。1:P/',
  'https://127｡0｡0｡1:P/',
  'https://𝟏𝟐𝟕.𝟎.𝟎.𝟏:P/',
  'https://%31%32%37.0.0.1:P/',
  'https://127.0.0%2e1:P/',
  'https://%6c%6f%63%61%6c%68%6f%73%74:P/',
  'https://127.0.0.1%00.example.com:P/',
  // Names of this machine.
  'https://localhost:P/',
  'https://LOCALHOST:P/',
  'https://localhost.:P/',
  'https://ｌｏｃａｌｈｏｓｔ:P/',
  'https://anything.localhost:P/',
  'https://anything.localhost.:P/',
  // IPv6, with all that it can carry.
  'https://[::1]:P/',
  'https://[0:0:0:0:0:0:0:1]:P/',
  'https://[::]:P/',
  'https://[::ffff:127.0.0.1]:P/',
  'https://[::ffff:7f00:1]:P/',
  'https://[0:0:0:0:0:ffff:7f00:1]:P/',
  'https://[::127.0.0.1]:P/',
  'https://[::ffff:0:127.0.0.1]:P/',
  'https://[64:ff9b::127.0.0.1]:P/',
  'https://[64:ff9b:1::127.0.0.1]:P/',
  'https://[2002:7f00:1::]:P/',
  'https://[2001:0:7f00:1::]:P/',
  'https://[2001:db8::1]:P/',
  'https://[fc00::1]:P/',
  'https://[fd00:ec2::254]/latest/meta-data/',
  'https://[fe80::1]:P/',
  'https://[fe80::1%25lo]:P/',
  'https://[fe80::1%lo]:P/',
  'https://[ff02::1]:P/',
  // Private networks, metadata services, CGNAT, broadcast, multicast, reserved.
  'https://10.0.0.1:P/',
  'https://172.16.0.1:P/',
  'https://192.168.1.1:P/',
  'https://100.64.0.1:P/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://169.254.170.2/v2/credentials',
  'https://192.0.0.192/opc/v2/',
  'https://198.18.0.1:P/',
  'https://224.0.0.1:P/',
  'https://240.0.0.1:P/',
  'https://255.255.255.255:P/',
  // Names that resolve to them, in part too.
  'https://loopback.example:P/',
  'https://loopback.example.:P/',
  'https://private.example:P/',
  'https://metadata.example/',
  'https://mixed.example:P/',
  'https://mapped.example:P/',
  'https://six.example:P/',
  'https://unknown.example:P/',
  // The server that is asked is not the one that is named.
  'https://public.example@127.0.0.1:P/',
  'https://public.example:443@127.0.0.1:P/',
  'https://127.0.0.1:P\\@public.example/',
  'https://public.example#@127.0.0.1:P/',
  'https://127.0.0.1:P/#public.example',
  'https:\\\\127.0.0.1:P/',
  'https:127.0.0.1:P/',
  'https:///127.0.0.1:P/',
  'https://127.0.0.1:P?public.example',
  'https://127.0.\t0.1:P/',
  'https://127.0.0.1\n:P/',
  ' https://127.0.0.1:P/',
  // Other schemes.
  'http://127.0.0.1:P/',
  'http://public.example/',
  'HTTP://127.0.0.1:P/',
  'ftp://127.0.0.1:P/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:P/_',
  'data:text/plain,hello',
  'javascript:0',
  'unix:/var/run/docker.sock',
  'wss://127.0.0.1:P/',
  '//127.0.0.1:P/',
  '127.0.0.1:P',
  'https://',
  'https://[::1',
  '',
  `https://127.0.0.1:P/${'a'.repeat(2_048)}`,
].map((url) => url.replace(':P', () => ':PORT'));

test(`${FORGED.length} forged URLs are refused when they are given, and called by none`, async () => {
  expect(FORGED.length).toBeGreaterThanOrEqual(40);
  for (const forged of FORGED) {
    const url = forged.replace(':PORT', `:${everywhere.port}`);
    await expectUnreached(async () => {
      expect(await http.refusal(url), forged).toEqual(expect.stringMatching(/^url/));
    }, url);
    await expectUnreached(async () => {
      expect(await http.post(url, {}, Buffer.from('{}')), forged).toMatchObject({
        ok: false,
        statusCode: null,
      });
    }, url);
  }
});

test('what is refused does not say which private address a name has', async () => {
  expect(await http.refusal('https://private.example/')).not.toContain('10.0.0.8');
  const result = await http.post('https://private.example/', {}, Buffer.from('{}'));
  expect(JSON.stringify(result)).not.toContain('10.0.0.8');
});

test('a name that changes its address after the check is looked at again where it is dialled', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const rebinding = createOutboundHttp({ allowLoopback: false, resolve: async () => answers.shift() ?? [] });
  const url = `https://rebind.example:${everywhere.port}/`;
  expect(await rebinding.refusal(url)).toBeNull();
  const before = everywhere.connections;
  expect(await rebinding.post(url, {}, Buffer.from('{}'))).toMatchObject({
    ok: false,
    error: expect.stringContaining('public'),
  });
  expect(dials).not.toHaveBeenCalled();
  expect(everywhere.connections).toBe(before);
  await rebinding.close();
});

test('the address that was checked is the one that is dialled: one look-up a connection', async () => {
  let asked = 0;
  const rebinding = createOutboundHttp({
    allowLoopback: true,
    ca: [everywhere.caPem],
    // Allowed the first time, forbidden in any look-up after the check.
    resolve: async () => [asked++ === 0 ? '127.0.0.1' : '10.0.0.1'],
  });
  expect(await rebinding.post(everywhere.url(), {}, Buffer.from('{}'))).toMatchObject({ ok: true });
  expect(asked).toBe(1);
  expect(dials).toHaveBeenCalledTimes(1);
  await rebinding.close();
});

test('development lifts the rule for this machine only, and http nowhere else', async () => {
  const development = createOutboundHttp({ allowLoopback: true, resolve, timeoutMs: 2_000 });
  for (const url of [
    'http://127.0.0.1:1/',
    'https://localhost:1/',
    'https://[::1]:1/',
    'http://localhost:1/',
  ])
    expect(await development.refusal(url), url).toBeNull();
  for (const url of [
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'http://public.example/',
    'http://10.0.0.1/',
  ]) {
    expect(await development.refusal(url), url).not.toBeNull();
    expect(await development.post(url, {}, Buffer.from('{}')), url).toMatchObject({ ok: false });
  }
  expect(dials).not.toHaveBeenCalled();
  await development.close();
});

test('public hosts are not refused', async () => {
  for (const url of [
    'https://public.example/hooks',
    'https://PUBLIC.example:8443/hooks?a=b',
    'https://public.example./',
    'https://93.184.215.14/',
    'https://[2606:4700::1111]/',
  ])
    expect(await http.refusal(url), url).toBeNull();
});
