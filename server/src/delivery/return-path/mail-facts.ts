import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { HeldSignatures } from '@acuse/mail/authentication/dkim-check';
import { authenticateReport } from '@acuse/mail/authentication/vouch';
import { TokenHider } from '@acuse/mail/hide-token';
import type { Complaint } from '@acuse/mail/report/arf';
import type { ReportedRecipient } from '@acuse/mail/report/read-dsn';
import type { Receipt } from '@acuse/mail/report/receipt';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { IncomingMail } from '../../platform/smtp/smtp-types.ts';
import { storable } from '../text.ts';
import { findHandedTo, type ReturnedMessageRow } from './return-path-store.ts';

/** The kept facts of a mail to the return path, with the token hidden. */

export interface MailToReturnPath extends Omit<IncomingMail, 'forwardPaths'> {
  readonly forwardPath: string;
}

export type Claims = MailReportFacts['claims'];

const MAX_TEXT_CHARS = 2_000;
const MAX_NAME_CHARS = 255;
/** RFC 5321 §4.5.3.1.3. */
const MAX_PATH_CHARS = 256;

interface FactsDeps {
  readonly db: Db;
  readonly resolver: MailResolver | null;
  readonly now: Date;
  readonly held: HeldSignatures;
}

export async function readMailFacts(
  { db, resolver, now, held }: FactsDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  claims: Claims,
): Promise<MailReportFacts> {
  const hider = hiderOf(mail);
  const shown = (text: string, maxChars: number) => storable(hider.hide(text), maxChars);
  const peer = peerOf(mail);
  const recipientDomain = message.recipient_address.slice(message.recipient_address.lastIndexOf('@') + 1);
  const authentication = await authenticateReport(
    resolver,
    { raw: mail.raw, reversePath: mail.reversePath, peer },
    { handedTo: await findHandedTo(db, message), recipientDomain },
    now,
    held,
  );
  const { dkim, spf, vouched_by } = authentication;
  return {
    claims,
    dkim: { domains: dkim.domains.map((domain) => shown(domain, MAX_NAME_CHARS)), result: dkim.result },
    mail_from: shown(mail.reversePath, MAX_PATH_CHARS),
    peer: {
      helo: shown(peer.helo, MAX_NAME_CHARS),
      ip: peer.ip,
      tls: mail.tls && { cipher: mail.tls.cipher, version: mail.tls.version },
    },
    sha256: Buffer.from(sha256(mail.raw)).toString('hex'),
    spf: { domain: spf.domain && shown(spf.domain, MAX_NAME_CHARS), result: spf.result },
    vouched_by,
  };
}

/** The peer of a mail; an IPv4 address as such, however the listener saw it. */
export function peerOf(mail: Pick<IncomingMail, 'clientAddress' | 'clientName'>): {
  ip: string;
  helo: string;
} {
  return { ip: mail.clientAddress.replace(/^::ffff:(?=\d+\.)/i, ''), helo: mail.clientName };
}

/** The same bytes, with the token hidden. */
export function keptBytes(mail: MailToReturnPath): Uint8Array {
  return hiderOf(mail).hideInMail(mail.raw);
}

export function claimsOf(mail: MailToReturnPath, recipient: ReportedRecipient, diagnostic: string): Claims {
  const shown = shownBy(mail);
  return {
    feedback_type: null,
    final_recipient: shown(recipient.finalRecipient, MAX_NAME_CHARS),
    original_recipient: shown(recipient.originalRecipient, MAX_NAME_CHARS),
    remote_mta: shown(recipient.remoteMta, MAX_NAME_CHARS),
    reply: {
      code: recipient.replyCode === 0 ? null : recipient.replyCode,
      enhanced: recipient.status,
      text: shown(diagnostic, MAX_TEXT_CHARS),
    },
  };
}

/** Nobody vouches for a program's statement. */
export function receiptClaims(mail: MailToReturnPath, receipt: Receipt): Claims {
  const shown = shownBy(mail);
  const done = receipt.isError ? `${receipt.disposition}/error` : receipt.disposition;
  return {
    feedback_type: null,
    final_recipient: shown(receipt.finalRecipient, MAX_NAME_CHARS),
    original_recipient: shown(receipt.originalRecipient, MAX_NAME_CHARS),
    remote_mta: null,
    reply: {
      code: null,
      enhanced: null,
      text: shown(`${done} (${receipt.mode})`, MAX_TEXT_CHARS),
    },
  };
}

export function complaintClaims(mail: MailToReturnPath, complaint: Complaint): Claims {
  const shown = shownBy(mail);
  return {
    feedback_type: shown(complaint.feedbackType, MAX_NAME_CHARS),
    final_recipient: shown(complaint.recipients[0] ?? null, MAX_NAME_CHARS),
    original_recipient: null,
    remote_mta: null,
    reply: null,
  };
}

export function shownBy(mail: MailToReturnPath) {
  const hider = hiderOf(mail);
  return <T extends string | null>(text: T, maxChars: number): T =>
    (text === null ? null : storable(hider.hide(text), maxChars)) as T;
}

function hiderOf(mail: MailToReturnPath): TokenHider {
  const hider = new TokenHider();
  hider.add(mail.forwardPath);
  return hider;
}
