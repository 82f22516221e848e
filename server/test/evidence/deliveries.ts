import { decide } from '../../src/delivery/record/outcome.ts';
import { type Recorded, recordResults } from '../../src/delivery/record/record.ts';
import type { Attempted, SessionRecord } from '../../src/delivery/record/result.ts';
import type { MailToReturnPath } from '../../src/delivery/return-path/mail-facts.ts';
import { applyReturnedMail, type ReturnOutcome } from '../../src/delivery/return-path/return-path.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { bounceReport, complaintReport } from '../../src/sandbox/foreign-reports.ts';
import type { TestMessage } from './support.ts';

/** The outcome of test messages, written down by the delivery domain itself as after a real conversation. */

const HOSTNAME = 'mail.acuse.test';
const RECIPIENT = 'ana@example.test';
const REPLIES = {
  sent: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4Zk1' },
  bounced: { code: 550, enhanced: '5.1.1', text: 'No such user: ñandú' },
  deferred: { code: 451, enhanced: '4.3.0', text: 'Try later' },
};
export const TLS = {
  version: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  peerCertificateSha256: 'ab'.repeat(32),
  authorized: true,
  error: null,
};

/** One attempt at each message in one group, all with this outcome. */
export async function attempt(
  db: Db,
  messages: readonly TestMessage[],
  kind: keyof typeof REPLIES,
  clock: Clock = systemClock,
): Promise<Map<string, Recorded>> {
  const results: Attempted[] = [];
  for (const message of messages) results.push(await attempted(db, message, kind, clock));
  return recordResults({ db, hostname: HOSTNAME }, results);
}

export async function attempted(
  db: Db,
  message: TestMessage,
  kind: keyof typeof REPLIES,
  clock: Clock = systemClock,
): Promise<Attempted> {
  const { tenantId, messageId } = message;
  const [row] = await db.query<{
    certified: boolean;
    attempts: number;
    created_at: Date;
    header_to: string;
    sender_address: string;
    recipient_address: string;
  }>(
    `select certified, attempts, created_at, header_to, sender_address, recipient_address from messages
      where message_id = $1`,
    [messageId],
  );
  const expiresAt = new Date(row!.created_at.getTime() + 86_400_000);
  await db.execute(
    `insert into delivery_queue (tenant_id, message_id, destination, due_at, attempt, created_at, expires_at)
     values ($1, $2, 'example.test', now(), $3, $4, $5)
     on conflict (tenant_id, message_id) do update set attempt = excluded.attempt`,
    [tenantId, messageId, row!.attempts + 1, row!.created_at.toISOString(), expiresAt.toISOString()],
  );
  const now = clock.now();
  const fact =
    kind === 'sent'
      ? ({ kind: 'accepted', reply: REPLIES.sent } as const)
      : ({ kind: 'refused', stage: 'rcpt', reply: REPLIES[kind] } as const);
  const judged = { fact, mx: 'mx1.example.test', attempts: row!.attempts + 1, now, expiresAt, random: 0.5 };
  return {
    kind: 'attempted',
    item: {
      tenantId,
      messageId,
      destination: 'example.test',
      fence: row!.attempts + 1,
      acceptedAt: row!.created_at,
      expiresAt,
      headerTo: row!.header_to,
      senderAddress: row!.sender_address,
      recipientAddress: row!.recipient_address,
      reversePath: 'b+token@bounce.sender.test',
      certified: row!.certified,
      sizeBytes: message.raw.length,
      attemptsMade: row!.attempts,
      wasDeferred: false,
      sourcePool: null,
      sandbox: false,
      suppressed: false,
    },
    startedAt: now,
    finishedAt: now,
    sessions: [
      session('mx0.example.test', '192.0.2.9', null),
      session('mx1.example.test', '192.0.2.1', kind),
    ],
    fact,
    mx: 'mx1.example.test',
    tls: TLS,
    decision: decide(judged),
    header: message.raw.subarray(0, message.raw.indexOf('\r\n\r\n') + 2),
  };
}

function session(mx: string, address: string, kind: keyof typeof REPLIES | null): SessionRecord {
  const reply = kind === null ? null : REPLIES[kind];
  return {
    mx,
    address,
    port: 25,
    local_address: '198.51.100.7',
    earlier_messages: 0,
    tls: null,
    tls_policy: 'opportunistic',
    reply,
    stage: reply === null ? 'connect' : 'dot',
    error: reply === null ? { code: 'ECONNREFUSED', message: 'connection refused' } : null,
    transcript:
      reply === null
        ? []
        : [
            { t_ms: 3, who: 'S', line: '220 mx1.example.test ESMTP — ¡hola! \\x07' },
            { t_ms: 9, who: 'S', line: `${reply.code} ${reply.enhanced} ${reply.text}` },
          ],
  };
}

/** A provider's report about a message that was handed over. */
export function comeBack(
  db: Db,
  message: TestMessage,
  kind: 'bounce' | 'complaint',
  clock: Clock = systemClock,
): Promise<ReturnOutcome> {
  return applyReturnedMail(
    { db, clock, hostname: HOSTNAME, resolver: null },
    message.messageId,
    byMail(reportOn(message, kind, clock)),
  );
}

/** As a peer delivers it. */
export function byMail(raw: Buffer): MailToReturnPath {
  return {
    raw,
    forwardPath: 'b+token@bounce.sender.test',
    reversePath: '',
    clientName: 'mx1.example.test',
    clientAddress: '192.0.2.7',
    tls: null,
  };
}

export function reportOn(message: TestMessage, kind: 'bounce' | 'complaint', clock: Clock): Buffer {
  const make = kind === 'bounce' ? bounceReport : complaintReport;
  return make({
    reversePath: 'b+token@bounce.sender.test',
    forwardPath: RECIPIENT,
    raw: message.raw,
    at: clock.now(),
    id: message.messageId,
  });
}
