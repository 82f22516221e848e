import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type DnsPeer, type PeerRecord, startDnsPeer } from '@acuse/testkit/dns-peer';
import { PATIENCE } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { inject, vi } from 'vitest';
import { newKey } from '../support/service.ts';

/**
 * A whole installation in direct mode, as an operator has one: a real process with its own DNS view of the
 * world, an account made by the command line.
 */
export interface Installation {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly returnPathPort: number;
  /** With STARTTLS, and with TLS at once. */
  readonly submissionPort: number;
  readonly submissionsPort: number;
  readonly tenantId: string;
  readonly key: string;
  log(): string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A plain JSON send from an approved sender; returns the message's id. */
  send(fields: { from: string; to: string } & Record<string, unknown>): Promise<string>;
  /**
   * Registers a domain, publishes the records that the answer asks for, verifies it and lets every address of
   * it send.
   */
  verifiedDomain(name: string): Promise<void>;
  /** Waits until the message has a status and gives the message. */
  until(id: string, status: string): Promise<Answer['body']>;
  /** The command line on the same database. */
  cli(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly body: any;
  readonly bytes: Uint8Array;
}

/** A DNS of the test's own. */
export interface World {
  readonly server: string;
  /** Records under a name, all types together. */
  readonly zone: Map<string, PeerRecord[]>;
  /** TXT records as mailauth asks for them. */
  txt(name: string): string[][];
  close(): Promise<void>;
}

/** `otherwise` answers for names that are not in the zone. */
export async function startWorld(
  otherwise: (name: string, type: string) => readonly PeerRecord[] | undefined,
): Promise<World> {
  const zone = new Map<string, PeerRecord[]>();
  const peer: DnsPeer = await startDnsPeer((asked, type) => {
    const name = asked.toLowerCase();
    const known = zone.get(name)?.filter((record) => record.type === type || record.type === 'CNAME');
    if (known !== undefined) return { records: known };
    const records = otherwise(name, type);
    return records === undefined ? undefined : { records };
  });
  return {
    server: peer.server,
    zone,
    txt(name) {
      const found = zone.get(name.toLowerCase())?.filter((record) => record.type === 'TXT') ?? [];
      if (found.length === 0) throw Object.assign(new Error(`no such name ${name}`), { code: 'ENOTFOUND' });
      return found.map((record) => [(record as { value: string }).value]);
    },
    close: peer.close,
  };
}

export const HOSTNAME = 'mail.acuse.test';
const run = promisify(execFile);

export interface InstallationOptions {
  /** Where every mail host of the world listens. */
  readonly smtpPort: number;
  readonly returnPathPort: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What an operator has done with the command line by the time the service starts. */
  readonly before?: (cli: Installation['cli']) => Promise<void>;
}

export async function startInstallation(world: World, options: InstallationOptions): Promise<Installation> {
  const database: TestDatabase = await testDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-interop-'));
  const { smtpPort, returnPathPort, env = {} } = options;
  const [submissionPort, submissionsPort] = [await freePort(), await freePort()];
  const certificate = issueCertificate({ subject: HOSTNAME, names: [HOSTNAME] });
  const [certFile, keyFile] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')];
  writeFileSync(certFile, certificate.certPem);
  writeFileSync(keyFile, certificate.keyPem);
  const settings = {
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_DELIVERY: 'direct',
    ACUSE_HOSTNAME: HOSTNAME,
    ACUSE_LOG_ORIGIN: `${HOSTNAME}/log`,
    ACUSE_SEAL_INTERVAL: '1s',
    ACUSE_DNS_SERVERS: world.server,
    ACUSE_SMTP_PORT: String(smtpPort),
    ACUSE_PRIVATE_NETWORKS: '127.0.0.0/8,::1',
    ACUSE_RETURN_PATH_HOST: '127.0.0.1',
    ACUSE_RETURN_PATH_PORT: String(returnPathPort),
    ACUSE_SUBMISSION_PORT: String(submissionPort),
    ACUSE_SUBMISSIONS_PORT: String(submissionsPort),
    ACUSE_TLS_CERT_FILE: certFile,
    ACUSE_TLS_KEY_FILE: keyFile,
    ...env,
  };
  async function cli(...args: string[]): Promise<string> {
    const program = inject('serverProgram');
    if ('error' in program) throw new Error(program.error);
    const { stdout } = await run(process.execPath, [program.path, ...args], {
      env: { ...process.env, ...settings, ACUSE_DATA_DIR: dataDir, DATABASE_URL: database.url },
    });
    return stdout;
  }

  const { id: tenantId } = JSON.parse(await cli('tenants', 'create', '--name', 'Interop', '--json'));
  const { key } = JSON.parse(
    await cli('keys', 'create', '--tenant', tenantId, '--name', 'interop', '--json'),
  );
  await options.before?.(cli);
  const server: ServerProcess = await startServer({ databaseUrl: database.url, dataDir, env: settings });

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const raw = body instanceof Uint8Array;
    const answer = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': raw ? 'message/rfc822' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    const text = () => Buffer.from(bytes).toString('utf8');
    return { status: answer.status, bytes, body: json ? JSON.parse(text()) : text() };
  }

  async function expectStatus(wanted: number, answered: Promise<Answer>): Promise<Answer['body']> {
    const { status, body } = await answered;
    if (status !== wanted) throw new Error(`answered ${status}, not ${wanted}: ${JSON.stringify(body)}`);
    return body;
  }

  return {
    baseUrl: server.baseUrl,
    databaseUrl: database.url,
    returnPathPort,
    submissionPort,
    submissionsPort,
    tenantId,
    key,
    log: server.log,
    call,
    cli,
    async send(fields) {
      const message = { subject: 'Hello', text: 'Hello Ana', ...fields };
      const headers = { 'idempotency-key': newKey() };
      // As its Retry-After says, a busy installation takes it later, under the same key.
      for (;;) {
        const answer = await call('POST', '/v1/messages', message, headers);
        if (answer.status !== 503) return (await expectStatus(201, Promise.resolve(answer))).id;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    },
    async verifiedDomain(name) {
      const domain = await expectStatus(201, call('POST', '/v1/domains', { name }));
      for (const { type, name: at, value } of domain.records)
        world.zone.set(at.toLowerCase(), [...(world.zone.get(at.toLowerCase()) ?? []), { type, value }]);
      const verified = await expectStatus(200, call('POST', `/v1/domains/${domain.id}/verify`));
      if (verified.status !== 'verified') throw new Error(`not verified: ${JSON.stringify(verified)}`);
      await expectStatus(201, call('POST', '/v1/senders', { address: `*@${domain.name}` }));
    },
    until: (id, status) =>
      vi.waitFor(async () => {
        const { body } = await call('GET', `/v1/messages/${id}`);
        if (body.status !== status) throw new Error(`${status} expected: ${JSON.stringify(body)}`);
        return body;
      }, PATIENCE),
    async stop() {
      await server.end('SIGTERM');
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
