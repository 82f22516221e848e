import { createApiKey } from '../../../src/accounts/api-keys/operations.ts';
import { markVerified, registerDomain } from '../../../src/accounts/domains/register.ts';
import { createTenant } from '../../../src/accounts/tenants/operations.ts';
import { createSubmission, type SubmissionDeps } from '../../../src/messages/submission/listeners.ts';
import { SCOPES, type Scope } from '../../../src/platform/http/http.ts';
import { openRawSmtp, type RawSmtp } from '../../support/raw-smtp.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';

/** The submission listeners before the real accept, on a database of their own. */
export interface SubmissionWorld {
  readonly service: TestService;
  /** The sandbox account's. */
  readonly key: string;
  /** With STARTTLS, and with TLS from the first byte. */
  readonly port: number;
  readonly tlsPort: number;
  /** Outcome of each message so far. */
  readonly outcomes: string[];
  /** A session over TLS that is logged in. */
  session(key?: string, localAddress?: string): Promise<RawSmtp>;
  /** Bytes of messages that are being received or judged. */
  heldBytes(): number;
  /** How many messages are stored. */
  count(): Promise<number>;
  /** Another account, with a domain and no sender. */
  tenant(options?: { scopes?: readonly Scope[]; quota?: number }): Promise<{ tenantId: string; key: string }>;
  stop(): Promise<void>;
}

export interface SubmissionWorldOptions {
  environment?: Record<string, string>;
  databaseUrl?: string;
  barrierTimeoutMs?: number;
  submission?: Partial<SubmissionDeps>;
}

export async function openSubmissionWorld(options: SubmissionWorldOptions = {}): Promise<SubmissionWorld> {
  const { submission: _, ...given } = options;
  const service = await startTestService(given);
  const { services, accept, db } = service;
  const outcomes: string[] = [];
  const submission = createSubmission({
    accept,
    threads: services.threads,
    db,
    keyCheck: services.keyCheck,
    clock: services.clock,
    log: services.log,
    hostname: 'mail.acuse.test',
    host: '127.0.0.1',
    port: 0,
    tlsPort: 0,
    certificate: services.certificate.current,
    onMessage: (outcome) => outcomes.push(outcome),
    ...options.submission,
  });
  const { port, tlsPort } = await submission.start();
  return {
    service,
    key: service.account.apiKey,
    port: port!,
    tlsPort: tlsPort!,
    outcomes,
    async session(key = service.account.apiKey, localAddress = '127.0.0.1') {
      const smtp = await openRawSmtp(tlsPort!, { tls: true, localAddress });
      await smtp.command('EHLO client.test');
      const reply = await smtp.login(key);
      if (!reply.startsWith('235 ')) throw new Error(reply);
      return smtp;
    },
    heldBytes: submission.heldBytes,
    async count() {
      const [row] = await db.query<{ n: number }>('select count(*) as n from messages');
      return row!.n;
    },
    async tenant({ scopes = SCOPES, quota = 1_000 } = {}) {
      const deps = services.domains;
      const { tenantId } = await createTenant(deps, {
        name: 'Other',
        quotaMessagesMonth: quota,
        quotaPlainMessagesMonth: quota,
      });
      const { key } = await createApiKey(deps, tenantId, { name: 'smtp', scopes }, null);
      return { tenantId, key };
    },
    async stop() {
      await submission.stop(1);
      await service.stop();
    },
  };
}

export async function verifiedDomain(world: SubmissionWorld, tenantId: string, name: string): Promise<void> {
  const { domainId } = await registerDomain(world.service.services.domains, tenantId, name);
  await markVerified(world.service.services.domains, tenantId, domainId);
}

export interface MailFields {
  from?: string;
  to?: string;
  subject?: string;
  /** Null: none. */
  messageId?: string | null;
  /** Whole lines without their ends. */
  headers?: readonly string[];
  body?: string;
}

/** A message with CRLF line ends and, by default, an id of its own. */
export function mail(fields: MailFields = {}): string {
  const messageId = fields.messageId === undefined ? `<${newKey()}@client.test>` : fields.messageId;
  return [
    `From: ${fields.from ?? 'Billing <billing@sandbox.test>'}`,
    `To: ${fields.to ?? 'delivered@sandbox.test'}`,
    `Subject: ${fields.subject ?? 'By SMTP'}`,
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    ...(fields.headers ?? []),
    '',
    fields.body ?? 'Hello Ana',
    '',
  ].join('\r\n');
}

export interface Envelope {
  reversePath?: string;
  forwardPath?: string;
  /** Behind MAIL FROM:<…>. */
  parameters?: string;
}

/** One message over an open session: the first reply that refuses it, or the last one. */
export async function sendRaw(
  smtp: RawSmtp,
  content: string | Uint8Array,
  { reversePath = 'app@client.test', forwardPath = 'delivered@sandbox.test', parameters = '' }: Envelope = {},
): Promise<string> {
  for (const line of [`MAIL FROM:<${reversePath}>${parameters}`, `RCPT TO:<${forwardPath}>`, 'DATA']) {
    const reply = await smtp.command(line);
    if (!/^[23]/.test(reply)) {
      await smtp.command('RSET');
      return reply;
    }
  }
  smtp.write(content);
  smtp.write('.\r\n');
  return smtp.reply();
}

/** The id in a 250. */
export function idIn(reply: string): string {
  const id = /^250 2\.0\.0 OK: queued as ([0-9a-f-]{36})/.exec(reply)?.[1];
  if (id === undefined) throw new Error(`no message was accepted: ${reply}`);
  return id;
}
