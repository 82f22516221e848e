import { MESSAGE_MAX_BYTES } from '@acuse/mail/limits';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import type { KeyCheck } from '../../accounts/api-keys/key-check.ts';
import { suppressedError } from '../../accounts/suppressions/refusal.ts';
import { findSuppressing } from '../../accounts/suppressions/store.ts';
import { ApiError, apiError } from '../../errors.ts';
import { asApiError } from '../../input-errors.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { listening } from '../../platform/network/listen.ts';
import { createSmtpListener, type SmtpListener } from '../../platform/smtp/smtp-listener.ts';
import { tooManyRecipients } from '../../platform/smtp/smtp-session.ts';
import type { SmtpTimeouts } from '../../platform/smtp/smtp-timeouts.ts';
import type {
  IncomingMail,
  SmtpAnswer,
  SmtpCertificate,
  SmtpEnvelope,
} from '../../platform/smtp/smtp-types.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { Accept, Accepted } from '../accept.ts';
import { recipientsOfSize } from '../copies.ts';
import { createLogin, SUBMISSION_SCOPES, type SubmissionIdentity } from './login.ts';
import { asReplyText, refusalOf } from './refusals.ts';
import { submit } from './submit.ts';

/**
 * SMTP submission (role `submission`, RFC 6409 §3.1 and RFC 8314 §3.3): the API's checks and accept. One
 * message per recipient; a 250 means that all are committed.
 */
export interface SubmissionDeps extends DbAndClock {
  readonly accept: Accept;
  readonly threads: Threads;
  readonly keyCheck: KeyCheck;
  readonly log: Log;
  readonly hostname: string;
  readonly host: string;
  readonly port: number | null;
  readonly tlsPort: number | null;
  readonly certificate: SmtpCertificate;
  readonly failuresPerMinute?: number;
  readonly timeouts?: Partial<SmtpTimeouts>;
  onLogin?(admitted: boolean): void;
  onMessage?(outcome: string): void;
}

export interface Submission {
  heldBytes(): number;
  start(): Promise<SubmissionPorts>;
  renew(certificate: SmtpCertificate): void;
  stop(graceMs?: number): Promise<void>;
}

export interface SubmissionPorts {
  readonly port: number | null;
  readonly tlsPort: number | null;
}

/** A client repeats for the others. RFC 5321 §4.5.3.1.8 */
const SUBMISSION_RECIPIENTS_MAX = 100;
export const SUBMISSION_CLIENTS_MAX = 500;
export const SUBMISSION_CLIENTS_PER_ACCOUNT_MAX = 100;

const NEEDS_SMTPUTF8: SmtpAnswer = {
  code: 553,
  text: '5.6.7 A non-ASCII address requires SMTPUTF8 in MAIL FROM',
};

const SEND_AGAIN: SmtpAnswer = {
  code: 451,
  text: '4.7.1 A recipient has just been suppressed and nothing was queued: send the message again',
};

export function createSubmission(deps: SubmissionDeps): Submission {
  const login = createLogin(deps);
  const listener = (port: number, implicitTls: boolean): SmtpListener =>
    createSmtpListener<SubmissionIdentity>({
      name: implicitTls ? 'submissions' : 'submission',
      hostname: deps.hostname,
      host: deps.host,
      port,
      certificate: deps.certificate,
      implicitTls,
      minTlsVersion: 'TLSv1.2',
      maxMessageBytes: MESSAGE_MAX_BYTES,
      maxRecipients: SUBMISSION_RECIPIENTS_MAX,
      bareLineFeeds: 'ends',
      maxClients: SUBMISSION_CLIENTS_MAX,
      accounts: { maxClients: SUBMISSION_CLIENTS_PER_ACCOUNT_MAX, of: ({ tenantId }) => tenantId },
      ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
      log: deps.log,
      authenticate: login,
      onSender: (_envelope, identity) => refusing(() => mayBegin(deps, identity)),
      onRecipient: (envelope, identity) => refusing(() => mayReceive(deps, envelope, identity)),
      onMail: (mail, identity) => take(deps, mail, identity),
    });
  const starttls = deps.port === null ? null : listener(deps.port, false);
  const implicit = deps.tlsPort === null ? null : listener(deps.tlsPort, true);
  const listeners = [starttls, implicit].filter((each) => each !== null);

  return {
    heldBytes: () => listeners.reduce((bytes, each) => bytes + each.heldBytes(), 0),
    async start() {
      try {
        return {
          port: starttls && (await listening('ACUSE_SUBMISSION_PORT', starttls.start)),
          tlsPort: implicit && (await listening('ACUSE_SUBMISSIONS_PORT', implicit.start)),
        };
      } catch (error) {
        await Promise.allSettled(listeners.map((each) => each.stop(1)));
        throw error;
      }
    },
    renew(certificate) {
      for (const each of listeners) each.renew(certificate);
    },
    async stop(graceMs) {
      await Promise.all(listeners.map((each) => each.stop(graceMs)));
    },
  };
}

/** Sessions last: key and account are checked per message. */
async function mayBegin({ keyCheck }: SubmissionDeps, { apiKeyId }: SubmissionIdentity): Promise<null> {
  keyCheck.admit(await keyCheck.recall(apiKeyId), SUBMISSION_SCOPES);
  return null;
}

/**
 * Checks of one recipient; the rest follows with the message. Each takes one from the key's rate. Throws
 * ApiError.
 */
async function mayReceive(
  deps: SubmissionDeps,
  { forwardPath, smtpUtf8, recipients, sizeBytes }: SmtpEnvelope,
  { apiKeyId, tenantId }: SubmissionIdentity,
): Promise<SmtpAnswer | null> {
  const mailbox = asApiError(() => parseAddress(forwardPath, 'RCPT TO'));
  if (!smtpUtf8 && !/^[\x20-\x7e]*$/.test(mailbox.localPart)) return NEEDS_SMTPUTF8;
  const most = recipientsOfSize(sizeBytes);
  if (recipients >= most) return tooManyRecipients(most);
  if (deps.keyCheck.spend(apiKeyId)?.ok === false)
    throw apiError('rate_limited', 'Too many messages: retry shortly.');
  const list = await findSuppressing(deps.db, tenantId, compareKey(mailbox));
  if (list === null) return null;
  deps.onMessage?.('recipient_suppressed');
  throw suppressedError(mailbox.address, list);
}

async function take(
  deps: SubmissionDeps,
  mail: IncomingMail,
  { apiKeyId }: SubmissionIdentity,
): Promise<SmtpAnswer> {
  const { keyCheck, clock, onMessage } = deps;
  try {
    const principal = keyCheck.admit(await keyCheck.recall(apiKeyId), SUBMISSION_SCOPES);
    const accepted = await submit(deps, principal, mail, clock.now());
    for (const { kind } of accepted) onMessage?.(kind === 'created' ? 'accepted' : 'replayed');
    return { code: 250, text: asReplyText(`2.0.0 OK: ${queuedAs(accepted)}`) };
  } catch (error) {
    onMessage?.(error instanceof ApiError ? error.code : 'internal_error');
    return mail.forwardPaths.length > 1 && isOfOneRecipient(error) ? SEND_AGAIN : answerTo(error);
  }
}

function queuedAs(accepted: readonly Accepted[]): string {
  const [first, ...others] = accepted;
  const more = others.length === 0 ? '' : ` and ${others.length} more, one message per recipient`;
  const isReplay = accepted.every(({ kind }) => kind === 'replayed');
  const replay = isReplay ? ' (replay: already accepted)' : '';
  return `queued as ${first!.message.id}${more}${replay}${warningText(first!)}`;
}

/** The only place where an SMTP client sees warnings. */
function warningText({ message: { warnings = [] } }: Accepted): string {
  if (warnings.length === 0) return '';
  const dropped = warnings.filter(({ code }) => code === 'header_dropped').map(({ field }) => field);
  const others = warnings.filter(({ code }) => code !== 'header_dropped').map(({ message }) => message);
  const notSent = dropped.length === 0 ? [] : [`not sent: ${dropped.join(', ')}`];
  return ` (warnings: ${[...notSent, ...others].join('; ')})`;
}

/** Suppressed after RCPT: the next try learns which. */
function isOfOneRecipient(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'recipient_suppressed';
}

async function refusing(judge: () => Promise<SmtpAnswer | null>): Promise<SmtpAnswer | null> {
  try {
    return await judge();
  } catch (error) {
    return answerTo(error);
  }
}

/** Other errors are faults: logged and answered 451. */
function answerTo(error: unknown): SmtpAnswer {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  return refusal;
}
