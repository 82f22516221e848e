import { describe, expect, test } from 'vitest';
import { ConfigError, describeConfig, type Environment, loadConfig } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/config-variables.ts';
import { missingProxyTrust } from '../../src/config/proxy-trust.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const REAL = {
  ACUSE_DELIVERY: 'direct',
  ACUSE_HOSTNAME: 'mail.example.com',
  ACUSE_LOG_ORIGIN: 'mail.example.com/log',
};

function problems(env: Environment): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('loadConfig', () => {
  test('nobody is sent to the port of a process that serves neither API nor portal', () => {
    const urlOf = (roles: string, port: string) =>
      loadConfig({ ACUSE_ROLES: roles, ACUSE_PORT: port }).config.publicUrl;
    expect(urlOf('delivery', '8033')).toBe('http://localhost:8025');
    expect(urlOf('api,delivery', '8033')).toBe('http://localhost:8033');
    expect(urlOf('portal', '8031')).toBe('http://localhost:8031');
  });

  test('an empty environment is a sandbox on this machine', () => {
    const { config, warnings } = loadConfig({});
    expect(config).toMatchObject({
      delivery: 'sandbox',
      port: 8025,
      host: '127.0.0.1',
      databaseUrl: null,
      sealIntervalMs: 1_000,
      publicUrl: 'http://localhost:8025',
    });
    expect(config.roles).toEqual([
      'api',
      'portal',
      'submission',
      'delivery',
      'sealing',
      'webhooks',
      'return-path',
      'admin',
    ]);
    expect(warnings).toEqual([]);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('every bad variable is reported at once, with what is expected', () => {
    const found = problems({
      ACUSE_PORT: '80a',
      ACUSE_SEAL_INTERVAL: 'soon',
      ACUSE_ROLES: 'api,chef',
      ACUSE_INGEST_FLUSHES: '0',
      ACUSE_DELIVERY: 'pigeon',
    });
    expect(found.map((problem) => problem.split(':')[0])).toEqual([
      'ACUSE_DELIVERY',
      'ACUSE_ROLES',
      'ACUSE_PORT',
      'ACUSE_SEAL_INTERVAL',
      'ACUSE_INGEST_FLUSHES',
    ]);
    expect(found[2]).toBe('ACUSE_PORT: expected a port number from 0 to 65535, got "80a"');
  });

  test('evidence may be kept longer than ten years, not shorter, and the refusal says so', () => {
    expect(loadConfig({}).config).toMatchObject({ plainRetentionDays: 90, certifiedRetentionYears: 10 });
    expect(loadConfig({ ACUSE_CERTIFIED_RETENTION_YEARS: '15' }).config.certifiedRetentionYears).toBe(15);
    for (const years of ['9', '0', '-10', '9.9', 'ten'])
      expect(problems({ ACUSE_CERTIFIED_RETENTION_YEARS: years })).toEqual([
        `ACUSE_CERTIFIED_RETENTION_YEARS: expected 10 to 100 years: the law requires at least 10, got "${years}"`,
      ]);
    for (const days of ['0', '-1', '1.5', '36501'])
      expect(problems({ ACUSE_PLAIN_RETENTION_DAYS: days })).toHaveLength(1);
  });

  test('a secret is never echoed', () => {
    const [problem] = problems({ ACUSE_MASTER_KEY: 'hunter2' });
    expect(problem).toContain('32 random bytes in base64');
    expect(problem).not.toContain('hunter2');
    expect(problems({ DATABASE_URL: 'mysql://root:hunter2@db/x' })[0]).not.toContain('hunter2');
  });

  test('an empty variable is an absent one', () => {
    expect(loadConfig({ ACUSE_PORT: '', ACUSE_DNS_SERVERS: ' ' }).config).toMatchObject({
      port: 8025,
      dnsServers: null,
    });
  });

  test.each<[keyof typeof VARIABLES, string, unknown]>([
    ['sealIntervalMs', '500ms', 500],
    ['sealIntervalMs', '2m', 120_000],
    ['roles', 'api, sealing', ['api', 'sealing']],
    ['trustProxy', 'loopback,10.0.0.0/8', ['loopback', '10.0.0.0/8']],
    ['dnsServers', '192.0.2.1,[2001:db8::1]:5353', ['192.0.2.1', '[2001:db8::1]:5353']],
    ['webhookAllowPrivate', 'TRUE', true],
    ['publicUrl', 'https://mail.example.com/', 'https://mail.example.com'],
    ['databaseUrl', 'postgresql:///acuse?host=%2Frun%2Fpg', 'postgresql:///acuse?host=%2Frun%2Fpg'],
    ['databaseUrl', 'postgres://u:p@/acuse?host=/run/pg', 'postgres://u:p@/acuse?host=/run/pg'],
    [
      'smarthost',
      'smtps://me:p%40ss@relay.example',
      { host: 'relay.example', port: 465, implicitTls: true, username: 'me', password: 'p@ss' },
    ],
    [
      'smarthost',
      'smtp://relay.example:2525',
      { host: 'relay.example', port: 2525, implicitTls: false, username: null, password: null },
    ],
    ['masterKeys', `${KEY},${KEY}`, [Buffer.alloc(32, 7), Buffer.alloc(32, 7)]],
  ])('%s takes %s', (key, text, value) => {
    const env = { ACUSE_LOG_ORIGIN: 'example.com/log', [VARIABLES[key].name]: text };
    expect(loadConfig(env).config[key]).toEqual(value);
  });

  test.each<[string, Record<string, string>, 'refused' | 'likely' | null]>([
    ['by default', {}, null],
    ['opened under another name', { ...REAL, ACUSE_PUBLIC_URL: 'https://mail.example.com' }, 'refused'],
    ['opened so without TLS', { ...REAL, ACUSE_PUBLIC_URL: 'http://mail.example.com' }, 'refused'],
    ['on ::1', { ...REAL, ACUSE_HOST: '::1', ACUSE_PUBLIC_URL: 'https://mail.example.com' }, 'refused'],
    ['a sandbox that is shown to others', { ACUSE_PUBLIC_URL: 'https://mail.example.com' }, 'likely'],
    [
      'with the proxy named',
      { ACUSE_PUBLIC_URL: 'https://m.example.com', ACUSE_TRUST_PROXY: 'loopback' },
      null,
    ],
    ['without people', { ACUSE_PUBLIC_URL: 'https://m.example.com', ACUSE_ROLES: 'delivery' }, null],
    ['TLS ends elsewhere', { ACUSE_HOST: '0.0.0.0', ACUSE_PUBLIC_URL: 'https://mail.example.com' }, 'likely'],
    ['open to all', { ACUSE_HOST: '0.0.0.0', ACUSE_PUBLIC_URL: 'http://mail.example.com' }, null],
    ['a tunnel of a developer', { ACUSE_PUBLIC_URL: 'http://[::1]:9000' }, null],
    ['a name of this machine', { ACUSE_PUBLIC_URL: 'https://acuse.localhost' }, null],
  ])('everybody as one address: %s', (_, env, expected) => {
    if (expected === 'refused') expect(() => loadConfig(env)).toThrow(/ACUSE_TRUST_PROXY: required here/);
    else expect(missingProxyTrust(loadConfig(env).config)).toBe(expected);
  });

  test.each<[keyof typeof VARIABLES, string]>([
    ['port', '-1'],
    ['port', '65536'],
    ['port', '1e3'],
    ['sealIntervalMs', '10'],
    ['sealIntervalMs', '99999d'],
    ['trustProxy', 'true'],
    ['trustProxy', '10.0.0.0/33'],
    ['dnsServers', 'dns.example'],
    ['dnsServers', '192.0.2.1:0'],
    ['publicUrl', 'mail.example.com'],
    ['publicUrl', 'ftp://mail.example.com'],
    ['publicUrl', 'https://u:p@mail.example.com'],
    ['smarthost', 'smtp://user@relay.example'],
    ['smarthost', 'https://relay.example'],
    ['smarthost', 'smtp://u:%zz@relay.example'],
    ['hostname', '192.0.2.1'],
    ['hostname', 'a_b.example'],
    ['logOrigin', 'https://example.com/log'],
    ['logOrigin', 'example.com/my log'],
    ['logAnchor', 's3://Evidence'],
    ['logAnchor', 's3://evidence/a/../b'],
    ['logMirror', 'https://evidence.example'],
    ['masterKeys', Buffer.alloc(31).toString('base64')],
    ['masterKeys', `${KEY},`],
  ])('%s refuses %s', (key, text) => {
    const { name } = VARIABLES[key];
    expect(
      problems({ ACUSE_SMARTHOST: undefined, [name]: text }).some((problem) =>
        problem.startsWith(`${name}: expected`),
      ),
    ).toBe(true);
  });

  test('a smarthost is used when one is named, unless the sandbox is asked for', () => {
    const env = { ACUSE_SMARTHOST: 'smtp://relay.example', ACUSE_LOG_ORIGIN: 'example.com/log' };
    expect(loadConfig(env).config.delivery).toBe('smarthost');
    expect(loadConfig({ ...env, ACUSE_DELIVERY: 'sandbox' }).config.delivery).toBe('sandbox');
  });

  test('what contradicts each other is said', () => {
    const found = problems({
      ACUSE_DELIVERY: 'smarthost',
      ACUSE_LOG_ORIGIN: 'x/log',
    });
    expect(found.join('\n')).toMatch(/ACUSE_SMARTHOST: required/);
  });

  test('a bucket needs credentials, and has the URLs of its store', () => {
    const anchor = { ACUSE_LOG_ANCHOR: 's3://evidence/acuse/' };
    expect(problems(anchor)).toEqual([
      'ACUSE_LOG_ANCHOR: s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ]);
    const env = { ...anchor, AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'very secret' };
    expect(loadConfig({ ...env, ACUSE_S3_REGION: 'eu-central-1' }).config).toMatchObject({
      logAnchor: 's3://evidence/acuse',
      s3Endpoint: 'https://s3.eu-central-1.amazonaws.com',
      s3PathStyle: false,
    });
    const own = { ...env, ACUSE_S3_ENDPOINT: 'http://127.0.0.1:9000' };
    expect(loadConfig(own).config).toMatchObject({ s3PathStyle: true, s3Region: 'us-east-1' });
    const shown = describeConfig(loadConfig(env).config, env);
    expect(JSON.stringify(shown)).not.toContain('very secret');
  });

  test('SMTP submission needs a certificate outside the sandbox, and is not served without', () => {
    expect(loadConfig({}).config).toMatchObject({ submissionPort: 8028, submissionsPort: 8029 });
    const real = {
      ACUSE_DELIVERY: 'direct',
      ACUSE_HOSTNAME: 'mx.example.com',
      ACUSE_LOG_ORIGIN: 'example.com/log',
    };
    expect(loadConfig(real).config).toMatchObject({ submissionPort: null, submissionsPort: null });
    const files = { ACUSE_TLS_CERT_FILE: 'cert.pem', ACUSE_TLS_KEY_FILE: 'key.pem' };
    expect(loadConfig({ ...real, ...files }).config).toMatchObject({
      submissionPort: 587,
      submissionsPort: 465,
      submissionHost: '::',
    });
    expect(problems({ ...real, ACUSE_SUBMISSIONS_PORT: '465' })[0]).toMatch(
      /^ACUSE_SUBMISSIONS_PORT: .*only over TLS: set ACUSE_TLS_CERT_FILE and ACUSE_TLS_KEY_FILE$/,
    );
    expect(problems({ ...real, ACUSE_ROLES: 'submission' })[0]).toMatch(/^ACUSE_ROLES: .*only over TLS/);
    expect(problems({ ...real, ACUSE_TLS_CERT_FILE: 'cert.pem' })[0]).toMatch(/set both or neither/);
  });

  test('source pools and private networks are for direct delivery, and are read whole or not at all', () => {
    const direct = {
      ACUSE_DELIVERY: 'direct',
      ACUSE_HOSTNAME: 'mx.example.com',
      ACUSE_LOG_ORIGIN: 'example.com/log',
    };
    const { config } = loadConfig({
      ...direct,
      ACUSE_SOURCE_POOLS:
        'bulk=Bulk.example.com/192.0.2.11/2001:db8::11, vip=vip.example.com, six=six.example.com/::1',
      ACUSE_PRIVATE_NETWORKS: '10.0.0.0/8, fd00::/8, 127.0.0.1',
    });
    expect(config.sourcePools).toEqual([
      { name: 'bulk', ehloName: 'bulk.example.com', v4: '192.0.2.11', v6: '2001:db8::11' },
      { name: 'vip', ehloName: 'vip.example.com', v4: null, v6: null },
      { name: 'six', ehloName: 'six.example.com', v4: null, v6: '::1' },
    ]);
    expect(config.privateNetworks).toEqual(['10.0.0.0/8', 'fd00::/8', '127.0.0.1']);
    for (const pools of [
      'bulk',
      'bulk=',
      '=bulk.example.com',
      'Bulk=bulk.example.com',
      'bulk=192.0.2.11',
      'bulk=bulk.example.com/192.0.2.11/192.0.2.12',
      'bulk=bulk.example.com/192.0.2.11/',
      'bulk=bulk.example.com/192.0.2.0/24',
    ])
      expect(problems({ ...direct, ACUSE_SOURCE_POOLS: pools })[0], pools).toMatch(
        /^ACUSE_SOURCE_POOLS: expected a comma-separated list of source pools/,
      );
    const several = 'bulk=a.example.com/192.0.2.11,bulk=b.example.com/192.0.2.12,vip=a.example.com';
    expect(loadConfig({ ...direct, ACUSE_SOURCE_POOLS: several }).config.sourcePools).toHaveLength(3);
    for (const [pools, problem] of [
      ['bulk=a.example.com,bulk=b.example.com/192.0.2.12', 'a.example.com needs an address of its own'],
      ['bulk=a.example.com/192.0.2.11,bulk=a.example.com/192.0.2.12', 'has a.example.com twice'],
      ['bulk=a.example.com/192.0.2.11,bulk=b.example.com/192.0.2.11', 'has the address 192.0.2.11 twice'],
    ] as const)
      expect(problems({ ...direct, ACUSE_SOURCE_POOLS: pools }), pools).toEqual([
        expect.stringContaining(problem),
      ]);
    for (const networks of ['loopback', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'example.com'])
      expect(problems({ ...direct, ACUSE_PRIVATE_NETWORKS: networks })[0], networks).toMatch(
        /^ACUSE_PRIVATE_NETWORKS: expected/,
      );
    for (const env of [{ ACUSE_SOURCE_POOLS: 'a=a.example.com' }, { ACUSE_PRIVATE_NETWORKS: '10.0.0.0/8' }])
      expect(problems(env)[0]).toMatch(/only allowed with ACUSE_DELIVERY=direct$/);
  });

  test('outside the sandbox the log needs a name of its own', () => {
    expect(problems({ ACUSE_DELIVERY: 'direct', ACUSE_HOSTNAME: 'mx.example.com' })).toEqual([
      expect.stringMatching(/^ACUSE_LOG_ORIGIN: required here/),
    ]);
  });

  test('names that look like ours and are not are pointed out', () => {
    expect(
      loadConfig({ ACUSE_PROT: '1', ACUSE_FROBNICATE: '1', ACUSE_TEST_DATABASE_URL: 'x', PATH: '/bin' })
        .warnings,
    ).toEqual([
      'ACUSE_FROBNICATE: unknown variable; acuse config lists them',
      'ACUSE_PROT: unknown variable: did you mean ACUSE_PORT?',
    ]);
  });
});

describe('describeConfig', () => {
  test('masks secrets and says where each value is from', () => {
    const env = {
      DATABASE_URL: 'postgresql://acuse:hun@ter2@db.example/acuse?password=hunter3',
      ACUSE_MASTER_KEY: KEY,
      ACUSE_SMARTHOST: 'smtps://me:hunter4@relay.example',
      ACUSE_DELIVERY: 'sandbox',
      ACUSE_PORT: '9',
    };
    const settings = describeConfig(
      loadConfig({ ...env, DATABASE_URL: 'postgresql://acuse:hunter2@db.example/acuse' }).config,
      env,
    );
    const text = JSON.stringify(settings);
    for (const secret of ['hun@ter2', 'ter2', 'hunter3', 'hunter4', KEY]) expect(text).not.toContain(secret);
    const of = (name: string) => settings.find((setting) => setting.name === name);
    expect(of('DATABASE_URL')?.value).toBe('postgresql://acuse:********@db.example/acuse?password=********');
    expect(of('ACUSE_PORT')).toMatchObject({ value: '9', source: 'environment' });
    expect(of('ACUSE_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' });
  });

  test('every variable says what it is for', () => {
    for (const { doc } of describeConfig(loadConfig({}).config, {})) expect(doc).toMatch(/\.$/);
  });
});
