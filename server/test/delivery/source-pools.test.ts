import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { type DnsServer, hasDnsmasq, startDnsmasq } from '@acuse/testkit/dnsmasq';
import { PATIENCE } from '@acuse/testkit/eventually';
import type { PeerScript, SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { openRouter } from '../../src/delivery/next-hop/open-router.ts';
import { requireOwnAddresses } from '../../src/delivery/next-hop/source-pools.ts';
import { showDestination, showMessage } from '../../src/delivery/operate/queue.ts';
import type { Delivery } from '../../src/delivery/worker.ts';
import { acuse } from '../cli/run.ts';
import { type Harness, log, openHarness } from './harness.ts';

/** Where direct mail may go, and whom it is sent as: over a real DNS server, as the configuration has it. */
const NAMES = 30;

let h: Harness;
let dns: DnsServer;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear('delivery_windows'));
afterAll(() => h.close());

function work(port: number, settings: Record<string, string> = {}): Delivery {
  const { config } = loadConfig({
    ACUSE_DELIVERY: 'direct',
    ACUSE_HOSTNAME: 'mail.acuse.test',
    ACUSE_LOG_ORIGIN: 'acuse.test/log',
    ACUSE_DNS_SERVERS: dns.address,
    ACUSE_SMTP_PORT: String(port),
    ...settings,
  });
  const world = {
    db: h.db,
    log,
    clock: h.clock,
    random: () => 0.5,
    sandboxDomain: 'sandbox.test',
    mailbox: null,
  };
  return h.work(openRouter(config, world), { windowReportsEveryMs: 20 });
}

const LOCAL = { ACUSE_PRIVATE_NETWORKS: '127.0.0.0/8, ::1' };
const queue = (tenantId: string, to: string) => h.queue(tenantId, { to, from: 'sender@acuse.test' });

const peer = (script?: PeerScript, host = '0.0.0.0') => h.peer(script, { host });

describe.skipIf(!hasDnsmasq)('where mail may go (skipped without dnsmasq)', () => {
  /**
   * Addresses that a stranger's DNS may give, and that are never his: those that would reach this machine
   * first.
   */
  const FORBIDDEN = [
    ...[
      '127.0.0.1',
      '127.0.0.53',
      '127.255.255.254',
      '0.0.0.0',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ],
    ...['10.1.2.3', '172.16.0.9', '192.168.1.1', '169.254.169.254', '100.64.0.1', '192.0.2.1', '198.18.0.1'],
    ...['224.0.0.1', '255.255.255.255', 'fd00::1', 'fe80::1', 'fec0::1', 'ff02::1', '64:ff9b::10.0.0.1'],
    ...['2002:7f00:1::1', '2001:db8::1'],
  ];
  let listener: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
    port = (listener.address() as { port: number }).port;
    dns = await startDnsmasq(['d.test']);
    await dns.serve([
      ...FORBIDDEN.flatMap((value, at) => [
        { type: 'MX', name: `f${at}.d.test`, value: `mx${at}.d.test`, priority: 10 } as const,
        { type: 'A', name: `mx${at}.d.test`, value } as const,
      ]),
      { type: 'A', name: 'implicit.d.test', value: '127.0.0.1' },
      { type: 'MX', name: 'mixed.d.test', value: 'inside.d.test', priority: 10 },
      { type: 'MX', name: 'mixed.d.test', value: 'other.d.test', priority: 20 },
      { type: 'A', name: 'inside.d.test', value: '127.0.0.1' },
      { type: 'A', name: 'other.d.test', value: '127.0.0.2' },
    ]);
  });
  afterAll(async () => {
    await dns.stop();
    await new Promise((resolve) => listener.close(resolve));
  });

  test(`a domain whose mail hosts have ${FORBIDDEN.length} kinds of addresses that are not public: none is connected, and its mail bounces with the reason`, async () => {
    const tenantId = await h.tenant();
    const domains = [...FORBIDDEN.map((_, at) => `f${at}.d.test`), 'implicit.d.test'];
    const ids = await Promise.all(domains.map((domain) => queue(tenantId, `ana@${domain}`)));
    work(port);
    for (const [at, id] of ids.entries()) {
      const message = await h.attempted(id);
      expect([FORBIDDEN[at], message.status, message.last_reply?.enhanced]).toEqual([
        FORBIDDEN[at],
        'bounced',
        '5.4.4',
      ]);
      expect(message.last_reply!.text).toMatch(/^\S+: no address on the public Internet$/);
      expect(message.attemptRows[0]).toMatchObject({ sessions: [], bounce_type: 'soft' });
    }
    expect(connections).toBe(0);
    expect(await h.db.query('select address from suppressions where tenant_id = $1', [tenantId])).toEqual([]);
  });

  test('an operator lets it go into networks of his own, and nowhere else', async () => {
    const tenantId = await h.tenant();
    const outside = await peer({}, '127.0.0.2');
    // Both hosts listen on the port; only the second one's network is open.
    const inside = await startSmtpPeerOn(outside.port);
    const mixed = await queue(tenantId, 'ana@mixed.d.test');
    const shut = await queue(tenantId, 'ana@implicit.d.test');
    work(outside.port, { ACUSE_PRIVATE_NETWORKS: '127.0.0.2' });
    expect((await h.attempted(mixed)).last_reply).toMatchObject({ code: 250, mx: 'other.d.test' });
    expect((await h.attempted(shut)).status).toBe('bounced');
    expect([outside.messages().length, inside()]).toEqual([1, 0]);
  });

  /** Counts connections to 127.0.0.1. */
  async function startSmtpPeerOn(at: number): Promise<() => number> {
    let count = 0;
    const server = createServer((socket) => {
      count++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    h.closeLater({ close: () => new Promise((resolve) => server.close(resolve)) });
    return () => count;
  }
});

describe.skipIf(!hasDnsmasq)('source pools (skipped without dnsmasq)', () => {
  const POOLS = {
    ...LOCAL,
    ACUSE_SOURCE_POOLS:
      'bulk=bulk.acuse.test/127.0.0.2, vip=vip.acuse.test/127.0.0.3, named=named.acuse.test',
  };

  beforeAll(async () => {
    dns = await startDnsmasq(['d.test']);
    await dns.serve([
      { type: 'MX', name: 'd.test', value: 'mx.d.test', priority: 10 },
      { type: 'A', name: 'mx.d.test', value: '127.0.0.1' },
      // A pool without an IPv6 address must not come over it.
      { type: 'A', name: 'mx.d.test', value: '::1' },
      { type: 'MX', name: 'self.d.test', value: 'bulk.acuse.test', priority: 10 },
    ]);
  });
  afterAll(() => dns.stop());

  async function tenantOf(pool: string): Promise<string> {
    const tenantId = await h.tenant();
    const env = {
      DATABASE_URL: h.url,
      ACUSE_DATA_DIR: tmpdir(),
      ACUSE_DELIVERY: 'direct',
      ...IDENTITY,
      ...POOLS,
    };
    const said = await acuse(['tenants', 'update', tenantId, '--source-pool', pool, '--json'], env);
    expect([said.code, said.json.source_pool]).toEqual([0, pool]);
    return tenantId;
  }
  const IDENTITY = { ACUSE_HOSTNAME: 'mail.acuse.test', ACUSE_LOG_ORIGIN: 'acuse.test/log' };

  /** The server's record of each client: its address, the name that it gave, and the recipients. */
  function clients(host: SmtpPeer): Map<string, { names: Set<string>; to: Set<string> }> {
    const seen = new Map<string, { names: Set<string>; to: Set<string> }>();
    for (const session of host.sessions) {
      const client = seen.get(session.remoteAddress) ?? { names: new Set(), to: new Set() };
      seen.set(session.remoteAddress, client);
      for (const line of session.commands) if (line.startsWith('EHLO ')) client.names.add(line.slice(5));
      for (const { rcpt } of session.messages)
        for (const line of rcpt) client.to.add(/<(\w+?)\d*@/.exec(line)![1]!);
    }
    return seen;
  }

  test('each account is sent from the addresses and under the name of its pool, over connections of its own', async () => {
    const host = await peer();
    const tenants = {
      bulk: await tenantOf('bulk'),
      vip: await tenantOf('vip'),
      named: await tenantOf('named'),
      plain: await h.tenant(),
    };
    const ids = new Map<string, string[]>();
    for (const [name, tenantId] of Object.entries(tenants))
      ids.set(
        name,
        await Promise.all(Array.from({ length: NAMES }, (_, n) => queue(tenantId, `${name}${n}@d.test`))),
      );
    work(host.port, POOLS);
    for (const [name, own] of ids) {
      for (const id of own) expect([name, (await h.attempted(id)).status]).toEqual([name, 'sent']);
    }
    expect(clients(host)).toEqual(
      new Map([
        ['127.0.0.2', { names: new Set(['bulk.acuse.test']), to: new Set(['bulk']) }],
        ['127.0.0.3', { names: new Set(['vip.acuse.test']), to: new Set(['vip']) }],
        [
          '127.0.0.1',
          { names: new Set(['named.acuse.test', 'mail.acuse.test']), to: new Set(['named', 'plain']) },
        ],
      ]),
    );
    for (const session of host.sessions) {
      const [greeting] = session.commands.filter((line) => line.startsWith('EHLO '));
      const pool = greeting!.slice(5).replace('mail.', 'plain.').split('.')[0];
      for (const { rcpt } of session.messages) expect(rcpt.join()).toContain(`<${pool}`);
    }
    const [attempt] = (await h.message(ids.get('vip')![0]!)).attemptRows;
    expect((attempt!['sessions'] as { local_address: string }[])[0]!.local_address).toBe('127.0.0.3');
  });

  test('what a server holds against one pool is not held against another', async () => {
    const host = await peer({
      banner: ({ remoteAddress }) =>
        remoteAddress === '127.0.0.2' ? '421 4.7.0 too much from you\r\n' : { kind: 'default' },
    });
    const [bulk, vip] = [await tenantOf('bulk'), await tenantOf('vip')];
    const held = await Promise.all(Array.from({ length: NAMES }, (_, n) => queue(bulk, `b${n}@d.test`)));
    work(host.port, POOLS);
    await vi.waitFor(async () => {
      const { windows } = await showDestination(h, 'd.test');
      expect(windows).toMatchObject([{ source_pool: 'bulk', places: 1, closed_until: expect.any(Date) }]);
    }, PATIENCE);
    const free = await Promise.all(Array.from({ length: NAMES }, (_, n) => queue(vip, `v${n}@d.test`)));
    for (const id of free) expect((await h.attempted(id)).status).toBe('sent');
    const untried = (await Promise.all(held.map((id) => h.message(id)))).filter(
      ({ attempts }) => attempts === 0,
    );
    expect(untried.length).toBeGreaterThan(0);
  });

  test('an account whose pool is not here is not sent from elsewhere: its mail waits, and says why', async () => {
    const host = await peer();
    const id = await queue(await tenantOf('bulk'), 'ana@d.test');
    work(host.port, { ...LOCAL, ACUSE_SOURCE_POOLS: 'vip=vip.acuse.test/127.0.0.3' });
    const message = await h.attempted(id);
    expect([message.status, host.sessions.length]).toEqual(['deferred', 0]);
    expect((await showMessage(h, id)).why.join()).toContain('no source pool "bulk" in ACUSE_SOURCE_POOLS');
  });

  test('each name of ours is us: a domain whose mail host has one of them loops', async () => {
    const id = await queue(await h.tenant(), 'ana@self.d.test');
    work(1, POOLS);
    expect((await h.attempted(id)).last_reply).toMatchObject({ enhanced: '5.4.6' });
  });

  test('addresses that this machine does not have are told at the start, pools that nobody knows at once', async () => {
    const pool = { name: 'bulk', ehloName: 'bulk.acuse.test', v4: '192.0.2.1', v6: null };
    await expect(requireOwnAddresses([pool])).rejects.toThrow(
      /^ACUSE_SOURCE_POOLS: bulk: this machine cannot send from 192\.0\.2\.1: .*EADDRNOTAVAIL/,
    );
    await requireOwnAddresses([{ ...pool, v4: '127.0.0.2' }]);
    const env = {
      DATABASE_URL: h.url,
      ACUSE_DATA_DIR: tmpdir(),
      ACUSE_DELIVERY: 'direct',
      ...IDENTITY,
      ...POOLS,
    };
    const said = await acuse(['tenants', 'update', await h.tenant(), '--source-pool', 'buld'], env);
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('no pool "buld"')]);
  });
});
