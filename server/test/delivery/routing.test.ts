import { type AddressInfo, createServer } from 'node:net';
import { createDnsClient } from '@acuse/mail/routing/dns-client';
import { createResolver, type MailResolver } from '@acuse/mail/routing/resolver';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type DnsServer, hasDnsmasq, startDnsmasq } from '@acuse/testkit/dnsmasq';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import type { SmtpPeerOptions } from '@acuse/testkit/smtp-peer';
import { type RealSmtpServer, startSmtpServer } from '@acuse/testkit/smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createFetchPolicy,
  createMtaStsPolicies,
  type FetchPolicy,
} from '../../src/delivery/next-hop/mta-sts-policies.ts';
import {
  directRouter,
  type Router,
  type SandboxSender,
  smarthostRouter,
} from '../../src/delivery/next-hop/router.ts';
import { createSourcePools } from '../../src/delivery/next-hop/source-pools.ts';
import { newId } from '../../src/platform/ids.ts';
import { composed, type Harness, log, openHarness } from './harness.ts';

let h: Harness;
let tenantId: string;
const NO_SANDBOX: SandboxSender = { domain: 'sandbox.test', target: null };

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear('mta_sts_policies'));
afterAll(() => h.close());

async function send(router: Router, to: string, from = 'sender@acuse.test') {
  const id = await h.queue(tenantId, { to, from });
  const worker = h.work(router);
  const message = await h.attempted(id);
  // Another router's worker must not find the next message.
  await worker.stop(200);
  const sessions = message.attemptRows[0]!['sessions'] as {
    mx: string;
    tls_policy: string;
    tls: { authorized: boolean } | null;
    error: { code: string } | null;
    transcript: { line: string }[];
  }[];
  return { ...message, id, sessions };
}

describe('one relay for everything', () => {
  const certificate = issueCertificate({ subject: 'relay.test', names: ['relay.test'] });

  async function relay(
    options: Parameters<typeof startSmtpServer>[1] = {},
    pass?: string,
  ): Promise<RealSmtpServer> {
    return h.closeLater(await startSmtpServer(certificate, options, pass));
  }

  const to = (
    port: number,
    more: Partial<Parameters<typeof smarthostRouter>[0]['smarthost']> = {},
    addresses = ['127.0.0.1'],
  ) =>
    smarthostRouter({
      smarthost: { host: 'relay.test', port, implicitTls: false, username: null, password: null, ...more },
      sandbox: NO_SANDBOX,
      lookUpHost: async () => addresses,
    });

  test('takes mail for any domain', async () => {
    const server = await relay();
    const message = await send(to(server.port), 'a@anywhere.example');
    expect(message).toMatchObject({ status: 'sent', last_reply: { mx: 'relay.test' } });
    expect(server.received[0]).toMatchObject({ rcptTo: ['a@anywhere.example'], secure: true });
  });

  test('is told who we are', async () => {
    const server = await relay({}, 'secret');
    const message = await send(to(server.port, { username: 'us', password: 'secret' }), 'a@anywhere.example');
    expect(message.status).toBe('sent');
    expect(server.received[0]).toMatchObject({ user: 'us' });
    expect(JSON.stringify(message.sessions)).not.toContain(Buffer.from('\0us\0secret').toString('base64'));
  });

  test('that does not believe us leaves mail waiting', async () => {
    const server = await relay({}, 'other');
    const message = await send(to(server.port, { username: 'us', password: 'secret' }), 'a@anywhere.example');
    expect([message.status, message.last_reply?.code]).toEqual(['deferred', 535]);
  });

  test('with implicit TLS must show a good certificate', async () => {
    const server = await relay({ secure: true });
    const message = await send(to(server.port, { implicitTls: true }), 'a@anywhere.example');
    expect([message.status, message.sessions[0]!.error?.code, server.received.length]).toEqual([
      'deferred',
      'tls_untrusted',
      0,
    ]);
  });

  test('without an address leaves mail waiting', async () => {
    const router = smarthostRouter({
      smarthost: { host: 'relay.test', port: 25, implicitTls: false, username: null, password: null },
      sandbox: NO_SANDBOX,
      lookUpHost: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')),
    });
    expect(await send(router, 'a@anywhere.example')).toMatchObject({ status: 'deferred', sessions: [] });
  });

  test('that is away is asked by a few, and the rest waits in the queue', async () => {
    const ids = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        h.queue(tenantId, { to: `a@d${i}.example`, from: 'sender@acuse.test' }),
      ),
    );
    const worker = h.work(to(1));
    await vi.waitFor(async () => {
      const [row] = await h.db.query<{ count: number }>(
        "select count(*)::int as count from messages where message_id = any ($1) and status = 'deferred'",
        [ids],
      );
      expect([row!.count >= 3, worker.active]).toEqual([true, 0]);
    }, PATIENCE);
    const [counted] = await h.db.query<{ deferred: number; untouched: number }>(
      `select (count(*) filter (where status = 'deferred'))::int as deferred, (count(*) filter (where attempt = 0))::int as untouched
         from delivery_queue join messages using (tenant_id, message_id) where message_id = any ($1)`,
      [ids],
    );
    expect(counted!.deferred).toBeLessThanOrEqual(8);
    expect(counted!.untouched).toBeGreaterThan(100);
  });

  test('gets nothing of the sandbox', async () => {
    const server = await relay();
    const mailbox = await h.peer();
    const sandbox = {
      domain: 'sandbox.test',
      target: { host: 'mailbox', address: '127.0.0.1', port: mailbox.port },
    };
    const lookUpHost = async () => ['127.0.0.1'];
    const smarthost = {
      host: 'relay.test',
      port: server.port,
      implicitTls: false,
      username: null,
      password: null,
    };
    const message = await send(
      smarthostRouter({ smarthost, sandbox, lookUpHost }),
      'a@anywhere.example',
      'me@sandbox.test',
    );
    expect([message.status, mailbox.messages().length, server.received.length]).toEqual(['sent', 1, 0]);
    const nowhere = await send(to(server.port), 'a@anywhere.example', 'me@sandbox.test');
    expect([nowhere.status, nowhere.sessions.length, server.received.length]).toEqual(['bounced', 0, 0]);
  });
});

/** A resolver over a table: `type name` → records, or a kind of absence. All else does not exist. */
function table(records: Record<string, unknown[] | 'nodata' | 'servfail' | 'timeout'>): MailResolver {
  return {
    async lookup(name, type) {
      const found = records[`${type} ${name}`];
      if (Array.isArray(found)) return { kind: 'found', records: found as never, authenticated: false };
      if (found === 'servfail' || found === 'timeout') return { kind: found, detail: 'as told' };
      return { kind: found ?? 'nxdomain', authenticated: false };
    },
  };
}

const noPolicy: FetchPolicy = () => Promise.reject(new Error('no policy here'));

function direct(resolver: MailResolver, port: number, fetchPolicy = noPolicy): Router {
  const mtaSts = createMtaStsPolicies({ resolver, fetchPolicy, clock: h.clock, db: h.db, log });
  return directRouter({
    resolver,
    mtaSts,
    clock: h.clock,
    random: () => 0.5,
    pools: createSourcePools([], 'mail.acuse.test'),
    mayReach: () => true,
    sandbox: NO_SANDBOX,
    port,
  });
}

const mx = (preference: number, exchange: string) => ({ preference, exchange });

describe("to the recipients' servers", () => {
  const peer = (options?: SmtpPeerOptions) => h.peer({}, options);

  test('by preference', async () => {
    const good = await peer();
    const resolver = table({
      'MX d.test': [mx(20, 'second.d.test'), mx(10, 'first.d.test')],
      'A first.d.test': ['127.0.0.1'],
      'AAAA first.d.test': 'nodata',
      'A second.d.test': ['127.0.0.2'],
    });
    const message = await send(direct(resolver, good.port), 'a@d.test');
    expect(message).toMatchObject({ status: 'sent', last_reply: { mx: 'first.d.test' } });
    expect(message.sessions[0]).toMatchObject({ tls_policy: 'opportunistic', address: '127.0.0.1' });
  });

  test('past one that cannot be reached', async () => {
    const good = await peer();
    const resolver = table({
      'MX d.test': [mx(10, 'dead.d.test'), mx(20, 'good.d.test')],
      'A dead.d.test': ['127.0.0.9'],
      'A good.d.test': ['127.0.0.1'],
    });
    // The peer listens on 127.0.0.1 alone: 127.0.0.9 refuses.
    expect(await send(direct(resolver, good.port), 'a@d.test')).toMatchObject({
      status: 'sent',
      last_reply: { mx: 'good.d.test' },
    });
  });

  test('to the domain itself where there is no MX', async () => {
    const good = await peer();
    const resolver = table({ 'MX d.test': 'nodata', 'A d.test': ['127.0.0.1'] });
    expect(await send(direct(resolver, good.port), 'a@d.test')).toMatchObject({
      status: 'sent',
      last_reply: { mx: 'd.test' },
    });
  });

  test.each([
    ['null MX', table({ 'MX d.test': [mx(0, '')] }), 'bounced', '5.1.10', true],
    ['no such domain', table({}), 'bounced', '5.1.2', true],
    ['SERVFAIL', table({ 'MX d.test': 'servfail' }), 'deferred', '4.4.3', false],
    ['no answer', table({ 'MX d.test': 'timeout' }), 'deferred', '4.4.3', false],
    ['our own name alone', table({ 'MX d.test': [mx(10, 'mail.acuse.test')] }), 'bounced', '5.4.6', false],
  ] as const)('%s', async (name, resolver, status, enhanced, suppressed) => {
    const to = `${name.replaceAll(' ', '-')}@d.test`;
    const message = await send(direct(resolver, 1), to);
    expect(message).toMatchObject({ status, sessions: [], last_reply: { code: null, enhanced, mx: null } });
    expect(await h.db.query('select 1 from suppressions where address = lower($1)', [to])).toHaveLength(
      suppressed ? 1 : 0,
    );
  });

  test('in plain text where TLS breaks and nobody forbids it', async () => {
    const starttls = { kind: 'sendAndDrop', bytes: '220 go\r\n' } as const;
    const broken = await peer({ extensions: ['STARTTLS'], script: { starttls } });
    const resolver = table({ 'MX d.test': [mx(10, 'mx.d.test')], 'A mx.d.test': ['127.0.0.1'] });
    const message = await send(direct(resolver, broken.port), 'a@d.test');
    expect([message.status, message.sessions.length, message.sessions.at(-1)!.tls]).toEqual([
      'sent',
      2,
      null,
    ]);
  });

  test.each([
    ['in the same segment', '220 go\r\n250 ok\r\n'],
    ['as part of a line', '220 go\r\n2'],
    ['that is no reply', '220 go\r\nnot tls at all'],
    ['as a second answer in lines', '220 go\r\n220-more\r\n220 go\r\n'],
    [
      'a moment later',
      [
        { at: 0, bytes: '220 go\r\n' },
        { at: 1, bytes: '454 no TLS\r\n' },
      ],
    ],
    [
      'a moment later, too short to be judged',
      [
        { at: 0, bytes: '220 go\r\n' },
        { at: 1, bytes: '\r\n' },
      ],
    ],
  ])('clear text behind the answer to STARTTLS %s: deferred, and never in plain text', async (_, said) => {
    const server = await injecting(typeof said === 'string' ? [{ at: 0, bytes: said }] : said);
    const resolver = table({ 'MX d.test': [mx(10, 'mx.d.test')], 'A mx.d.test': ['127.0.0.1'] });
    const message = await send(direct(resolver, server.port), 'a@d.test');
    expect([message.status, server.commands]).toEqual(['deferred', ['EHLO', 'STARTTLS']]);
    expect(message.sessions).toMatchObject([{ error: { code: 'starttls_injection' } }]);
    expect(message.last_reply).toMatchObject({ code: null, enhanced: '4.7.5' });
  });

  /**
   * Answers STARTTLS with the bytes, those `at: 1` once the client has begun TLS; records the commands in the
   * clear.
   */
  async function injecting(said: readonly { at: number; bytes: string }[]) {
    const commands: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('220 mx.d.test ESMTP\r\n');
      socket.on('data', (data) => {
        const verb = /^[A-Z]{4,8}(?=[ \r])/.exec(data.toString('latin1'))?.[0];
        if (verb !== undefined) commands.push(verb);
        if (verb === 'EHLO') socket.write('250-mx.d.test\r\n250 STARTTLS\r\n');
        else if (verb === 'STARTTLS')
          for (const { bytes } of said.filter(({ at }) => at === 0)) socket.write(bytes);
        else {
          for (const { bytes } of said.filter(({ at }) => at === 1)) socket.write(bytes);
          // The client would wait for the rest of a record for as long as a handshake may take.
          if (verb === undefined) socket.end();
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    h.closeLater({ close: async () => void server.close() });
    return { commands, port: (server.address() as AddressInfo).port };
  }
});

describe('MTA-STS', () => {
  const authority = issueCertificate({ subject: 'Test CA', ca: true });
  let site: HttpsReceiver;
  let policy = '';

  beforeAll(async () => {
    site = await startHttpsReceiver({ authority, names: ['mta-sts.d.test'] });
    site.answer(() => ({
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: policy,
    }));
  });
  afterAll(() => site.close());

  /** The real fetch, over TLS, to the site's own port. */
  function fetchPolicy(): FetchPolicy {
    const fetch = createFetchPolicy({
      allowLoopback: true,
      resolve: async () => ['127.0.0.1'],
      ca: [site.caPem],
    });
    return (url) => fetch(url.replace('d.test/', `d.test:${site.port}/`));
  }

  const resolver = table({
    'MX d.test': [mx(10, 'mx.d.test')],
    'A mx.d.test': ['127.0.0.1'],
    'TXT _mta-sts.d.test': ['v=STSv1; id=1;'],
  });

  const peer = () =>
    h.peer({}, { certificate: issueCertificate({ subject: 'mx.d.test', names: ['mx.d.test'] }) });

  const text = (mode: string, mx = 'mx.d.test') =>
    `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: 86400\r\n`;

  test('enforce keeps mail from a server without a good certificate, and never falls back', async () => {
    policy = text('enforce');
    const server = await peer();
    const message = await send(direct(resolver, server.port, fetchPolicy()), 'a@d.test');
    expect([message.status, server.messages().length]).toEqual(['deferred', 0]);
    expect(message.sessions).toMatchObject([{ tls_policy: 'mta-sts', error: { code: 'tls_untrusted' } }]);
    expect(message.last_reply).toMatchObject({ code: null, enhanced: '4.7.5' });
  });

  test('enforce keeps mail from a host that it does not list', async () => {
    policy = text('enforce', 'other.d.test');
    const server = await peer();
    const message = await send(direct(resolver, server.port, fetchPolicy()), 'a@d.test');
    expect(message).toMatchObject({ status: 'deferred', sessions: [], last_reply: { enhanced: '4.7.5' } });
    expect(server.sessions).toHaveLength(0);
  });

  test('TLS-Required: No goes out all the same, over a session that no other mail gets', async () => {
    policy = text('enforce');
    const server = await peer();
    const raw = (id: string, waives: boolean) =>
      Buffer.concat([
        Buffer.from(waives ? 'TLS-Required: No\r\n' : ''),
        composed(id, 'sender@acuse.test', 'a@d.test'),
      ]);
    const queue = (waives: boolean) =>
      h.queue(tenantId, { to: 'a@d.test', raw: raw(newId(), waives), from: 'sender@acuse.test' });
    const worker = h.work(direct(resolver, server.port, fetchPolicy()));
    const waived = await h.attempted(await queue(true));
    expect(waived).toMatchObject({ status: 'sent' });
    expect(waived.attemptRows[0]).toMatchObject({ sessions: [{ tls_policy: 'opportunistic' }] });
    const strict = await h.attempted(await queue(false));
    expect(strict).toMatchObject({ status: 'deferred' });
    expect(strict.attemptRows[0]).toMatchObject({ sessions: [{ tls_policy: 'mta-sts' }] });
    expect(await h.attempted(await queue(true))).toMatchObject({ status: 'sent' });
    await worker.stop(200);
    expect(server.messages()).toHaveLength(2);
  });

  test.each(['testing', 'none'])('%s changes nothing', async (mode) => {
    policy = text(mode);
    const server = await peer();
    expect(await send(direct(resolver, server.port, fetchPolicy()), 'a@d.test')).toMatchObject({
      status: 'sent',
      sessions: [{ tls_policy: 'opportunistic' }],
    });
  });

  test('a policy that cannot be fetched is none, and is not asked for again at once', async () => {
    let asked = 0;
    const mtaSts = createMtaStsPolicies({
      resolver,
      clock: h.clock,
      db: h.db,
      log,
      fetchPolicy: () => {
        asked++;
        return Promise.reject(new Error('503'));
      },
    });
    expect([await mtaSts.policyFor('d.test'), await mtaSts.policyFor('d.test')]).toEqual([null, null]);
    expect(asked).toBe(1);
    h.clock.forward(300_001);
    await mtaSts.policyFor('d.test');
    expect(asked).toBe(2);
  });

  test('a policy is kept for its time, whatever the site says then, and asked for once by many', async () => {
    policy = text('enforce');
    const before = site.requests.length;
    const mtaSts = createMtaStsPolicies({
      resolver,
      clock: h.clock,
      db: h.db,
      log,
      fetchPolicy: fetchPolicy(),
    });
    const many = await Promise.all(Array.from({ length: 10 }, () => mtaSts.policyFor('d.test')));
    policy = text('none');
    expect(many.every((one) => one?.mode === 'enforce')).toBe(true);
    expect((await mtaSts.policyFor('d.test'))?.mode).toBe('enforce');
    expect(site.requests.length - before).toBe(1);
  });

  describe('over a restart', () => {
    let announced = '1';
    const moody: MailResolver = {
      lookup: (name, type) =>
        name === '_mta-sts.d.test'
          ? Promise.resolve(
              announced === ''
                ? { kind: 'nodata', authenticated: false }
                : { kind: 'found', records: [`v=STSv1; id=${announced};`] as never, authenticated: false },
            )
          : resolver.lookup(name, type),
    };
    /** A process of its own: it knows what the database knows. */
    const process = (fetch = fetchPolicy()) =>
      createMtaStsPolicies({ resolver: moody, clock: h.clock, db: h.db, log, fetchPolicy: fetch });
    const asked = () => site.requests.length;

    test('a policy goes on to hold without being asked for, record or no record, site or no site', async () => {
      announced = '1';
      policy = text('enforce');
      expect((await process().policyFor('d.test'))?.mode).toBe('enforce');
      policy = text('none');
      const before = asked();
      expect((await process().policyFor('d.test'))?.mode).toBe('enforce');
      announced = '';
      expect((await process(noPolicy).policyFor('d.test'))?.mode).toBe('enforce');
      expect(asked()).toBe(before);
      // Mail to a server without a good certificate waits, as before the restart.
      announced = '1';
      const server = await peer();
      const message = await send(direct(moody, server.port, noPolicy), 'a@d.test');
      expect(message).toMatchObject({ status: 'deferred', last_reply: { enhanced: '4.7.5' } });
      expect(server.messages()).toHaveLength(0);
    });

    test('another id is another policy, and if it cannot be had, the old one holds', async () => {
      announced = '1';
      policy = text('enforce');
      await process().policyFor('d.test');
      announced = '2';
      expect((await process(noPolicy).policyFor('d.test'))?.mode).toBe('enforce');
      policy = text('testing');
      expect((await process().policyFor('d.test'))?.mode).toBe('testing');
      const before = asked();
      expect((await process().policyFor('d.test'))?.mode).toBe('testing');
      expect(asked()).toBe(before);
      const kept = await h.db.query('select domain, policy_id from mta_sts_policies');
      expect(kept).toEqual([{ domain: 'd.test', policy_id: '2' }]);
    });

    test('at the end of its max_age it is none, and is cleared away by the next', async () => {
      announced = '1';
      policy = text('enforce');
      await process().policyFor('d.test');
      h.clock.forward(86_400_001);
      announced = '';
      expect(await process().policyFor('d.test')).toBeNull();
      const other: MailResolver = {
        lookup: async () => ({ kind: 'found', records: ['v=STSv1; id=9;'] as never, authenticated: false }),
      };
      await createMtaStsPolicies({
        resolver: other,
        clock: h.clock,
        db: h.db,
        log,
        fetchPolicy: async () => text('enforce'),
      }).policyFor('other.test');
      expect(await h.db.query('select domain from mta_sts_policies')).toEqual([{ domain: 'other.test' }]);
    });
  });

  test.each([
    [
      'a redirect',
      {
        kind: 'status',
        status: 302,
        headers: { location: 'https://mta-sts.d.test/', 'content-type': 'text/plain' },
      },
    ],
    [
      'HTML',
      { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: 'version: STSv1' },
    ],
    ['no end', { kind: 'flood', status: 200 }],
  ] as const)('%s is no policy', async (_name, answer) => {
    const own = h.closeLater(await startHttpsReceiver({ authority, names: ['mta-sts.d.test'] }));
    own.answer(() => answer);
    const fetch = createFetchPolicy({
      allowLoopback: true,
      resolve: async () => ['127.0.0.1'],
      ca: [own.caPem],
    });
    await expect(fetch(own.url('/x', 'mta-sts.d.test'))).rejects.toThrow();
  });

  test('is not fetched from a private address', async () => {
    const fetch = createFetchPolicy({
      allowLoopback: false,
      resolve: async () => ['127.0.0.1'],
      ca: [site.caPem],
    });
    await expect(fetch(site.url('/x', 'mta-sts.d.test'))).rejects.toThrow();
  });
});

describe.skipIf(!hasDnsmasq)('over a real DNS server (skipped without dnsmasq)', () => {
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await startDnsmasq(['d.test']);
    await dns.serve([
      { type: 'MX', name: 'd.test', value: 'mx.d.test', priority: 10 },
      { type: 'A', name: 'mx.d.test', value: '127.0.0.1' },
    ]);
  });
  afterAll(() => dns?.stop());

  test('finds the way, and says what does not exist', async () => {
    const good = await h.peer();
    const resolver = createResolver({
      query: createDnsClient({ servers: [dns.address] }),
      now: () => performance.now(),
    });
    expect((await send(direct(resolver, good.port), 'a@d.test')).status).toBe('sent');
    expect((await send(direct(resolver, good.port), 'gone@sub.d.test')).last_reply).toMatchObject({
      code: null,
      enhanced: '5.1.2',
    });
  });
});
