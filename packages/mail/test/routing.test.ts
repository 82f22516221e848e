import { createHash } from 'node:crypto';
import { issueCertificate } from '@acuse/testkit/certificate';
import fc from '@acuse/testkit/properties';
import { describe, expect, it } from 'vitest';
import { daneDemand, tlsaName, verifyDane } from '../src/routing/dane.ts';
import type { TlsaRecord } from '../src/routing/dns-message.ts';
import {
  allowsHost,
  decidePolicy,
  type MtaStsPolicy,
  readPolicy,
  readRecord,
} from '../src/routing/mta-sts.ts';
import {
  type HostAddresses,
  MAX_ADDRESSES,
  MAX_SESSIONS,
  mailHosts,
  nextTarget,
  orderMx,
  planTargets,
  type Target,
  type Tried,
} from '../src/routing/mx.ts';
import type { Lookup } from '../src/routing/resolver.ts';
import { planTls } from '../src/routing/tls-plan.ts';

const found = <T>(records: T[]): Lookup<T> => ({ kind: 'found', records, authenticated: false });
const none: Lookup<never> = { kind: 'nodata', authenticated: false };

describe('the order of MX hosts', () => {
  const records = [
    { preference: 20, exchange: 'c' },
    { preference: 10, exchange: 'a' },
    { preference: 10, exchange: 'b' },
    { preference: 10, exchange: 'a' },
  ];

  it('is by preference, and by chance where it is equal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 4, maxLength: 4 }),
        (draws) => {
          const order = orderMx(records, () => draws.shift() ?? 0);
          expect(order[2]).toBe('c');
          expect(order.slice(0, 2).sort()).toEqual(['a', 'b']);
        },
      ),
    );
    let state = 1;
    const rng = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    const firsts = new Set(Array.from({ length: 100 }, () => orderMx(records, rng)[0]));
    expect(firsts).toEqual(new Set(['a', 'b']));
  });

  it('leaves out ourselves and whoever is behind us', () => {
    const isSelf = (host: string) => host === 'us';
    const mx = found([
      { preference: 10, exchange: 'a' },
      { preference: 20, exchange: 'us' },
      { preference: 20, exchange: 'b' },
      { preference: 30, exchange: 'c' },
    ]);
    expect(mailHosts('d.test', mx, Math.random, isSelf)).toMatchObject({ hosts: ['a'] });
  });

  it('passes a null MX over beside real ones', () => {
    const mx = found([
      { preference: 0, exchange: '' },
      { preference: 10, exchange: 'a' },
    ]);
    expect(mailHosts('d.test', mx, Math.random)).toMatchObject({ hosts: ['a'], implicit: false });
    expect(mailHosts('d.test', none, Math.random)).toMatchObject({ hosts: ['d.test'], implicit: true });
  });
});

describe('the addresses to try', () => {
  const host = (name: string, v6: string[], v4: string[]): HostAddresses => ({
    host: name,
    v6: v6.length > 0 ? found(v6) : none,
    v4: v4.length > 0 ? found(v4) : none,
  });
  const addresses = (plan: ReturnType<typeof planTargets>) =>
    plan.kind === 'targets' ? plan.targets.map((target) => target.address) : plan.problem;

  it('are IPv6 first, host by host, five at most', () => {
    const plan = planTargets(
      [host('a', ['::1'], ['1.1.1.1']), host('b', ['::2'], ['2.2.2.2']), host('c', ['::3'], ['3.3.3.3'])],
      {
        rng: () => 0.5,
      },
    );
    expect(addresses(plan)).toEqual(['::1', '1.1.1.1', '::2', '2.2.2.2', '::3']);
  });

  it('keep a place for the other family', () => {
    const many = host('a', ['::1', '::2', '::3', '::4', '::5', '::6'], ['1.1.1.1']);
    expect(addresses(planTargets([many], { rng: () => 0.5 }))).toEqual([
      '::1',
      '::2',
      '::3',
      '::4',
      '1.1.1.1',
    ]);
    expect(addresses(planTargets([many], { rng: () => 0.5, families: [4] }))).toEqual(['1.1.1.1']);
  });

  it('may be none: for good, for now, or for want of a family', () => {
    const down: HostAddresses = { host: 'a', v6: none, v4: { kind: 'timeout', detail: '' } };
    expect(addresses(planTargets([host('b', [], []), down], { rng: Math.random }))).toBe('timeout');
    expect(addresses(planTargets([host('b', [], [])], { rng: Math.random }))).toBe('no_host');
    expect(addresses(planTargets([host('b', ['::1'], [])], { rng: Math.random, families: [4] }))).toBe(
      'no_address',
    );
  });
});

describe('where to go next', () => {
  const six = (n: number): Target => ({ host: `mx${n}`, address: `::${n}`, family: 6 });
  const four = (n: number): Target => ({ host: `mx${n}`, address: `192.0.2.${n}`, family: 4 });
  const targets = [six(1), four(1), six(2), four(2), six(3)];
  const tried = (...list: [Target, Tried['ended']][]) => list.map(([target, ended]) => ({ target, ended }));

  it('is the next address after one that cannot be reached', () => {
    expect(nextTarget(targets, [])).toEqual(six(1));
    expect(nextTarget(targets, tried([six(1), 'unreachable']))).toEqual(four(1));
    const all = targets.map((target): Tried => ({ target, ended: 'unreachable' }));
    expect(nextTarget(targets, all)).toBeNull();
  });

  it('is the other family after a policy refusal, and nowhere after an answer', () => {
    expect(nextTarget(targets, tried([six(1), 'policy-refusal']))).toEqual(four(1));
    expect(nextTarget(targets, tried([four(1), 'policy-refusal']))).toEqual(six(1));
    expect(nextTarget([six(1), six(2)], tried([six(1), 'policy-refusal']))).toBeNull();
    expect(nextTarget(targets, tried([six(1), 'final']))).toBeNull();
  });

  it('ends after two conversations and five addresses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Tried['ended']>('unreachable', 'unwilling', 'policy-refusal')),
        (ends) => {
          const made: Tried[] = [];
          for (const ended of ends) {
            const target = nextTarget(targets, made);
            if (target === null) break;
            expect(made.some((one) => one.target === target)).toBe(false);
            made.push({ target, ended });
          }
          expect(made.length).toBeLessThanOrEqual(MAX_ADDRESSES);
          const sessions = made.filter((one) => one.ended !== 'unreachable').length;
          expect(sessions).toBeLessThanOrEqual(MAX_SESSIONS);
        },
      ),
    );
  });
});

describe('MTA-STS', () => {
  const text =
    'version: STSv1\r\nmode: enforce\r\nmx: mail.example.test\r\nmx: *.example.net\r\nmax_age: 604800\r\n';

  it('records are read only if there is exactly one', () => {
    expect(readRecord(['v=STSv1; id=20260101T000000;'])).toBe('20260101T000000');
    expect(readRecord(['other', 'v=STSv1;id=a1'])).toBe('a1');
    for (const records of [
      [],
      ['v=STSv1'],
      ['v=STSv1; id='],
      ['v=STSv1; id=a-b'],
      ['v=STSv2; id=a'],
      ['v=STSv1; id=a', 'v=STSv1; id=b'],
    ]) {
      expect(readRecord(records)).toBeNull();
    }
  });

  it('policies are read strictly where it matters', () => {
    expect(readPolicy(text)).toEqual({
      mode: 'enforce',
      mx: ['mail.example.test', '*.example.net'],
      maxAgeSeconds: 604_800,
    });
    expect(readPolicy(text.replaceAll('\r\n', '\n'))).not.toBeNull();
    expect(readPolicy('version: STSv1\nmode: none\nmax_age: 1\n')).toMatchObject({ mode: 'none', mx: [] });
    expect(readPolicy(`${text}unknown_field: x\n`)).not.toBeNull();
    for (const bad of [
      '',
      '<html>not found</html>',
      text.replace('STSv1', 'STSv2'),
      text.replace('enforce', 'force'),
      text.replace('604800', 'a week'),
      text.replace(/mx: .*\r\n/g, ''),
      text.replace('*.example.net', '*'),
      text.replace('*.example.net', 'a b.example.net'),
      text.replace('max_age', 'maxage'),
    ]) {
      expect(readPolicy(bad)).toBeNull();
    }
  });

  it('patterns stand for one label', () => {
    const policy = readPolicy(text)!;
    expect(
      ['mail.example.test', 'MAIL.example.test.', 'a.example.net'].every((host) => allowsHost(policy, host)),
    ).toBe(true);
    expect(
      ['example.net', 'a.b.example.net', 'xexample.net', 'mail.example.test.evil', ''].some((host) =>
        allowsHost(policy, host),
      ),
    ).toBe(false);
  });

  it('a cached policy holds to its end, even if the record goes', () => {
    const policy: MtaStsPolicy = { mode: 'enforce', mx: ['a.test'], maxAgeSeconds: 100 };
    const cached = { id: 'a', policy, fetchedAt: new Date(0) };
    const at = (seconds: number) => new Date(seconds * 1_000);
    expect(decidePolicy(null, null, at(0))).toEqual({ fetch: false, policy: null });
    expect(decidePolicy(null, 'a', at(0))).toEqual({ fetch: true, policy: null });
    expect(decidePolicy(cached, 'a', at(99))).toEqual({ fetch: false, policy });
    expect(decidePolicy(cached, 'b', at(99))).toEqual({ fetch: true, policy });
    expect(decidePolicy(cached, null, at(99))).toEqual({ fetch: false, policy });
    expect(decidePolicy(cached, 'a', at(100))).toEqual({ fetch: true, policy: null });
  });
});

describe('DANE', () => {
  const ca = issueCertificate({ subject: 'CA', ca: true });
  const leaf = issueCertificate({ subject: 'mx.test', names: ['mx.test'], issuer: ca });
  const other = issueCertificate({ subject: 'CA', ca: true });
  const now = new Date();
  const peer = { chain: [leaf.der, ca.der], names: ['mx.test'], now };
  const digest = (algorithm: string, data: Uint8Array) =>
    new Uint8Array(createHash(algorithm).update(data).digest());
  const record = (usage: number, selector: number, matching: number, certificate = leaf): TlsaRecord => {
    const content = selector === 0 ? certificate.der : certificate.spki;
    const data = matching === 0 ? content : digest(matching === 1 ? 'sha256' : 'sha512', content);
    return { usage, selector, matching, data };
  };

  it('matches the leaf by usage 3, in every form, whatever its name and date', () => {
    const old = issueCertificate({
      subject: 'x',
      names: ['x'],
      notBefore: new Date(0),
      notAfter: new Date(1_000_000_000_000),
    });
    for (const selector of [0, 1]) {
      for (const matching of [0, 1, 2]) {
        expect(verifyDane([record(3, selector, matching)], peer)).toBeNull();
        expect(verifyDane([record(3, selector, matching, old)], { ...peer, chain: [old.der] })).toBeNull();
        expect(verifyDane([record(3, selector, matching, other)], peer)).toMatch(/no TLSA record/);
      }
    }
    expect(verifyDane([record(3, 1, 1, ca)], peer)).not.toBeNull();
  });

  it('follows the chain to the anchor of usage 2, with name, date and signatures', () => {
    for (const selector of [0, 1]) {
      for (const matching of [0, 1, 2])
        expect(verifyDane([record(2, selector, matching, ca)], peer)).toBeNull();
    }
    expect(verifyDane([record(2, 1, 1, ca)], { ...peer, names: ['other.test'] })).toMatch(
      /not for other.test/,
    );
    expect(
      verifyDane([record(2, 1, 1, ca)], { ...peer, now: new Date(now.getTime() + 3 * 86_400_000) }),
    ).toMatch(/not valid now/);
    // Another CA of the same name did not sign the leaf.
    expect(verifyDane([record(2, 1, 1, other)], { ...peer, chain: [leaf.der, other.der] })).toMatch(
      /does not lead/,
    );
    // A leaf is no issuer.
    const sub = issueCertificate({ subject: 'mx.test', names: ['mx.test'], issuer: leaf });
    expect(verifyDane([record(2, 1, 1, ca)], { ...peer, chain: [sub.der, leaf.der, ca.der] })).toMatch(
      /does not lead/,
    );
    expect(verifyDane([record(2, 1, 1, ca)], { ...peer, chain: [leaf.der] })).toMatch(/no TLSA record/);
  });

  it('is satisfied by any one record, and by none from a chain that cannot be read', () => {
    expect(verifyDane([record(3, 1, 1, other), record(2, 1, 1, other), record(3, 1, 1)], peer)).toBeNull();
    expect(verifyDane([record(3, 1, 1)], { ...peer, chain: [] })).toMatch(/no certificate/);
    expect(verifyDane([record(3, 1, 1)], { ...peer, chain: [Uint8Array.of(1, 2, 3)] })).toMatch(
      /no certificate/,
    );
  });

  it('asks for what is published, if that was validated', () => {
    const secure = (records: TlsaRecord[]): Lookup<TlsaRecord> => ({
      kind: 'found',
      records,
      authenticated: true,
    });
    expect(tlsaName('mx.test')).toBe('_25._tcp.mx.test');
    expect(daneDemand(secure([record(3, 1, 1)]), true)).toMatchObject({ kind: 'authenticate' });
    expect(daneDemand(secure([record(3, 1, 1)]), false)).toEqual({ kind: 'none' });
    expect(
      daneDemand({ ...secure([record(3, 1, 1)]), authenticated: false } as Lookup<TlsaRecord>, true),
    ).toEqual({ kind: 'none' });
    expect(
      daneDemand(
        secure([record(0, 0, 1), record(1, 0, 1), { ...record(3, 1, 1), data: new Uint8Array(5) }]),
        true,
      ),
    ).toEqual({ kind: 'encrypt' });
    expect(daneDemand({ kind: 'nxdomain', authenticated: true }, true)).toEqual({ kind: 'none' });
    expect(daneDemand({ kind: 'servfail', detail: 'x' }, true)).toMatchObject({ kind: 'defer' });
  });

  it('goes before MTA-STS, which goes before whatever there is', () => {
    const mtaSts: MtaStsPolicy = { mode: 'enforce', mx: ['mx.test'], maxAgeSeconds: 1 };
    const base = { host: 'mx.test', names: ['mx.test'], now: () => now };
    const plan = (dane: Parameters<typeof planTls>[0]['dane'], policy: MtaStsPolicy | null) =>
      planTls({ ...base, dane, mtaSts: policy });
    const demand = { kind: 'authenticate', records: [record(3, 1, 1)] } as const;
    const byDane = plan(demand, { ...mtaSts, mx: ['other.test'] });
    expect(byDane).toMatchObject({ kind: 'use', by: 'dane', mayFallBack: false, tls: { mode: 'required' } });
    if (byDane.kind === 'use') {
      const shown = { chain: [leaf.der], authorized: false, error: 'self-signed' };
      expect(byDane.tls.verify?.(shown)).toBeNull();
      expect(byDane.tls.verify?.({ ...shown, chain: [other.der] })).not.toBeNull();
    }
    expect(plan({ kind: 'encrypt' }, null)).toMatchObject({ by: 'dane', tls: { mode: 'required' } });
    expect(plan({ kind: 'defer', detail: '' }, null)).toMatchObject({ kind: 'skip', problem: 'dane' });
    const bySts = plan({ kind: 'none' }, mtaSts);
    expect(bySts).toMatchObject({ by: 'mta-sts', mayFallBack: false, tls: { mode: 'required' } });
    if (bySts.kind === 'use')
      expect(bySts.tls.verify?.({ chain: [], authorized: false, error: 'x' })).toBe('x');
    expect(plan({ kind: 'none' }, { ...mtaSts, mx: ['other.test'] })).toMatchObject({
      kind: 'skip',
      problem: 'mta_sts',
    });
    expect(plan({ kind: 'none' }, { ...mtaSts, mode: 'testing' })).toMatchObject({
      by: 'opportunistic',
      mayFallBack: true,
    });
    expect(plan({ kind: 'none' }, null)).toMatchObject({ by: 'opportunistic', mayFallBack: true });
  });
});
