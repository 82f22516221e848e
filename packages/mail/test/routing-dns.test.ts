import { type DnsPeer, type DnsScript, startDnsPeer } from '@acuse/testkit/dns-peer';
import fc from '@acuse/testkit/properties';
import { afterEach, describe, expect, it } from 'vitest';
import { createDnsClient, type DnsQuery } from '../src/routing/dns-client.ts';
import { decodeAnswer, encodeQuery } from '../src/routing/dns-message.ts';
import { findRoute } from '../src/routing/find-route.ts';
import { createResolver, type MailResolver } from '../src/routing/resolver.ts';

const open: DnsPeer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((peer) => peer.close()));
});

async function peer(script: DnsScript): Promise<DnsPeer> {
  const started = await startDnsPeer(script);
  open.push(started);
  return started;
}

/** For servers that answer, also on a busy machine. */
const PATIENT_MS = 10_000;
/** For those that do not. */
const SHORT_MS = 100;

async function resolverFor(
  script: DnsScript,
  clock = { ms: 0 },
  timeoutMs = PATIENT_MS,
): Promise<{ resolver: MailResolver; peer: DnsPeer; clock: { ms: number } }> {
  const dns = await peer(script);
  const query = createDnsClient({ servers: [dns.server], timeoutMs, rounds: 1 });
  return { resolver: createResolver({ query, now: () => clock.ms }), peer: dns, clock };
}

describe('looking up', () => {
  it('reads every type that mail asks for, through CNAMEs, with the validation flag', async () => {
    const { resolver } = await resolverFor((_, type) => {
      if (type === 'MX') {
        return {
          authenticated: true,
          records: [
            { type: 'MX', preference: 10, exchange: 'MX1.Example.test' },
            { type: 'MX', preference: 20, exchange: '' },
          ],
        };
      }
      if (type === 'A') {
        return {
          records: [
            { type: 'CNAME', value: 'other.test' },
            { type: 'CNAME', name: 'other.test', value: 'third.test' },
            { type: 'A', name: 'third.test', value: '192.0.2.1' },
            { type: 'A', name: 'stray.test', value: '192.0.2.99' },
          ],
        };
      }
      if (type === 'AAAA')
        return {
          records: ['2001:db8::1', '::1', '2001:db8:0:1:0:0:0:2'].map((value) => ({ type: 'AAAA', value })),
        };
      if (type === 'TXT') return { records: [{ type: 'TXT', value: `v=STSv1; id=${'x'.repeat(300)}` }] };
      return {
        authenticated: true,
        records: [{ type: 'TLSA', usage: 3, selector: 1, matching: 1, data: new Uint8Array(32).fill(7) }],
      };
    });
    expect(await resolver.lookup('example.test', 'MX')).toEqual({
      kind: 'found',
      authenticated: true,
      records: [
        { preference: 10, exchange: 'mx1.example.test' },
        { preference: 20, exchange: '' },
      ],
    });
    expect(await resolver.lookup('www.example.test', 'A')).toEqual({
      kind: 'found',
      authenticated: false,
      records: ['192.0.2.1'],
    });
    expect(await resolver.lookup('six.test', 'AAAA')).toMatchObject({
      records: ['2001:db8::1', '::1', '2001:db8:0:1::2'],
    });
    expect(await resolver.lookup('_mta-sts.example.test', 'TXT')).toMatchObject({
      records: [`v=STSv1; id=${'x'.repeat(300)}`],
    });
    expect(await resolver.lookup('_25._tcp.mx.test', 'TLSA')).toMatchObject({
      records: [{ usage: 3, selector: 1, matching: 1, data: new Uint8Array(32).fill(7) }],
    });
  });

  it('tells no name, no records, cannot say and no answer apart', async () => {
    const { resolver } = await resolverFor((name) => {
      if (name === 'nodata.test') return { records: [] };
      if (name === 'servfail.test') return { rcode: 2 };
      if (name === 'refused.test') return { rcode: 5 };
      return undefined;
    });
    const { resolver: unheard } = await resolverFor(() => ({ fault: 'silent' }), { ms: 0 }, SHORT_MS);
    expect(await resolver.lookup('nodata.test', 'MX')).toEqual({ kind: 'nodata', authenticated: false });
    expect(await resolver.lookup('none.test', 'MX')).toEqual({ kind: 'nxdomain', authenticated: false });
    expect(await resolver.lookup('servfail.test', 'MX')).toMatchObject({ kind: 'servfail' });
    expect(await resolver.lookup('refused.test', 'MX')).toMatchObject({ kind: 'servfail' });
    expect(await unheard.lookup('silent.test', 'MX')).toMatchObject({ kind: 'timeout' });
    for (const name of [
      '',
      '.',
      'a..b',
      `${'a'.repeat(64)}.test`,
      `${'a.'.repeat(200)}test`,
      'españa.test',
      'a b.test',
    ]) {
      expect(await resolver.lookup(name, 'MX')).toMatchObject({ kind: 'nxdomain' });
    }
  });

  it('comes back over TCP for what was cut', async () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ type: 'A' as const, value: `192.0.2.${i}` }));
    const { resolver, peer: dns } = await resolverFor(() => ({ truncated: true, records: many }));
    const found = await resolver.lookup('big.test', 'A');
    expect(found.kind === 'found' && found.records).toHaveLength(200);
    expect(dns.questions).toEqual(['A big.test', 'A big.test']);
  });

  it('believes no answer to another question, and asks the next server where one cannot say', async () => {
    for (const fault of ['wrong-id', 'wrong-question', 'garbage', 'cut'] as const) {
      const lies = () => ({ fault, records: [{ type: 'A' as const, value: '192.0.2.1' }] });
      const { resolver } = await resolverFor(lies, { ms: 0 }, SHORT_MS);
      expect(await resolver.lookup('x.test', 'A')).toMatchObject({ kind: 'timeout' });
    }
    const broken = await peer(() => ({ rcode: 2 }));
    const good = await peer(() => ({ records: [{ type: 'A', value: '192.0.2.7' }] }));
    const closed = await startDnsPeer(() => undefined);
    await closed.close();
    const query = createDnsClient({ servers: [closed.server, broken.server, good.server], timeoutMs: 2_000 });
    expect(await query('x.test', 'A')).toMatchObject({ kind: 'answer', answer: { records: ['192.0.2.7'] } });
    expect(() => createDnsClient({ servers: ['ns.example.test'] })).toThrow(TypeError);
  });
});

describe('the cache', () => {
  it('keeps records for their time, absences for theirs and failures for seconds', async () => {
    const {
      resolver,
      peer: dns,
      clock,
    } = await resolverFor((name) => {
      if (name === 'short.test') return { records: [{ type: 'A', value: '192.0.2.1', ttl: 60 }] };
      if (name === 'long.test') return { records: [{ type: 'A', value: '192.0.2.1', ttl: 1_000_000 }] };
      if (name === 'zero.test') return { records: [{ type: 'A', value: '192.0.2.1', ttl: 0 }] };
      if (name === 'none.test') return { rcode: 3, negativeTtl: 100_000 };
      return { rcode: 2 };
    });
    const asked = async (name: string, seconds: number): Promise<boolean> => {
      clock.ms = seconds * 1_000;
      const before = dns.questions.length;
      await resolver.lookup(name, 'A');
      return dns.questions.length > before;
    };
    expect([
      await asked('short.test', 0),
      await asked('SHORT.test.', 59),
      await asked('short.test', 60),
    ]).toEqual([true, false, true]);
    expect([
      await asked('long.test', 100),
      await asked('long.test', 3_699),
      await asked('long.test', 3_700),
    ]).toEqual([true, false, true]);
    expect([await asked('zero.test', 4_000), await asked('zero.test', 4_000)]).toEqual([true, true]);
    expect([
      await asked('none.test', 5_000),
      await asked('none.test', 5_299),
      await asked('none.test', 5_300),
    ]).toEqual([true, false, true]);
    expect([
      await asked('bad.test', 6_000),
      await asked('bad.test', 6_009),
      await asked('bad.test', 6_010),
    ]).toEqual([true, false, true]);
  });

  it('asks once for many at once, and holds only so many', async () => {
    const dns = await peer(() => ({ records: [{ type: 'A', value: '192.0.2.1' }] }));
    const query = createDnsClient({ servers: [dns.server] });
    const resolver = createResolver({ query, now: () => 0, maxEntries: 2 });
    await Promise.all(Array.from({ length: 50 }, () => resolver.lookup('one.test', 'A')));
    expect(dns.questions).toHaveLength(1);
    for (const name of ['two.test', 'three.test', 'one.test']) await resolver.lookup(name, 'A');
    expect(dns.questions).toHaveLength(4);
  });
});

describe('answers of strangers', () => {
  it('are kept up to a size in all, however long each is', async () => {
    const exchange = (n: number) => `${'a'.repeat(60)}.${'b'.repeat(60)}.${n}.test`;
    const records = Array.from({ length: 400 }, (_, n) => ({ preference: n, exchange: exchange(n) }));
    const asked: string[] = [];
    const query = (async (name: string) => {
      asked.push(name);
      const answer = { rcode: 0, truncated: false, authenticated: false, records, ttlSeconds: 3_600 };
      return { kind: 'answer', answer };
    }) as unknown as DnsQuery;
    const resolver = createResolver({ query, now: () => 0 });
    const names = Array.from({ length: 300 }, (_, n) => `${n}.test`);
    for (const name of [...names, names.at(-1)!, names[0]!]) await resolver.lookup(name, 'MX');
    expect(asked).toEqual([...names, names[0]]);
  });
});

describe('a route', () => {
  it('goes over the MX hosts in order, until there are five addresses', async () => {
    const { resolver, peer: dns } = await resolverFor((name, type) => {
      if (type === 'MX') {
        return {
          records: [1, 2, 3, 4, 5].map((n) => ({ type: 'MX', preference: n, exchange: `mx${n}.test` })),
        };
      }
      if (type === 'AAAA') return { records: [] };
      return { records: [1, 2].map((n) => ({ type: 'A', value: `192.0.2.${name[2]}${n}` })) };
    });
    const route = await findRoute('dest.test', { resolver, rng: () => 0.5 });
    expect(route.kind === 'targets' && route.targets.map((one) => one.address)).toEqual([
      '192.0.2.11',
      '192.0.2.12',
      '192.0.2.21',
      '192.0.2.22',
      '192.0.2.31',
    ]);
    expect(dns.questions).not.toContain('A mx4.test');
  });

  it('says why there is none', async () => {
    const { resolver } = await resolverFor((name, type) => {
      if (name === 'null.test') return { records: [{ type: 'MX', preference: 0, exchange: '' }] };
      if (name === 'bare.test')
        return type === 'A' ? { records: [{ type: 'A', value: '192.0.2.9' }] } : { records: [] };
      if (name === 'empty.test') return { records: [] };
      if (name === 'lame.test')
        return type === 'MX'
          ? { records: [{ type: 'MX', preference: 1, exchange: 'gone.test' }] }
          : { records: [] };
      if (name === 'loop.test')
        return { records: [{ type: 'MX', preference: 1, exchange: 'out.acuse.test' }] };
      return name === 'servfail.test' ? { rcode: 2 } : undefined;
    });
    const at = (domain: string) =>
      findRoute(domain, { resolver, rng: Math.random, isSelf: (host) => host === 'out.acuse.test' });
    expect(await at('absent.test')).toMatchObject({ problem: 'nxdomain' });
    expect(await at('null.test')).toMatchObject({ problem: 'null_mx' });
    expect(await at('empty.test')).toMatchObject({ problem: 'no_host' });
    expect(await at('lame.test')).toMatchObject({ problem: 'no_host' });
    expect(await at('servfail.test')).toMatchObject({ problem: 'servfail' });
    expect(await at('loop.test')).toMatchObject({ problem: 'loop' });
    expect(await at('bare.test')).toMatchObject({
      kind: 'targets',
      targets: [{ host: 'bare.test', address: '192.0.2.9', family: 4 }],
    });
  });
});

describe('hostile DNS messages', () => {
  const question = { id: 7, name: 'x.test', type: 'MX' } as const;

  it('are refused without harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        decodeAnswer(bytes, question);
      }),
    );
    // A genuine head with a random rest gets further.
    const query = encodeQuery(7, 'x.test', 'MX')!;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(20), fc.nat(20), (tail, answers, authority) => {
        const head = Buffer.from(query.subarray(0, query.length - 11));
        head.writeUInt16BE(0x8180, 2);
        head.writeUInt16BE(answers, 6);
        head.writeUInt16BE(authority, 8);
        decodeAnswer(Buffer.concat([head, tail]), question);
      }),
      { numRuns: 2_000 },
    );
  });

  it('whose names point at themselves end', () => {
    const query = encodeQuery(7, 'x.test', 'MX')!;
    const head = Buffer.from(query.subarray(0, query.length - 11));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    const pointer = Buffer.from([0xc0, head.length, 0, 15, 0, 1, 0, 0, 0, 60, 0, 4, 0, 1, 0xc0, head.length]);
    expect(decodeAnswer(Buffer.concat([head, pointer]), question)).toBeNull();
  });
});
