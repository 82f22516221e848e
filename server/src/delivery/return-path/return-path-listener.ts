import { readReplyAddress } from '@acuse/mail/reply-address';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { readReturnPath } from '@acuse/mail/verp';
import type { DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { createSmtpListener, type SmtpListener } from '../../platform/smtp/smtp-listener.ts';
import type { SmtpTimeouts } from '../../platform/smtp/smtp-timeouts.ts';
import type { IncomingMail, SmtpAnswer, SmtpCertificate } from '../../platform/smtp/smtp-types.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import { takeDomainReport } from './domain-report-mail.ts';
import { takeReply } from './reply.ts';
import { applyReturnedMail } from './return-path.ts';
import { isReportBox, RECEIPT_BOX, type RoleAddress } from './role-address.ts';
import { type MailToRole, type RoleMailDeps, type RoleOutcome, roleOf, takeRoleMail } from './role-mail.ts';

/**
 * The listener for returned mail (role `return-path`): accepts mail to our signed, unexpired return paths and
 * to the roles of our hosts; sends none.
 */
export interface ReturnPathListenerDeps extends DbAndClock {
  readonly log: Log;
  /** Current and earlier secrets. */
  readonly returnPathSecrets: readonly Uint8Array[];
  readonly hostname: string;
  /** Mail hosts of this installation, lower case, `hostname` included. */
  readonly hosts: readonly string[];
  readonly host: string;
  /** 25 where others shall find it; 0 takes a free one. */
  readonly port: number;
  readonly certificate?: SmtpCertificate;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** For DKIM and SPF of reports; null: no look-ups. */
  readonly resolver: MailResolver | null;
  readonly replyKeys?: MailResolver;
  readonly threads: Threads;
  readonly webhooks?: WebhookHandover | null;
  readonly forward?: NonNullable<RoleMailDeps['forward']>;
  onOutcome?(outcome: ListenerOutcome): void;
}

/** `refused`: a mail to acknowledge that proves nothing; its sender is told. */
export type ListenerOutcome = RoleOutcome | 'acknowledged' | 'refused';

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Reports have one recipient; two may be combined. */
const MAX_RECIPIENTS = 10;
/** Idle ones take some 50 KiB each. */
export const RETURN_PATH_CLIENTS_MAX = 500;

const NO_SUCH_ADDRESS: SmtpAnswer = { code: 550, text: '5.1.1 No such address here' };
const NOT_YET: SmtpAnswer = { code: 451, text: '4.3.0 The message is not recorded yet, try again later' };
const TOO_MUCH: SmtpAnswer = {
  code: 452,
  text: '4.3.1 Your host has left too much mail for people here: try again in an hour',
};
const ACCEPTED: SmtpAnswer = { code: 250, text: '2.0.0 OK' };

interface Taken {
  readonly outcome: ListenerOutcome;
  readonly answer: SmtpAnswer | null;
}

/** Mail sent as a domain's report that counts for none goes to the operator, who reads why. */
async function takeFor(
  deps: RoleMailDeps,
  mail: Omit<MailToRole, 'role'>,
  role: RoleAddress['role'],
): Promise<RoleOutcome> {
  if (role === RECEIPT_BOX) return takeRoleMail(deps, { ...mail, role: 'postmaster' });
  if (!isReportBox(role)) return takeRoleMail(deps, { ...mail, role });
  const problem = await takeDomainReport(deps, mail);
  if (problem === null) return 'domain_report';
  return takeRoleMail(deps, { ...mail, role: 'postmaster' }, problem);
}

export function createReturnPathListener(deps: ReturnPathListenerDeps): SmtpListener {
  const { clock, log } = deps;
  const read = (address: string) => readReturnPath(address, deps.returnPathSecrets, clock.now());

  const asked = (address: string) => readReplyAddress(address, deps.returnPathSecrets);
  const isSigned = (address: string) => read(address).ok || asked(address) !== null;

  async function answerTo(mail: IncomingMail, forwardPath: string, messageId: string): Promise<Taken> {
    const outcome = await takeReply(deps, messageId, { ...mail, forwardPath });
    const why = 'why' in outcome ? { why: outcome.why } : {};
    const { clientAddress: client } = mail;
    log.info({ messageId, outcome: outcome.kind, ...why, client }, 'a recipient answered by mail');
    return { outcome: outcome.kind, answer: outcome.kind === 'refused' ? outcome.answer : null };
  }

  async function outcomeOf(mail: IncomingMail, forwardPath: string): Promise<Taken | null> {
    const messageId = asked(forwardPath);
    if (messageId !== null) return answerTo(mail, forwardPath, messageId);
    const outcome = await returnedOrRole(mail, forwardPath);
    return outcome === null ? null : { outcome, answer: null };
  }

  async function returnedOrRole(mail: IncomingMail, forwardPath: string): Promise<RoleOutcome | null> {
    const reading = read(forwardPath);
    if (reading.ok) {
      const outcome = await applyReturnedMail(deps, reading.messageId, { ...mail, forwardPath });
      log.info({ messageId: reading.messageId, outcome, client: mail.clientAddress }, 'mail came back');
      return outcome;
    }
    const role = await roleOf(deps, forwardPath);
    if (role === null) return null;
    const outcome = await takeFor(deps, { ...mail, forwardPath }, role);
    log.info({ role, outcome, client: mail.clientAddress }, 'mail for a role came');
    return outcome;
  }

  async function apply(mail: IncomingMail): Promise<SmtpAnswer> {
    const outcomes: ListenerOutcome[] = [];
    let refusal: SmtpAnswer | null = null;
    for (const forwardPath of mail.forwardPaths) {
      const taken = await outcomeOf(mail, forwardPath);
      if (taken === null) continue;
      deps.onOutcome?.(taken.outcome);
      outcomes.push(taken.outcome);
      refusal ??= taken.answer;
    }
    // Idempotent, so that "not yet" for one recipient may repeat all.
    if (outcomes.includes('not_yet')) return NOT_YET;
    if (outcomes.includes('too_much')) return TOO_MUCH;
    return refusal ?? ACCEPTED;
  }

  return createSmtpListener({
    name: 'return-path',
    hostname: deps.hostname,
    host: deps.host,
    port: deps.port,
    ...(deps.certificate === undefined ? {} : { certificate: deps.certificate }),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxRecipients: MAX_RECIPIENTS,
    maxClients: RETURN_PATH_CLIENTS_MAX,
    ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
    log,
    // Everybody knows the role names.
    provesItself: isSigned,
    async onRecipient({ forwardPath }) {
      const taken = isSigned(forwardPath) || (await roleOf(deps, forwardPath)) !== null;
      return taken ? null : NO_SUCH_ADDRESS;
    },
    onMail: apply,
  });
}
