import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type DnsRecord, type DnsServer, hasDnsmasq, startDnsmasq } from '@acuse/testkit/dnsmasq';
import { freePort } from '@acuse/testkit/free-port';
import { startSmtpPeer } from '@acuse/testkit/smtp-peer';
import { tempFolder } from '@acuse/testkit/temp-folder';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/operate/doctor/finding.ts';
import { acuse as runAcuse } from '../../cli/run.ts';
import { startTsa, type TestTsa } from '../../evidence/support.ts';
import { readExposition } from '../../support/exposition.ts';

/** `acuse doctor` on a database of its own, with a DNS server, ports, files and an authority of ours. */

const HOST = 'mail.acuse.test';
const DOMAIN = 'shop.test';
const ADDRESS = '203.0.113.10';
const ZONES = ['acuse.test', DOMAIN, '113.0.203.in-addr.arpa', '100.51.198.in-addr.arpa'];
const dataDir = tempFolder();
let database: TestDatabase;
let dns: DnsServer;
let env: Record<string, string>;

beforeAll(async () => {
  database = await testDatabase();
  const ports = ['ACUSE_PORT', 'ACUSE_ADMIN_PORT', 'ACUSE_RETURN_PATH_PORT'];
  const free = await Promise.all(ports.map(async (name) => [name, String(await freePort())]));
  env = {
    ...Object.fromEntries(free),
    DATABASE_URL: database.url,
    ACUSE_DATA_DIR: dataDir,
    ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ACUSE_DELIVERY: 'direct',
    ACUSE_HOSTNAME: HOST,
    ACUSE_RETURN_PATH_HOST: '127.0.0.1',
    ACUSE_LOG_ORIGIN: `${HOST}/log`,
    ACUSE_DNS_SERVERS: '127.0.0.1:9',
  };
});
afterAll(() => database.drop());

const acuse = (line: string, more: Record<string, string> = {}) =>
  runAcuse(line.split(' '), { ...env, ...more });

/** Findings of some checks, as they begin. */
async function examined(
  checks: string,
  more: Record<string, string> = {},
  line = 'doctor --json',
): Promise<Finding[]> {
  const { json } = await acuse(line, more);
  return json.findings.filter(({ check }: Finding) => check.startsWith(checks));
}
const faultsOf = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== 'ok');

describe.skipIf(!hasDnsmasq)('the DNS (needs dnsmasq)', () => {
  beforeAll(async () => {
    dns = await startDnsmasq(ZONES);
    await dns.serve([]);
    env['ACUSE_DNS_SERVERS'] = dns.address;
    await acuse('tenants create --name Shop');
    const { json } = await acuse(`domains create ${DOMAIN} --json`);
    await acuse(`domains vouch ${json.id}`);
  });
  afterAll(() => dns.stop());

  test('what it says to publish is all that is missing', async () => {
    await dns.serve([{ type: 'A', name: HOST, value: ADDRESS }]);
    const found = [...(await examined('dns.')), ...(await examined('domain.'))];
    const missing = found.filter(({ status }) => status === 'problem' || status === 'warning');
    expect(missing.map(({ check, about }) => `${check} ${about}`)).toEqual([
      `dns.spf ${HOST}`,
      `domain.ownership _acuse-challenge.${DOMAIN}`,
      expect.stringContaining('domain.dkim'),
      expect.stringContaining('domain.dkim'),
      `domain.return_path bounce.${DOMAIN}`,
      `domain.dmarc _dmarc.${DOMAIN}`,
    ]);
    expect(missing[0]!.fix).toBe(`publish: ${HOST}. TXT "v=spf1 ip4:${ADDRESS} -all"`);
    await dns.serve([{ type: 'A', name: HOST, value: ADDRESS }, ...missing.map(recordOf)]);
    const after = [...(await examined('dns.')), ...(await examined('domain.'))];
    expect(faultsOf(after)).toEqual([]);
    expect(after.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'dns.ptr',
        'dns.spf',
        'dns.bounces',
        'dns.mta_sts',
        'domain.spf',
        'domain.dkim',
      ]),
    );
  });

  test('hosts are those of the name servers that are set, and a name that has none is told as one', async () => {
    const peer = await startSmtpPeer();
    await dns.serve([{ type: 'A', name: 'mx.acuse.test', value: '127.0.0.1' }]);
    const port = { ACUSE_SMTP_PORT: String(peer.port) };
    const [known, unknown] = [
      await examined('port.outbound', port, 'doctor --connect mx.acuse.test --json'),
      await examined('port.outbound', port, 'doctor --connect none.acuse.test --json'),
    ];
    await peer.close();
    expect(known).toMatchObject([{ status: 'ok' }]);
    const fix = expect.stringMatching(/^check the name, .*ACUSE_DNS_SERVERS/);
    expect(unknown).toMatchObject([{ detail: 'none.acuse.test has no address.', fix }]);
    const url = { ACUSE_PUBLIC_URL: `https://mx.acuse.test:${peer.port}`, ACUSE_TRUST_PROXY: 'loopback' };
    expect(await examined('certificate.public', url)).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('ECONNREFUSED 127.0.0.1') },
    ]);
  });

  test('an address that leads back to another name', async () => {
    await dns.serve([
      { type: 'A', name: 'host10.acuse.test', value: ADDRESS },
      { type: 'A', name: HOST, value: ADDRESS },
    ]);
    const [ptr] = await examined('dns.ptr');
    expect(ptr).toMatchObject({
      status: 'problem',
      about: ADDRESS,
      detail: expect.stringContaining('host10.acuse.test'),
      record: { name: '10.113.0.203.in-addr.arpa', type: 'PTR', value: HOST },
    });
  });

  test('an SPF record of others, one too many, and one that is not valid', async () => {
    const judged = async (...values: string[]) => {
      const records = values.map((value): DnsRecord => ({ type: 'TXT', name: HOST, value }));
      await dns.serve([{ type: 'A', name: HOST, value: ADDRESS }, ...records]);
      const [spf] = await examined('dns.spf');
      return spf!;
    };
    expect(await judged('v=spf1 a -all')).toMatchObject({ status: 'ok' });
    expect((await judged('v=spf1 ip4:198.51.100.7 ~all')).record?.value).toBe(
      `v=spf1 ip4:${ADDRESS} ip4:198.51.100.7 ~all`,
    );
    expect(await judged('v=spf1 a -all', 'v=spf1 mx -all')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('2 SPF records'),
      record: { value: `v=spf1 ip4:${ADDRESS} -all` },
    });
    expect((await judged('v=spf1 ipv4:203.0.113.10 -all')).fix).toContain('replace it with');
  });

  test('a source pool whose name does not resolve to its address', async () => {
    await dns.serve([{ type: 'A', name: HOST, value: ADDRESS }]);
    const pools = { ACUSE_SOURCE_POOLS: 'bulk=bulk.acuse.test/198.51.100.7' };
    const found = faultsOf(await examined('dns.', pools));
    expect(found.map(({ record }) => record)).toEqual([
      { name: 'bulk.acuse.test', type: 'A', value: '198.51.100.7' },
      { name: '7.100.51.198.in-addr.arpa', type: 'PTR', value: 'bulk.acuse.test' },
      { name: HOST, type: 'TXT', value: `v=spf1 ip4:${ADDRESS} ip4:198.51.100.7 -all` },
      { name: 'bulk.acuse.test', type: 'TXT', value: 'v=spf1 ip4:198.51.100.7 -all' },
    ]);
  });

  test('bounces that go elsewhere, and an MTA-STS record that cannot be read', async () => {
    await dns.serve([
      { type: 'A', name: HOST, value: ADDRESS },
      { type: 'MX', name: HOST, value: 'old.acuse.test', priority: 10 },
      { type: 'TXT', name: `_mta-sts.${HOST}`, value: 'v=STSv1; mode=enforce' },
    ]);
    expect(await examined('dns.bounces')).toMatchObject([
      { status: 'warning', fix: expect.stringContaining('MX') },
    ]);
    expect(await examined('dns.mta_sts')).toMatchObject([{ status: 'warning' }]);
  });

  test('one domain by its name, published wrongly; and one that nobody has', async () => {
    const [challenge] = await examined('domain.ownership');
    const { name } = challenge!.record!;
    await dns.serve([{ type: 'TXT', name, value: 'acuse-verification=old' }]);
    const found = await examined('domain.ownership', {}, `doctor --domain ${DOMAIN} --json`);
    expect(found).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('acuse-verification=old') },
    ]);
    expect(found[0]!.fix).toBe(`replace it with: ${name}. TXT "${challenge!.record!.value}"`);
    expect(await examined('domain', {}, 'doctor --domain other.test --json')).toMatchObject([
      { status: 'problem', fix: 'acuse domains create other.test' },
    ]);
  });

  test('names that the DNS server refuses to answer for are not known, not wrong', async () => {
    await dns.serve([]);
    const found = await examined('dns.', { ACUSE_HOSTNAME: 'mail.elsewhere.example' });
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['unknown']));
  });
});

/** dnsmasq takes aliases by their target. */
const recordOf = ({ record }: Finding): DnsRecord => record as DnsRecord;

describe('ports', () => {
  test('nobody there, and somebody else', async () => {
    const peer = await startSmtpPeer();
    const here = (port: string) => `127.0.0.1 port ${port}`;
    try {
      const found = await examined('port.', { ACUSE_RETURN_PATH_PORT: String(peer.port) });
      expect(found).toMatchObject([
        {
          check: 'port.api',
          about: here(env['ACUSE_PORT']!),
          status: 'warning',
          fix: expect.stringContaining('acuse serve'),
        },
        { check: 'port.admin', status: 'warning' },
        {
          check: 'port.return-path',
          about: here(String(peer.port)),
          status: 'problem',
          fix: expect.stringContaining('ACUSE_RETURN_PATH_PORT'),
        },
        { check: 'port.outbound', status: 'advice' },
      ]);
    } finally {
      await peer.close();
    }
  });

  test('an address that this machine does not have', async () => {
    const [found] = await examined('port.return-path', { ACUSE_RETURN_PATH_HOST: '192.0.2.1' });
    expect(found).toMatchObject({ status: 'problem', detail: 'This machine does not have that address.' });
  });

  test('a mail server outside, and a relay that is not there', async () => {
    const peer = await startSmtpPeer();
    const port = { ACUSE_SMTP_PORT: String(peer.port) };
    const line = 'doctor --connect 127.0.0.1 --json';
    expect(await examined('port.outbound', port, line)).toMatchObject([{ status: 'ok' }]);
    await peer.close();
    expect(await examined('port.outbound', port, line)).toMatchObject([
      { status: 'problem', detail: 'Cannot be reached: ECONNREFUSED.' },
    ]);
    const relay = { ACUSE_DELIVERY: 'smarthost', ACUSE_SMARTHOST: `smtp://127.0.0.1:${peer.port}` };
    expect(await examined('port.outbound', relay)).toMatchObject([
      { status: 'problem', fix: expect.stringContaining('ACUSE_SMARTHOST') },
    ]);
  });

  test('our own API answers', async () => {
    const server: Server = createServer((_, answer) => answer.end('{"status":"ok"}'));
    await new Promise<void>((resolve) => server.listen(Number(env['ACUSE_PORT']), '127.0.0.1', resolve));
    try {
      expect(await examined('port.api')).toMatchObject([{ status: 'ok' }]);
    } finally {
      server.close();
    }
  });
});

describe('certificates', () => {
  const ca = issueCertificate({ subject: 'Test CA', ca: true });
  const folder = tempFolder();
  const judged = async (
    names: string[],
    more: Partial<Parameters<typeof issueCertificate>[0]> = {},
    chain = true,
  ) => {
    const leaf = issueCertificate({ subject: HOST, names, issuer: ca, ...more });
    const files = {
      ACUSE_TLS_CERT_FILE: join(folder, 'cert.pem'),
      ACUSE_TLS_KEY_FILE: join(folder, 'key.pem'),
    };
    writeFileSync(files.ACUSE_TLS_CERT_FILE, chain ? leaf.certPem + ca.certPem : leaf.certPem);
    writeFileSync(files.ACUSE_TLS_KEY_FILE, leaf.keyPem);
    const [found] = await examined('certificate.smtp', {
      ...files,
      ACUSE_SUBMISSION_PORT: '0',
      ACUSE_SUBMISSIONS_PORT: '0',
    });
    return found!;
  };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

  test('good, expired, soon to end, for another name, without its chain', async () => {
    expect(await judged([HOST], { notAfter: inDays(60) })).toMatchObject({ status: 'ok' });
    const expired = { notBefore: inDays(-9), notAfter: inDays(-1) };
    expect(await judged([HOST], expired)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('expired'),
    });
    expect(await judged([HOST], { notAfter: inDays(5) })).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('renew'),
    });
    expect(await judged(['mail.other.test'], { notAfter: inDays(60) })).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('not for mail.acuse.test'),
    });
    expect(await judged([HOST], { notAfter: inDays(60) }, false)).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('fullchain.pem'),
    });
  });

  test('none, and a public address without TLS', async () => {
    const fix = expect.stringContaining('ACUSE_PUBLIC_URL');
    expect(await examined('certificate.')).toMatchObject([
      { check: 'certificate.smtp', status: 'warning' },
      { check: 'certificate.public', status: 'advice', fix },
    ]);
    for (const open of [
      { ACUSE_HOST: '0.0.0.0' },
      { ACUSE_PUBLIC_URL: `http://${HOST}`, ACUSE_TRUST_PROXY: 'loopback' },
    ])
      expect(await examined('certificate.public', open as never)).toMatchObject([{ status: 'warning', fix }]);
  });
});

describe('PostgreSQL and disk', () => {
  test('settings that lose data are problems, with the statement that repairs them', async () => {
    const found = await examined('database.');
    const fixOf = (check: string) => found.find((one) => one.check === check)?.fix;
    // The tests' own PostgreSQL runs without fsync and archives nothing.
    expect(fixOf('database.fsync')).toBe('alter system set fsync = on; select pg_reload_conf();');
    expect(fixOf('database.archive')).toContain('archive_mode = on');
    expect(fixOf('database.standby')).toContain('synchronous_standby_names');
    expect(fixOf('database.synchronous_commit')).toBeNull();
  });

  test('a database that is not there: exit code 3, and the rest is looked at', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    const { code, json } = await acuse('doctor --json', { DATABASE_URL: url.href });
    expect(code).toBe(3);
    const checks = json.findings.map(({ check }: Finding) => check);
    expect(checks).toEqual(
      expect.arrayContaining(['database.reach', 'port.api', 'disk.room', 'clock.system']),
    );
    expect(checks).not.toContain('database.fsync');
  });

  test('a folder and a key that are missing', async () => {
    const lost = { ACUSE_DATA_DIR: join(dataDir, 'lost'), ACUSE_MASTER_KEY: '' };
    expect(await examined('disk.', lost)).toMatchObject([
      { check: 'disk.data', status: 'warning' },
      { check: 'disk.master_key', status: 'problem' },
    ]);
  });
});

describe('authorities', () => {
  let tsa: TestTsa;
  const folder = tempFolder();
  beforeAll(async () => {
    tsa = await startTsa();
  });
  afterAll(() => tsa.close());
  const manifest = (service: object = {}) => {
    const path = join(folder, 'psc.json');
    writeFileSync(
      path,
      JSON.stringify({ policy: tsa.policy, service: { protocol: 'rfc3161', url: tsa.url, ...service } }),
    );
    return { ACUSE_TSA_MANIFESTS: path };
  };

  test('none is a problem outside the sandbox', async () => {
    expect(await examined('authority')).toMatchObject([{ status: 'problem' }]);
  });

  test('one that answers, with its clock, and gives a valid time-stamp when asked for one', async () => {
    const found = await examined('', manifest(), 'doctor --stamp --json');
    const of = (check: string) => found.find((one) => one.check === check);
    expect(of('authority.reach')).toMatchObject({ status: 'ok' });
    expect(of('clock.authority')).toMatchObject({ status: 'ok' });
    expect(of('authority.stamp')).toMatchObject({ status: 'ok' });
  });

  test('one that is away, and one that answers what is no time-stamp', async () => {
    const away = manifest({ url: `http://127.0.0.1:${await freePort()}/` });
    expect(await examined('authority.reach', away)).toMatchObject([{ status: 'problem' }]);
    tsa.behave((answer) => answer.end('<html>'));
    expect(await examined('authority.stamp', manifest(), 'doctor --stamp --json')).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('instead of a time-stamp') },
    ]);
  });

  test('a manifest that the service would not start with', async () => {
    expect(await examined('authority', { ACUSE_TSA_MANIFESTS: join(folder, 'none.json') })).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('none.json') },
    ]);
  });
});

test('people get one line for each finding, with the fix below', async () => {
  const { code, out } = await acuse('doctor', { ACUSE_KEYRATE: '1' });
  expect(code).toBe(1);
  expect(out).toContain('! configuration  ACUSE_KEYRATE: unknown variable');
  expect(out).toContain('✗ database.fsync  PostgreSQL: fsync is off');
  expect(out).toMatch(/^\d+ problems?, \d+ warnings?, \d+ suggestions?, \d+ unknown, \d+ ok$/m);
});

test('whatever it looks at is in the table of the guide, and what is wrong has a fix', async () => {
  const guide = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## What is wrong\?[^\n]*\n(.*?)^## /ms.exec(guide) ?? [];
  const listed = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) => names!.match(/[\w.]+/g));
  const { json } = await acuse('doctor --json', { ACUSE_KEYRATE: '1' });
  const found = json.findings as Finding[];
  // `dns.*` of the table has become `dns.`.
  const isListed = (check: string) =>
    listed.some((name) => name === check || (name!.endsWith('.') && check.startsWith(name!)));
  expect(found.map(({ check }) => check).filter((check) => !isListed(check))).toEqual([]);
  expect(new Set(found.map(({ check }) => check.split('.')[0])).size).toBeGreaterThan(10);
  for (const { check, fix } of faultsOf(found)) expect(fix, check).toMatch(/\S{2}/);
});

test('with --metrics-file Prometheus reads what was found, in place of what was found before', async () => {
  const file = join(tempFolder(), 'acuse.prom');
  writeFileSync(file, 'acuse_doctor_finding{code="of.before",severity="problem"} 1\n');
  const { code, json } = await acuse(`doctor --json --metrics-file ${file}`, { ACUSE_KEYRATE: '1' });
  const told = readExposition(readFileSync(file, 'utf8'));
  const faults = faultsOf(json.findings);
  for (const { check, status } of faults)
    expect(told.value('acuse_doctor_finding', { code: check, severity: status }), check).toBe(
      faults.filter((each) => each.check === check && each.status === status).length,
    );
  expect([code, told.sum('acuse_doctor_finding')]).toEqual([1, faults.length]);
  const ranAt = told.value('acuse_doctor_run_timestamp_seconds');
  expect(Math.abs(Date.now() / 1_000 - ranAt)).toBeLessThan(3_600);
  expect(readdirSync(dirname(file))).toEqual(['acuse.prom']);
  for (const name of ['acuse.txt', 'none/acuse.prom'])
    expect(await acuse(`doctor --metrics-file ${join(dirname(file), name)}`)).toMatchObject({ code: 2 });
});

test('the sandbox needs no DNS, certificate or authority; a bad name is a usage error', async () => {
  const { json } = await acuse('doctor --json', {
    ACUSE_DELIVERY: 'sandbox',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
  });
  const checks = json.findings.map(({ check }: Finding) => check);
  expect(checks.filter((check: string) => /^(domain|certificate|authority)/.test(check))).toEqual([]);
  expect((await acuse('doctor --domain not_a_domain')).code).toBe(2);
});

test('mail of Acuse itself, whose domain nobody verified; and then somebody did', async () => {
  const name = 'notices.test';
  const mail = () => examined('system_mail', { ACUSE_SYSTEM_SENDER: `Acuse <portal@${name}>` });
  expect(await examined('system_mail')).toEqual([]);
  const [unmade] = await mail();
  expect(unmade).toMatchObject({ check: 'system_mail.domain', about: name, status: 'problem' });
  expect(unmade!.fix).toContain('invite somebody');
  const { json: account } = await acuse('tenants create --name Acuse --json');
  const { json: domain } = await acuse(`domains create ${name} --tenant ${account.id} --json`);
  // A customer's domain of that name is not meant.
  expect(await mail()).toEqual([unmade]);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('set role acuse_worker');
  await client.query('update tenants set internal = true where tenant_id = $1', [account.id]);
  await client.end();
  const [unverified] = await mail();
  expect(unverified).toMatchObject({
    status: 'problem',
    fix: expect.stringContaining(`--tenant ${account.id}`),
  });
  await acuse(`domains vouch ${domain.id} --tenant ${account.id}`);
  expect(await mail()).toMatchObject([{ status: 'ok' }]);
});
