import { createPrivateKey, createPublicKey } from 'node:crypto';
import { type DnsRecord, type DnsServer, hasDnsmasq, startDnsmasq } from '@acuse/testkit/dnsmasq';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dkimKeyContext } from '../../../src/accounts/domains/dkim-keys.ts';
import { createDomainDns } from '../../../src/accounts/domains/dns.ts';
import { createReadSenderDomain } from '../../../src/accounts/domains/lookup.ts';
import { createDomainChecks } from '../../../src/accounts/domains/recheck.ts';
import { markVerified } from '../../../src/accounts/domains/register.ts';
import { GRACE_MS, RECHECK_MS, RECHECK_SOON_MS } from '../../../src/accounts/domains/status.ts';
import { countDegradedDomains } from '../../../src/accounts/domains/trouble-store.ts';
import { RETIRED_KEY_KEPT_MS } from '../../../src/accounts/domains/verify.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { type Accounts, startAccounts } from '../harness.ts';

type ShownRecord = {
  purpose: string;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
  required: boolean;
  status: string;
  found: string[];
  key_status: string | null;
};
type Shown = {
  id: string;
  name: string;
  status: string;
  readiness: string;
  failing_records: string[];
  records: ShownRecord[];
  verified_at: string | null;
  grace_until: string | null;
};

let now = new Date('2026-11-20T12:00:00.000Z');
const clock = { now: () => now, monotonicMs: () => performance.now() };
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

function statuses(domain: Shown): Record<string, string[]> {
  const by: Record<string, string[]> = {};
  for (const record of domain.records) by[record.purpose] = [...(by[record.purpose] ?? []), record.status];
  return by;
}

describe('without the DNS', () => {
  let accounts: Accounts;
  beforeAll(async () => {
    accounts = await startAccounts({ clock });
  });
  afterAll(() => accounts.close());

  test('a domain is registered with the records to publish and keys that open', async () => {
    const { key, tenant } = await accounts.tenant();
    const made = await accounts.call('POST', '/v1/domains', key, { name: 'Bücher.example' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'xn--bcher-kva.example',
      status: 'pending',
      verified_at: null,
      checked_at: null,
      grace_until: null,
    });
    expect(statuses(made.body)).toEqual({
      ownership: ['unchecked'],
      dkim: ['unchecked', 'unchecked'],
      return_path: ['unchecked'],
      dmarc: ['unchecked'],
    });
    expect((await accounts.call('GET', `/v1/domains/${made.body.id}`, key)).body).toEqual(made.body);
    expect((await accounts.call('GET', '/v1/domains', key)).body.data).toEqual([made.body]);

    const box = createSecretBox([new Uint8Array(32).fill(7)]);
    const rows = await accounts.db.query<{
      dkim_key_id: string;
      algorithm: string;
      public_key: string;
      private_key_sealed: Buffer;
    }>(
      'select dkim_key_id, algorithm, public_key, private_key_sealed from dkim_keys where tenant_id = $1 order by algorithm',
      [tenant.tenantId],
    );
    expect(rows.map((row) => row.algorithm)).toEqual(['ed25519-sha256', 'rsa-sha256']);
    for (const row of rows) {
      const der = box.open(row.private_key_sealed, dkimKeyContext(tenant.tenantId, row.dkim_key_id));
      const spki = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
        format: 'der',
        type: 'spki',
      });
      expect(spki.toString('base64').endsWith(row.public_key.slice(-40))).toBe(true);
    }
  });

  test.each([
    [{ name: 'com' }, 400, 'invalid_body'],
    [{ name: 'co.uk' }, 400, 'invalid_body'],
    [{ name: 'not a domain' }, 400, 'invalid_body'],
    [{ name: 'a\u0000b.com' }, 400, 'invalid_body'],
    [{ name: 'x'.repeat(2_000) }, 400, 'invalid_body'],
    [{ name: ['example.com'] }, 400, 'invalid_body'],
    [{ name: 'example.com', status: 'verified' }, 400, 'invalid_body'],
    [{}, 400, 'invalid_body'],
  ])('refuses %j', async (body, status, code) => {
    const { key } = await accounts.tenant();
    const answer = await accounts.call('POST', '/v1/domains', key, body);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test('one name once a tenant, and verified for one tenant only', async () => {
    const first = await accounts.tenant();
    const second = await accounts.tenant();
    const mine = (await accounts.call('POST', '/v1/domains', first.key, { name: 'shared.example' })).body;
    expect(
      (await accounts.call('POST', '/v1/domains', first.key, { name: 'SHARED.example' })).body.error.code,
    ).toBe('conflict');
    const theirs = (await accounts.call('POST', '/v1/domains', second.key, { name: 'shared.example' })).body;
    await markVerified(accounts.domainDeps, first.tenant.tenantId, mine.id);
    await expect(markVerified(accounts.domainDeps, second.tenant.tenantId, theirs.id)).rejects.toMatchObject({
      code: 'conflict',
    });

    // Registering tells nothing of it: the answer is that of a name that nobody has.
    const third = await accounts.tenant();
    const held = await accounts.call('POST', '/v1/domains', third.key, { name: 'shared.example' });
    const free = await accounts.call('POST', '/v1/domains', third.key, { name: 'unheld.example' });
    expect([held.status, held.body.status]).toEqual([201, 'pending']);
    const fieldsOf = ({ body }: typeof held) =>
      JSON.stringify(
        body.records.map(({ found, value, ...rest }: Record<string, unknown>) => ({
          ...rest,
          found,
          valueType: typeof value,
        })),
      )
        .replaceAll(/unheld|shared/g, 'x')
        .replaceAll(/"[^"]*\._domainkey/g, '"s._domainkey');
    expect(fieldsOf(held)).toEqual(fieldsOf(free));
    expect(Object.keys(held.body)).toEqual(Object.keys(free.body));
    expect((await accounts.call('DELETE', `/v1/domains/${mine.id}`, first.key)).status).toBe(204);
    await markVerified(accounts.domainDeps, second.tenant.tenantId, theirs.id);
  });

  test('the send path sees a domain at once when it is verified, and no more when it is gone', async () => {
    const read = createReadSenderDomain(accounts.deps);
    const { key, tenant } = await accounts.tenant();
    expect(await read(tenant.tenantId, 'seen.example')).toBeNull();
    const made = (await accounts.call('POST', '/v1/domains', key, { name: 'seen.example' })).body;
    expect(await read(tenant.tenantId, 'seen.example')).toMatchObject({ status: 'pending' });
    await markVerified(accounts.domainDeps, tenant.tenantId, made.id);
    expect(await read(tenant.tenantId, 'seen.example')).toMatchObject({
      domainId: made.id,
      status: 'verified',
      returnPathHost: null,
      dkimKeys: [{ algorithm: 'rsa-sha256' }, { algorithm: 'ed25519-sha256' }],
    });
    expect(read(tenant.tenantId, 'seen.example')).not.toBeInstanceOf(Promise);
    await accounts.call('DELETE', `/v1/domains/${made.id}`, key);
    expect(await read(tenant.tenantId, 'seen.example')).toBeNull();
  });

  test('two registrations at once make one domain', async () => {
    const { key } = await accounts.tenant();
    const answers = await Promise.all(
      [1, 2, 3].map(() => accounts.call('POST', '/v1/domains', key, { name: 'race.example' })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
  });
});

describe.skipIf(!hasDnsmasq)(
  hasDnsmasq ? 'with a real DNS server' : 'with a real DNS server (skipped: needs dnsmasq)',
  () => {
    let accounts: Accounts;
    let dns: DnsServer;
    beforeAll(async () => {
      dns = await startDnsmasq(['example', 'acuse.test']);
      await dns.serve([]);
      accounts = await startAccounts({ clock, dns: createDomainDns({ servers: [dns.address] }) });
    });
    afterAll(async () => {
      await accounts.close();
      await dns.stop();
    });

    function published(domain: Shown, purposes = ['ownership', 'dkim', 'return_path', 'dmarc']): DnsRecord[] {
      return domain.records
        .filter((record) => purposes.includes(record.purpose))
        .map(({ type, name, value }) => ({ type, name, value }));
    }

    async function register(name: string) {
      const owner = await accounts.tenant();
      const domain: Shown = (await accounts.call('POST', '/v1/domains', owner.key, { name })).body;
      const verify = async (): Promise<Shown> =>
        (await accounts.call('POST', `/v1/domains/${domain.id}/verify`, owner.key)).body;
      const read = async (): Promise<Shown> =>
        (await accounts.call('GET', `/v1/domains/${domain.id}`, owner.key)).body;
      return { owner, domain, verify, read };
    }

    test('says for each record what it found', async () => {
      const { domain, verify, read } = await register('records.example');
      expect(await verify()).toMatchObject({ status: 'pending' });
      expect(statuses(await read())).toEqual({
        ownership: ['missing'],
        dkim: ['missing', 'missing'],
        return_path: ['missing'],
        dmarc: ['missing'],
      });

      const [rsa] = domain.records.filter((record) => record.purpose === 'dkim');
      await dns.serve([
        { type: 'TXT', name: '_acuse-challenge.records.example', value: 'acuse-verification=somebody-elses' },
        { type: 'TXT', name: rsa!.name, value: rsa!.value },
        { type: 'MX', name: 'bounce.records.example', value: 'bounces.acuse.test', priority: 10 },
        { type: 'TXT', name: '_dmarc.records.example', value: 'v=DMARC1; p=reject' },
      ]);
      const second = await verify();
      expect(second.status).toBe('pending');
      expect(statuses(second)).toEqual({
        ownership: ['mismatch'],
        dkim: ['found', 'missing'],
        return_path: ['found'],
        dmarc: ['found'],
      });
      expect(second.records[0]!.found).toEqual(['acuse-verification=somebody-elses']);

      await dns.serve(published(domain, ['ownership']));
      expect(await verify()).toMatchObject({ status: 'verified', verified_at: now.toISOString() });

      await dns.serve(published(domain));
      const all = await verify();
      expect(statuses(all)).toEqual({
        ownership: ['found'],
        dkim: ['found', 'found'],
        return_path: ['found'],
        dmarc: ['found'],
      });
      expect(await read()).toEqual(all);
    });

    test('a domain is ready once a key that signs is in the DNS, and signs with none before', async () => {
      const { domain, verify, owner } = await register('ready.example');
      const read = createReadSenderDomain(accounts.deps);
      const signing = async () =>
        (await read(owner.tenant.tenantId, 'ready.example'))!.dkimKeys.map(({ algorithm }) => algorithm);
      const [rsa, ed25519] = domain.records.filter((record) => record.purpose === 'dkim');
      expect(domain).toMatchObject({
        readiness: 'pending',
        failing_records: ['_acuse-challenge.ready.example', rsa!.name],
      });

      await dns.serve(published(domain, ['ownership']));
      expect(await verify()).toMatchObject({
        status: 'verified',
        readiness: 'degraded',
        failing_records: [rsa!.name],
      });
      expect(await signing()).toEqual([]);
      const actions = async () =>
        (
          await accounts.db.query<{ action: string }>(
            'select action from account_events where tenant_id = $1 order by event_id',
            [owner.tenant.tenantId],
          )
        ).map(({ action }) => action);
      expect(await actions()).toEqual(['domain_degraded']);
      expect(await countDegradedDomains(accounts.db)).toBe(1);

      // Few receivers check Ed25519: with it alone a domain is not ready.
      await dns.serve([
        ...published(domain, ['ownership']),
        ...published({ ...domain, records: [ed25519!] }),
      ]);
      expect(await verify()).toMatchObject({ readiness: 'degraded', failing_records: [rsa!.name] });
      expect(await signing()).toEqual(['ed25519-sha256']);

      await dns.serve(published(domain));
      expect(await verify()).toMatchObject({ readiness: 'ready', failing_records: [] });
      expect(await signing()).toEqual(['rsa-sha256', 'ed25519-sha256']);
      expect(await actions()).toEqual(['domain_degraded', 'domain_ready']);
      expect(await countDegradedDomains(accounts.db)).toBe(0);

      await dns.serve(published(domain, ['ownership', 'return_path']));
      expect(await verify()).toMatchObject({
        status: 'verified',
        readiness: 'degraded',
        failing_records: [rsa!.name, ed25519!.name],
      });
    });

    test('a domain that is not ready is looked up again within the hour', async () => {
      const { domain, verify, read } = await register('soon.example');
      await dns.serve(published(domain, ['ownership']));
      await verify();
      await dns.serve(published(domain));
      const log = { error: () => {}, warn: () => {} };
      const checks = createDomainChecks({ ...accounts.domainDeps, log, pollMs: 20 });
      checks.start();
      try {
        pass(RECHECK_SOON_MS);
        await eventually(async () => (await read()).readiness === 'ready');
      } finally {
        await checks.stop();
      }
    });

    test('a subdomain is covered by the DMARC policy above it', async () => {
      const { domain, verify } = await register('mail.covered.example');
      await dns.serve([
        ...published(domain, ['ownership']),
        { type: 'TXT', name: '_dmarc.covered.example', value: 'v=DMARC1; p=quarantine' },
      ]);
      expect(statuses(await verify())['dmarc']).toEqual(['found']);
    });

    test('a resolver that refuses is said to, and moves nothing', async () => {
      const { verify } = await register('outside.invalid');
      const answer = await verify();
      expect(answer.status).toBe('pending');
      expect(answer.records[0]).toMatchObject({ status: 'error', found: ['EREFUSED'] });
    });

    test('publishing the challenge of one tenant does not verify another', async () => {
      const one = await register('contested.example');
      const two = await register('contested.example');
      await dns.serve(published(one.domain, ['ownership']));
      expect((await two.verify()).status).toBe('pending');
      expect((await one.verify()).status).toBe('verified');

      await dns.serve(published(two.domain, ['ownership']));
      const refused = await accounts.call('POST', `/v1/domains/${two.domain.id}/verify`, two.owner.key);
      expect(refused.status).toBe(409);
      expect(refused.body.error.code).toBe('conflict');
      expect(await two.read()).toMatchObject({ status: 'pending' });
      expect(statuses(await two.read())['ownership']).toEqual(['found']);
    });

    test('hostile record contents are shown printable', async () => {
      const { verify } = await register('hostile.example');
      // dnsmasq turns \\e and \\n into the control characters that they stand for.
      await dns.serve([
        { type: 'TXT', name: '_acuse-challenge.hostile.example', value: 'a\\e[31m\\n<script>' },
      ]);
      const { found, status } = (await verify()).records[0]!;
      expect(status).toBe('mismatch');
      expect(found).toEqual(['a\ufffd[31m\ufffd<script>']);
    });

    test('a verified domain is looked up daily, keeps a day of grace, fails, frees its name, and comes back', async () => {
      const { domain, verify, read, owner } = await register('graced.example');
      await dns.serve(published(domain, ['ownership']));
      expect((await verify()).status).toBe('verified');
      const lookup = createReadSenderDomain(accounts.deps);
      const status = async () => (await lookup(owner.tenant.tenantId, 'graced.example'))!.status;
      await dns.serve([]);

      const checks = createDomainChecks({
        ...accounts.domainDeps,
        log: { error: () => {}, warn: () => {} },
        pollMs: 20,
      });
      checks.start();
      try {
        const until = (predicate: (shown: Shown) => boolean) =>
          eventually(async () => [await read()].find(predicate));
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect((await read()).grace_until).toBeNull();

        pass(RECHECK_MS);
        const graced = await until((shown) => shown.grace_until !== null);
        expect(graced.status).toBe('verified');
        expect(Date.parse(graced.grace_until!)).toBe(now.getTime() + GRACE_MS);
        expect(await status()).toBe('verified');

        pass(GRACE_MS);
        await until((shown) => shown.status === 'failing');
        expect(await status()).toBe('failing');

        const heir = await register('graced.example');
        expect(heir.domain.status).toBe('pending');

        await dns.serve(published(domain, ['ownership']));
        pass(RECHECK_MS);
        const back = await until((shown) => shown.status === 'verified');
        expect(back).toMatchObject({ grace_until: null, verified_at: now.toISOString() });
        expect(await status()).toBe('verified');
      } finally {
        await checks.stop();
      }
    });

    test("an operator's word holds whatever the DNS says", async () => {
      const { domain, verify, read, owner } = await register('vouched.example');
      await markVerified(accounts.domainDeps, owner.tenant.tenantId, domain.id);
      expect(await read()).toMatchObject({ status: 'verified', readiness: 'ready', failing_records: [] });
      await dns.serve([]);
      expect(await verify()).toMatchObject({ status: 'verified', grace_until: null, readiness: 'degraded' });
    });

    test('DKIM keys rotate with overlap', async () => {
      const { domain, verify, read, owner } = await register('rotated.example');
      await dns.serve(published(domain));
      await verify();
      const rotate = async (): Promise<Shown> =>
        (await accounts.call('POST', `/v1/domains/${domain.id}/rotate-dkim`, owner.key)).body;
      const signing = async () => {
        const rows = await accounts.db.query<{ selector: string }>(
          "select selector from dkim_keys where tenant_id = $1 and status = 'active' order by algorithm desc",
          [owner.tenant.tenantId],
        );
        return rows.map((row) => row.selector);
      };
      const old = await signing();

      const rotated = await rotate();
      expect(statuses(rotated)['dkim']).toEqual(['found', 'found', 'unchecked', 'unchecked']);
      const keyStatuses = (shown: Shown) => shown.records.map((record) => record.key_status);
      expect(keyStatuses(rotated).slice(0, 5)).toEqual([null, 'active', 'active', 'pending', 'pending']);
      expect(await rotate()).toEqual(rotated);
      expect(await signing()).toEqual(old);

      // Only the RSA record of the new pair is out: each algorithm changes over by itself.
      const fresh = rotated.records.filter((record) => record.purpose === 'dkim').slice(2);
      await dns.serve([...published(domain), { type: 'TXT', name: fresh[0]!.name, value: fresh[0]!.value }]);
      await verify();
      expect(await signing()).toEqual([fresh[0]!.name.split('.')[0], old[1]]);
      await dns.serve(published(rotated));
      const done = await verify();
      expect(await signing()).toEqual(fresh.map((record) => record.name.split('.')[0]));
      expect(keyStatuses(done).slice(1, 5)).toEqual(['retired', 'retired', 'active', 'active']);

      pass(RETIRED_KEY_KEPT_MS + 1_000);
      await verify();
      expect(statuses(await read())['dkim']).toEqual(['found', 'found']);
    });

    test('a domain deleted while it is looked up is not verified after all', async () => {
      const { domain, owner, verify } = await register('deleted.example');
      await dns.serve(published(domain, ['ownership']));
      const verifying = verify();
      await accounts.call('DELETE', `/v1/domains/${domain.id}`, owner.key);
      await verifying;
      expect(
        await accounts.db.query("select 1 from verified_domains where name = 'deleted.example'"),
      ).toEqual([]);
    });

    test('many look-ups at once leave one consistent answer', async () => {
      const { domain, verify, read } = await register('busy.example');
      await dns.serve(published(domain));
      const answers = await Promise.all(Array.from({ length: 8 }, verify));
      expect(answers.every((answer) => answer.id === domain.id)).toBe(true);
      expect((await read()).status).toBe('verified');
    });
  },
);
