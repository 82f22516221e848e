import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type DnsScript, startDnsPeer } from '@acuse/testkit/dns-peer';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import pg from 'pg';
import { inject } from 'vitest';
import { AGENT } from '../pages.mjs';
import { type Cookies, openSession } from './sessions.ts';

/** A real server with a database of its own, and its first operator. */
export interface Installation {
  readonly server: ServerProcess;
  readonly databaseUrl: string;
  /** Answers of the DNS from now on; at first it knows no name. */
  answerDns(script: DnsScript): void;
  /** The cookies of an operator, whom the link of the first run signs in once. */
  operator(): Promise<Cookies>;
  /** A statement as the service's own logins make them: of workers, or of those who sign in. */
  query(role: 'acuse_worker' | 'acuse_sessions', text: string, values?: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

export async function startInstallation(env: Readonly<Record<string, string>> = {}): Promise<Installation> {
  let script: DnsScript = () => undefined;
  const dns = await startDnsPeer((...question) => script(...question));
  const database: TestDatabase = await testDatabase();
  const server = await startServer({
    databaseUrl: database.url,
    dataDir: mkdtempSync(join(inject('folderForTests'), 'portal-')),
    env: {
      ACUSE_KEY_RATE: '0',
      ACUSE_ADDRESS_RATE: '0',
      ACUSE_KEYLESS_RATE: '0',
      ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
      ACUSE_MCP_URL: AGENT.mcpUrl,
      ACUSE_DNS_SERVERS: dns.server,
      ...env,
    },
  });
  async function query(role: string, text: string, values: readonly unknown[] = []): Promise<void> {
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      await client.query(`set role ${role}`);
      await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }
  let operator: Promise<Cookies> | null = null;
  return {
    server,
    databaseUrl: database.url,
    answerDns(next) {
      script = next;
    },
    async operator() {
      operator ??= openSession(String(server.sandbox!['admin_sign_in']));
      const cookies = await operator;
      // However long the files before took: a sign-in that is too long ago is asked for again.
      await query('acuse_sessions', 'update operator_sessions set authenticated_at = now()');
      return cookies;
    },
    query,
    async end() {
      await server.end('SIGTERM');
      await database.drop();
      await dns.close();
    },
  };
}

let installation: Promise<Installation> | null = null;

/** The one that all files of this worker share. It ends with the worker, and its database with the run. */
export function sharedInstallation(): Promise<Installation> {
  installation ??= startInstallation();
  return installation;
}
