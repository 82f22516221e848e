import { gzipSync } from 'node:zlib';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { connect } from '@acuse/mail/smtp/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readDomainReports, readTypicalReporter } from '../../src/accounts/domains/reports.ts';
import {
  createReturnPathListener,
  type ListenerOutcome,
} from '../../src/delivery/return-path/return-path-listener.ts';
import { readRoleMailbox } from '../../src/delivery/return-path/role-mailbox.ts';
import { newId } from '../../src/platform/ids.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { createThreads, type Threads } from '../../src/platform/threads/threads.ts';
import { type Harness, log, openHarness } from './harness.ts';

/** DMARC and TLS reports, from the mail that brings them to what is shown of their domain. */
const HOST = 'mail.acuse.test';
const DAY_S = 86_400;
let h: Harness;
let listener: SmtpListener;
let threads: Threads;
let port: number;
let tenantId: string;
let domainId: string;
let outcomes: ListenerOutcome[] = [];

/** receiver.example sends from here; nobody else does. */
const resolver: MailResolver = {
  async lookup(name, type) {
    if (type === 'TXT' && name === 'receiver.example')
      return { kind: 'found', records: ['v=spf1 ip4:127.0.0.1 -all'] as never, authenticated: false };
    return { kind: 'nxdomain', authenticated: false };
  },
};

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
  domainId = newId();
  await h.db.execute(
    `insert into domains (tenant_id, domain_id, name, status, challenge, created_at, verified_at)
     values ($1, $2, 'tienda.example', 'verified', 'c0ffee', now(), now())`,
    [tenantId, domainId],
  );
  await h.db.execute(
    `insert into dkim_keys (tenant_id, dkim_key_id, domain_id, selector, algorithm, public_key,
       private_key_sealed, created_at)
     values ($1, $2, $3, 'acuse-1-rsa', 'rsa-sha256', 'MIIB', '\\x00', now())`,
    [tenantId, newId(), domainId],
  );
  await h.db.execute(
    "insert into verified_domains (name, tenant_id, domain_id) values ('tienda.example', $1, $2)",
    [tenantId, domainId],
  );
  threads = createThreads({ metrics: createMetrics({ log, process: false }) });
  listener = createReturnPathListener({
    ...{ db: h.db, threads, clock: h.clock, log, resolver, returnPathSecrets: [h.returnPathSecret] },
    ...{ hostname: HOST, hosts: [HOST], host: '127.0.0.1', port: 0 },
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  port = await listener.start();
});
afterAll(async () => {
  await listener?.stop();
  await threads?.stop();
  await h?.close();
});
beforeEach(async () => {
  outcomes = [];
  await h.db.execute('delete from domain_reports', []);
  await h.db.execute('delete from role_mails', []);
});

interface Source {
  readonly ip: string;
  readonly count: number;
  readonly dkim?: 'pass' | 'fail';
  readonly selector?: string;
}

/** `daysAgo`: when its day began. */
function dmarc(id: string, daysAgo: number, sources: readonly Source[]): string {
  const begin = Math.floor(h.clock.now().getTime() / 1_000) - daysAgo * DAY_S;
  const records = sources.map(
    ({ ip, count, dkim = 'pass', selector = 'acuse-1-rsa' }) =>
      `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>none</disposition><dkim>${dkim}</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>tienda.example</header_from></identifiers><auth_results><dkim><domain>tienda.example</domain><selector>${selector}</selector><result>${dkim}</result></dkim></auth_results></record>`,
  );
  return `<feedback><report_metadata><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S - 1}</end></date_range></report_metadata><policy_published><domain>tienda.example</domain><p>none</p></policy_published>${records.join('')}</feedback>`;
}

async function send(
  content: string,
  { to = 'dmarc@bounce.tienda.example', from = 'noreply@receiver.example' } = {},
) {
  const opened = await connect({
    ...{ host: HOST, address: '127.0.0.1', port, ehloName: 'out.receiver.example' },
    ...{ tls: { mode: 'opportunistic' }, clock: { now: () => performance.now() } },
  });
  if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
  const data = Buffer.from(
    `From: Reports <noreply@receiver.example>\r\nSubject: Report Domain: tienda.example\r\nMIME-Version: 1.0\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzipSync(
      content,
    )
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n')}\r\n`,
  );
  const result = await opened.session.send({ reversePath: from, forwardPath: to, data: [data] });
  await opened.session.quit();
  if (result.kind !== 'accepted' && result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return result.reply.code;
}

/** As they are kept: reports of a day each, the first nine days ago. */
async function report(
  reporter: string,
  total: number,
  passed: number,
  { reports = 2, policy = 'none' } = {},
) {
  await h.db.execute(
    `insert into domain_reports (tenant_id, domain_report_id, domain_id, kind, reporter, begins_at, ends_at,
       policy, total, passed, facts, key_sha256, received_at)
     select $1, gen_random_uuid(), $2, 'dmarc', $3, day, day + interval '1 day', $4, $5, $6,
       jsonb_build_object('sources', (select jsonb_agg(jsonb_build_object('ip', '198.51.100.' || at,
         'messages', $5::bigint, 'disposition', 'none', 'dkim', false, 'spf', false,
         'from', 'tienda.example', 'selectors', '[]'::jsonb)) from generate_series(1, 100) at)),
       sha256(($3 || n)::bytea), $7::timestamptz
       from generate_series(0, $8::integer - 1) n,
         lateral (select $7::timestamptz - interval '9 days' + n * interval '7 days' as day) d`,
    [tenantId, domainId, reporter, policy, total, passed, h.clock.now().toISOString(), reports],
  );
}

const read = (days = 30) => readDomainReports(h, tenantId, domainId, days);
const letters = async () =>
  (await readRoleMailbox(h, {}, { limit: 10, fetch: 11, afterId: null, list: 'test' })).data.map(
    ({ role, to, problem }) => [role, to, problem],
  );

describe('a DMARC report', () => {
  test('counts once, says who sends, and when a stricter policy is safe', async () => {
    await report('other.example', 50, 50);
    const theirs = { ip: '203.0.113.9', count: 1, dkim: 'fail', selector: 'x' } as const;
    expect(await send(dmarc('r1', 9, [{ ip: '192.0.2.1', count: 150 }]))).toBe(250);
    await send(dmarc('r1', 9, [{ ip: '192.0.2.1', count: 150 }]));
    await send(dmarc('r2', 1, [{ ip: '192.0.2.1', count: 150 }, theirs]));
    expect(outcomes).toEqual(['domain_report', 'domain_report', 'domain_report']);
    const { dmarc: found } = await read();
    expect(found).toMatchObject({
      reports: 4,
      reporters: ['other.example', 'receiver.example'],
      messages: 401,
      aligned: 400,
      policy: 'none',
    });
    expect(found.advice).toEqual({ safe_policy: 'reject', reason: 'aligned' });
    expect(
      found.sources
        .filter(({ reporters }) => reporters[0] === 'receiver.example')
        .map((it) => [it.source_ip, it.messages, it.aligned, it.signed_here]),
    ).toEqual([
      ['192.0.2.1', 300, 300, true],
      ['203.0.113.9', 1, 0, false],
    ]);
    expect((await read(2)).dmarc).toMatchObject({ reports: 2, advice: { reason: 'too_little_mail' } });
  });

  test.each([
    [6, 'quarantine', 'aligned'],
    [40, null, 'unaligned_mail'],
  ])('of %d failing in 400 allows %s', async (failing, safe_policy, reason) => {
    await report('other.example', 200, 200);
    await send(dmarc('r1', 9, [{ ip: '192.0.2.1', count: 200 }]));
    await send(
      dmarc('r2', 1, [
        { ip: '192.0.2.1', count: 200 - failing },
        { ip: '192.0.2.9', count: failing, dkim: 'fail' },
      ]),
    );
    expect((await read()).dmarc.advice).toEqual({ safe_policy, reason });
  });

  const MILLIARD = 1_000_000_000;
  test.each<[string, (readonly [string, number, number])[], unknown]>([
    [
      'two receivers find it safe',
      [
        ['a.example', 1_000, 1_000],
        ['b.example', 60, 60],
      ],
      'reject',
    ],
    [
      'a stranger finds all failing',
      [
        ['a.example', 1_000, 1_000],
        ['b.example', 60, 60],
        ['stranger.example', MILLIARD, 0],
      ],
      'reject',
    ],
    [
      'a stranger finds none failing',
      [
        ['a.example', 100, 55],
        ['b.example', 60, 30],
        ['stranger.example', MILLIARD, MILLIARD],
      ],
      null,
    ],
    [
      'a small one differs from a large one',
      [
        ['large.example', MILLIARD, MILLIARD],
        ['b.example', 60, 54],
      ],
      null,
    ],
    [
      'it differs from a few',
      [
        ['a.example', 100, 99],
        ['b.example', 60, 60],
        ['c.example', 50, 50],
        ['d.example', 50, 49],
      ],
      'quarantine',
    ],
    [
      'most find it failing',
      [
        ['a.example', 100, 90],
        ['b.example', 60, 60],
        ['c.example', 50, 30],
      ],
      null,
    ],
  ])('allows what the reporter in the middle found: %s', async (_, reporters, safe_policy) => {
    for (const [reporter, total, passed] of reporters) await report(reporter, total, passed);
    const reason = safe_policy === null ? 'unaligned_mail' : 'aligned';
    expect((await read()).dmarc.advice).toEqual({ safe_policy, reason });
    const typical = await readTypicalReporter(h, tenantId, domainId, 30);
    expect(typical!.total).toBeLessThan(MILLIARD);
  });

  test.each<[string, () => Promise<void>]>([
    ['one reporter', () => report('stranger.example', MILLIARD, MILLIARD)],
    [
      'one report of a reporter',
      async () => {
        await report('a.example', 500, 500);
        await report('stranger.example', MILLIARD, 0, { reports: 1 });
      },
    ],
    [
      'a reporter of little mail',
      async () => {
        await report('a.example', 500, 500);
        await report('b.example', 24, 0);
      },
    ],
  ])('advises nothing by %s alone', async (_, arrive) => {
    await arrive();
    expect((await read()).dmarc.advice).toEqual({ safe_policy: null, reason: 'too_little_mail' });
    expect(await readTypicalReporter(h, tenantId, domainId, 30)).toBeNull();
  });

  test('is not what the policy is, if most say another', async () => {
    await report('a.example', 5, 5);
    await report('b.example', 5, 5);
    await report('stranger.example', MILLIARD, 0, { reports: 3, policy: 'reject' });
    expect((await read()).dmarc.policy).toBe('none');
  });

  test("of a stranger's many sources hides none of a receiver's largest", async () => {
    await report('stranger.example', MILLIARD, 0);
    await send(
      dmarc('r1', 1, [
        { ip: '192.0.2.1', count: 3 },
        { ip: '192.0.2.2', count: 2 },
      ]),
    );
    const { sources } = (await read()).dmarc;
    expect(sources.length).toBe(100);
    expect(sources.slice(-2).map((it) => it.source_ip)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test('of a mail that nothing proves is for the operator to read', async () => {
    await send(dmarc('r1', 1, [{ ip: '192.0.2.1', count: 5 }]), { from: 'someone@elsewhere.example' });
    expect(outcomes).toEqual(['for_operator']);
    expect((await read()).dmarc.reports).toBe(0);
    expect(await letters()).toEqual([['postmaster', 'dmarc@bounce.tienda.example', 'sender_not_proven']]);
  });

  test.each([
    ['another domain', 'not_our_domain', (xml: string) => xml.replaceAll('tienda.example', 'nobody.example')],
    ['nothing', 'not_a_report', () => 'Hello'],
  ])('about %s counts for nobody: %s', async (_, problem, change) => {
    await send(change(dmarc('r1', 1, [{ ip: '192.0.2.1', count: 5 }])));
    expect([outcomes, (await read()).dmarc.reports]).toEqual([['for_operator'], 0]);
    expect((await letters()).map(([, , why]) => why)).toEqual([problem]);
  });

  test.each<[string, (begin: number) => [number, number], number]>([
    ['that ends in the future', (begin) => [begin, begin + 4 * DAY_S], 5],
    ['of a far year', () => [9_998_000_000, 9_999_999_999], 5],
    ['of more mail than there is', (begin) => [begin, begin + DAY_S], 1_000_000_001],
  ])('%s is refused without being asked for again', async (_, during, count) => {
    const [from, to] = during(Math.floor(h.clock.now().getTime() / 1_000) - DAY_S);
    const xml = dmarc(
      'r1',
      1,
      [1, 2].map((host) => ({ ip: `192.0.2.${host}`, count })),
    )
      .replace(/<begin>\d+/, `<begin>${from}`)
      .replace(/<end>\d+/, `<end>${to}`);
    expect(await send(xml)).toBe(250);
    expect([outcomes, (await read()).dmarc.reports]).toEqual([['for_operator'], 0]);
  });

  test('of many sources is kept in its largest, and those of others are not hidden by many', async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => ({
      ip: `10.0.${at >> 8}.${at & 255}`,
      count: at + 1,
    }));
    expect(await send(dmarc('r1', 2, many))).toBe(250);
    expect((await read()).dmarc.sources.at(0)).toMatchObject({ source_ip: '10.0.4.175', messages: 1_200 });
    const [kept] = await h.db.query<{ length: number }>(
      "select jsonb_array_length(facts -> 'sources') as length from domain_reports",
      [],
    );
    expect(kept).toEqual({ length: 100 });
    await h.db.execute(
      `insert into domain_reports select tenant_id, gen_random_uuid(), domain_id, kind, 'stranger.example', begins_at,
         ends_at + interval '1 day', policy, 1, 1, '{}', sha256(n::text::bytea), received_at
         from domain_reports, generate_series(1, 10000) n`,
      [],
    );
    await send(dmarc('r2', 1, [{ ip: '192.0.2.1', count: 5 }]));
    const rows = await h.db.query(
      'select reporter, count(*)::integer as rows from domain_reports group by 1 order by 1',
      [],
    );
    expect(rows).toEqual([
      { reporter: 'receiver.example', rows: 2 },
      { reporter: 'stranger.example', rows: 9_998 },
    ]);
    const { dmarc: found } = await read();
    expect([found.reports, found.reporters]).toEqual([2_000, ['receiver.example', 'stranger.example']]);
  });

  test('comes to the bounce hosts of domains here alone', async () => {
    expect(await send('x', { to: 'dmarc@bounce.nobody.example' })).toBe(550);
    expect(await send('x', { to: 'tlsrpt@mail.acuse.test' })).toBe(250);
  });
});

test('a TLS report of a year that no database has is refused without being asked for again', async () => {
  const time = '+012026-01-01T00:00:00Z';
  const report = {
    'report-id': 't2',
    'date-range': { 'start-datetime': time, 'end-datetime': time },
    policies: [{ policy: { 'policy-domain': 'tienda.example' }, summary: {} }],
  };
  expect(await send(JSON.stringify(report), { to: 'tlsrpt@bounce.tienda.example' })).toBe(250);
  expect([outcomes, (await read()).tls.reports]).toEqual([['for_operator'], 0]);
});

test("a stranger's TLS failures hide none of a sender's", async () => {
  await h.db.execute(
    `insert into domain_reports select $1, gen_random_uuid(), $2, 'tls', reporter, $3::timestamptz, $3, null,
       1000000, 0, jsonb_build_object('failures', (select jsonb_agg(jsonb_build_object('host', 'mx' || at,
         'result', 'sts-policy-invalid', 'sessions', sessions)) from generate_series(1, most) at)),
       sha256(reporter::bytea), $3
       from (values ('stranger.example', 1000, 100), ('sender.example', 2, 1)) all_of (reporter, sessions, most)`,
    [tenantId, domainId, h.clock.now().toISOString()],
  );
  await h.db.execute(
    "update domain_reports set facts = replace(facts::text, 'mx1', 'own')::jsonb where reporter = 'sender.example'",
    [],
  );
  const { failures } = (await read()).tls;
  expect([failures.length, failures.at(-1)]).toMatchObject([100, { host: 'own', sessions: 2 }]);
});

test('a TLS report says which mail hosts fail', async () => {
  const at = (daysAgo: number) => new Date(h.clock.now().getTime() - daysAgo * DAY_S * 1_000).toISOString();
  const report = {
    'report-id': 't1',
    'date-range': { 'start-datetime': at(2), 'end-datetime': at(1) },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': 'tienda.example' },
        summary: { 'total-successful-session-count': 40, 'total-failure-session-count': 2 },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'receiving-mx-hostname': 'mx.tienda.example',
            'failed-session-count': 2,
          },
        ],
      },
    ],
  };
  await send(JSON.stringify(report), { to: 'tlsrpt@bounce.tienda.example' });
  expect((await read()).tls).toEqual({
    reports: 1,
    sessions: 42,
    failed: 2,
    failures: [
      {
        host: 'mx.tienda.example',
        result: 'certificate-expired',
        sessions: 2,
        reporters: ['receiver.example'],
      },
    ],
  });
});
