import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { globalAgent } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { verifyBundle } from '@acuse/evidence/verify';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type DnsPeer, type PeerRecord, startDnsPeer } from '@acuse/testkit/dns-peer';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { type Pebble, pebbleMissing, startPebble } from '@acuse/testkit/pebble';
import { type RealSmtpServer, startSmtpServer } from '@acuse/testkit/smtp-server';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { keepCertificate } from '../../src/app/keep-certificate.ts';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/sha256.ts';

/**
 * `acuse setup` as an operator goes through it: a real ACME authority, real mail, a database of one's own,
 * and records that appear in the DNS once setup has said what they are.
 */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

describe.skipIf(pebbleMissing !== null)(
  `acuse setup${pebbleMissing === null ? '' : ` (${pebbleMissing})`}`,
  () => {
    const dataDir = tempFolder();
    const answersFile = join(tempFolder(), 'answers.json');
    const records: PeerRecord[] = [
      { type: 'A', name: 'mail.empresa.test', value: '127.0.0.1' },
      { type: 'PTR', name: '1.0.0.127.in-addr.arpa', value: 'mail.empresa.test' },
      { type: 'MX', name: 'cliente.test', preference: 10, exchange: 'mx.cliente.test' },
      { type: 'A', name: 'mx.cliente.test', value: '127.0.0.1' },
    ];
    let dns: DnsPeer;
    let acme: Pebble;
    let receiver: RealSmtpServer;
    let database: TestDatabase;
    let env: Record<string, string>;
    let answers: Record<string, string>;

    beforeAll(async () => {
      dns = await startDnsPeer((name, type) => {
        const found = records.filter(
          (record) => record.name === name && (record.type === type || record.type === 'CNAME'),
        );
        return found.length === 0 ? undefined : { records: found };
      });
      acme = await startPebble(dns.server);
      receiver = await startSmtpServer(issueCertificate({ subject: 'mx', names: ['mx.cliente.test'] }));
      database = await testDatabase();
      const names = ['PORT', 'ADMIN_PORT', 'RETURN_PATH_PORT', 'SUBMISSION_PORT', 'SUBMISSIONS_PORT'];
      const ports = await Promise.all(names.map(async (name) => [`ACUSE_${name}`, String(await freePort())]));
      env = {
        PATH: process.env['PATH']!,
        HOME: dataDir,
        ACUSE_DATA_DIR: dataDir,
        // Only a network of the test's own needs this.
        ACUSE_DNS_SERVERS: dns.server,
        ACUSE_PRIVATE_NETWORKS: '127.0.0.0/8',
        ACUSE_SMTP_PORT: String(receiver.port),
        NODE_EXTRA_CA_CERTS: acme.caFile,
        ...Object.fromEntries(ports),
      };
      answers = {
        ...{ hostname: 'mail.empresa.test', address: '127.0.0.1', database: database.url },
        ...{ acme_directory: acme.directory, acme_port: String(acme.challengePort), acme_terms: 'yes' },
        anchor: join(dataDir, 'outside', 'anchor'),
        mirror: join(dataDir, 'outside', 'mirror'),
        journal: join(dataDir, 'outside', 'journal'),
        ...{ operator: 'ana@empresa.test', account: 'Empresa SA', mailbox: 'ana@cliente.test' },
        dns_wait: '5m',
      };
      writeFileSync(answersFile, JSON.stringify(answers));
    });
    afterAll(async () => {
      await receiver?.close();
      await acme?.stop();
      await dns?.close();
      await database?.drop();
    });

    function start(args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
      const program = inject('serverProgram');
      if ('error' in program) throw new Error(program.error);
      return spawn(process.execPath, [program.path, ...args], {
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    }

    async function ended(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
      const [out, err, [code]] = await Promise.all([
        text(child.stdout!),
        text(child.stderr!),
        once(child, 'exit'),
      ]);
      return { code, out, err };
    }

    const file = (name: string) => readFileSync(join(dataDir, name), 'utf8');

    /** As a DNS provider does that imports the zone file. */
    async function publish(): Promise<void> {
      const zone = await eventually(() => existsSync(join(dataDir, 'dns.zone')) && file('dns.zone'));
      for (const line of zone.split('\n')) {
        const [, name, type, data] = /^([^;\s]+)\. 3600 IN (\S+) (.+)$/.exec(line) ?? [];
        if (name === undefined || type === 'A') continue;
        const value =
          type === 'TXT'
            ? [...data!.matchAll(/"([^"]*)"/g)].map((one) => one[1]).join('')
            : data!.replace(/\.$/, '');
        records.push({ type: type as 'TXT' | 'CNAME', name, value });
      }
    }

    test('asks for a certificate before it writes anything', async () => {
      const path = join(tempFolder(), 'answers.json');
      writeFileSync(path, JSON.stringify({ ...answers, hostname: 'nowhere.empresa.test' }));
      const { code, err } = await ended(start(['setup', '--answers', path]));
      expect(err).toMatch(/^acuse: no certificate: .*The settings are not written.* on port 80$/m);
      expect(code).toBe(1);
      expect(existsSync(join(dataDir, 'acuse.env'))).toBe(false);
    });

    test('says all that is wrong with the answers, and changes nothing', async () => {
      const path = join(tempFolder(), 'answers.json');
      const url = new URL(database.url);
      url.pathname = '/Not-There';
      const wrong = {
        adress: '127.0.0.1',
        database: url.href,
        domain: 'test',
        anchor: `${answersFile}/anchor`,
      };
      writeFileSync(path, JSON.stringify({ ...answers, ...wrong }));
      const { code, err } = await ended(start(['setup', '--answers', path]));
      expect(code).toBe(2);
      expect(err).toMatch(
        /^ {2}database: the database cannot be reached: database "Not-There" does not exist$/m,
      );
      expect(err).toMatch(/^if the login or the database is not there yet/m);
      expect(err).toMatch(/^ {2}create database "Not-There" owner \w+;$/m);
      expect(err).toMatch(/^ {2}adress: no such question: did you mean address\?$/m);
      expect(err).toMatch(/^ {2}domain: the domain must be a domain name/m);
      expect(err).toMatch(/^ {2}anchor: .* is not a folder$/m);
      expect(existsSync(join(dataDir, 'acuse.env'))).toBe(false);
    });

    test('ends with a sealed message in the mailbox', async () => {
      const run = ended(start(['setup', '--answers', answersFile]));
      await Promise.race([publish(), run]);
      const { code, out, err } = await run;
      expect({ code, err, out }).toMatchObject({ code: 0 });
      expect(out).toContain('✓ empresa.test is ready');
      expect(out).toMatch(/ana@cliente\.test has a sealed message, and its proof verifies/);
      expect(out).toMatch(/^· disk\.master_key .*\n +keep a copy apart/m);
      expect(out).toMatch(/from the environment, and not written: .*ACUSE_PORT.*NODE_EXTRA_CA_CERTS/);
      expect(out.trim().split('\n').slice(-3)).toEqual([
        expect.stringMatching(/^console +http/),
        expect.stringMatching(/^portal +http/),
        expect.stringMatching(/^API key +acuse_\w+/),
      ]);
      const settings = join(dataDir, 'acuse.env');
      expect(statSync(settings).mode & 0o777).toBe(0o600);
      expect(file('setup.json')).not.toContain('postgres');
      const certificate = new X509Certificate(file('tls/cert.pem'));
      expect(certificate.checkHost('mail.empresa.test')).toBe('mail.empresa.test');
      expect(certificate.issuer).toContain('Pebble');
      expect(statSync(join(dataDir, 'tls/key.pem')).mode & 0o777).toBe(0o600);
      const [mail] = receiver.received;
      expect(mail).toMatchObject({ rcptTo: ['ana@cliente.test'], secure: true });
      expect(mail!.raw.toString()).toMatch(/^DKIM-Signature: .*d=empresa\.test/ms);
      const [, bundle] = /proof +(\S+\.zip)/.exec(out)!;
      const verified = await verifyBundle(readFileSync(bundle!), { sha256, now: new Date() });
      expect(verified.checks.filter((check) => !check.ok)).toEqual([]);
    });

    test('what it wrote is what the commands read', async () => {
      const { ACUSE_DATA_DIR, PATH } = env;
      const child = spawn(
        process.execPath,
        [(inject('serverProgram') as { path: string }).path, 'config', '--json'],
        {
          env: { ACUSE_DATA_DIR: ACUSE_DATA_DIR!, PATH: PATH! },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      const { settings, warnings } = JSON.parse((await ended(child)).out);
      expect(warnings).toEqual([]);
      const value = (name: string) => settings.find((one: { name: string }) => one.name === name).value;
      expect(value('ACUSE_HOSTNAME')).toBe('mail.empresa.test');
      expect(value('ACUSE_DELIVERY')).toBe('direct');
      expect(value('ACUSE_ACME_DIRECTORY')).toBe(acme.directory);
      expect(value('DATABASE_URL')).not.toContain(new URL(database.url).password || 'no password');
    });

    test('run again it keeps what stands, and sends once more', async () => {
      const before = ['acuse.env', 'setup.json', 'tls/cert.pem', 'dns.zone'].map(file);
      const path = join(tempFolder(), 'answers.json');
      writeFileSync(path, '{}');
      const { code, out, err } = await ended(start(['setup', '--answers', path]));
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(['acuse.env', 'setup.json', 'tls/cert.pem', 'dns.zone'].map(file)).toEqual(before);
      expect(out).toContain('✓ ana@empresa.test is an operator');
      expect(out).toMatch(/✓ account Empresa SA \([\w-]+\) stands/);
      expect(out).toMatch(/^API key +.*keys create --tenant [\w-]+ --name <name>/m);
      expect(receiver.received).toHaveLength(2);
    });

    test('Ctrl-C at a question leaves everything as it was', async () => {
      const before = ['acuse.env', 'setup.json'].map(file);
      const program = (inject('serverProgram') as { path: string }).path;
      const child = spawn('script', ['-qec', `${process.execPath} ${program} setup`, '/dev/null'], {
        env: { ...env, TERM: 'dumb' },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => (said += more));
      await eventually(() => said.includes('[mail.empresa.test] > '));
      child.stdin.write('other\r');
      await eventually(() => said.includes('expected a host name'));
      child.stdin.write('\r');
      await eventually(() => said.includes('Where mail goes'));
      child.stdin.write('\u0003');
      const [code] = await once(child, 'exit');
      expect(code).toBe(1);
      expect(said).toContain('stopped before anything was changed');
      expect(['acuse.env', 'setup.json'].map(file)).toEqual(before);
    });

    test('the service renews a certificate that ends soon, with the same key', async () => {
      globalAgent.options.ca = acme.ca;
      const folder = tempFolder();
      const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      const old = issueCertificate({
        ...{ subject: 'old', names: ['mail.empresa.test'] },
        ...{ notBefore: new Date(Date.now() - 20 * 86_400_000), notAfter: new Date(Date.now() + 86_400_000) },
      });
      writeFileSync(cert, old.certPem);
      writeFileSync(key, old.keyPem);
      const { config } = loadConfig({
        ...{ ACUSE_DELIVERY: 'direct', ACUSE_HOSTNAME: 'mail.empresa.test', ACUSE_LOG_ORIGIN: 'a.test/log' },
        ...{ ACUSE_TLS_CERT_FILE: cert, ACUSE_TLS_KEY_FILE: key, ACUSE_ACME_DIRECTORY: acme.directory },
        ACUSE_ACME_PORT: String(acme.challengePort),
      });
      const said: string[] = [];
      const say = (fields: object, message: string) => void said.push(`${message} ${JSON.stringify(fields)}`);
      const log = { info: say, error: say } as never;
      const renewal = keepCertificate({ config, clock: systemClock, log })!;
      renewal.start();
      await eventually(() => said.length > 0);
      await renewal.stop();
      expect(said).toEqual([expect.stringContaining('was renewed')]);
      const renewed = new X509Certificate(readFileSync(cert));
      expect(renewed.issuer).toContain('Pebble');
      expect(renewed.checkPrivateKey(old.key)).toBe(true);
    });
  },
);
