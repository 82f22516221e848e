import { MESSAGE_MAX_BYTES } from '@acuse/mail/limits';
import { parseAddress } from '@acuse/mail/mailbox';
import type { KeyCheck } from '../api-keys/key-check.ts';
import { ApiError, apiError } from '../errors.ts';
import type { Accept } from '../messages/accept.ts';
import { asApiError } from '../messages/submission.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { listening } from '../platform/network/listen.ts';
import {
  createSmtpListener,
  type IncomingMail,
  type SmtpAnswer,
  type SmtpCertificate,
  type SmtpEnvelope,
  type SmtpListener,
  type SmtpTimeouts,
} from '../platform/smtp/smtp-listener.ts';
import { createLogin, SUBMISSION_SCOPES, type SubmissionIdentity } from './login.ts';
import { refusalOf } from './refusals.ts';
import { submit } from './submit.ts';

/**
 * SMTP submission (role `submission`, RFC 6409 and RFC 8314): the API's checks and its accept for programs that speak SMTP.
 * One message a transaction, for the one recipient in its To; a 250 means that it is committed to disk.
 */
export interface SubmissionDeps {
  readonly accept: Accept;
  readonly keyCheck: KeyCheck;
  readonly clock: Clock;
  readonly log: Log;
  readonly hostname: string;
  readonly host: string;
  /** With STARTTLS, and with TLS from the first byte; null: not served. 0 takes a free one. */
  readonly port: number | null;
  readonly tlsPort: number | null;
  readonly certificate: SmtpCertificate;
  readonly failuresPerMinute?: number;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** Told of each login. */
  onLogin?(admitted: boolean): void;
  /** Told of each message: `accepted`, `replayed`, or the error code of its refusal. */
  onMessage?(outcome: string): void;
}

export interface Submission {
  /** Resolves with the ports once they listen; null where one is not served. */
  start(): Promise<SubmissionPorts>;
  renew(certificate: SmtpCertificate): void;
  stop(graceMs?: number): Promise<void>;
}

export interface SubmissionPorts {
  readonly port: number | null;
  readonly tlsPort: number | null;
}

export const SUBMISSION_CLIENTS_MAX = 500;
/** Of one network: an application server opens many connections from one address. */
export const SUBMISSION_CLIENTS_PER_NETWORK_MAX = 100;

const NEEDS_SMTPUTF8: SmtpAnswer = {
  code: 553,
  text: '5.6.7 An address outside ASCII needs SMTPUTF8 in MAIL FROM',
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
      maxRecipients: 1,
      maxClients: SUBMISSION_CLIENTS_MAX,
      maxClientsPerNetwork: SUBMISSION_CLIENTS_PER_NETWORK_MAX,
      ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
      log: deps.log,
      authenticate: login,
      onSender: (_envelope, identity) => refusing(() => mayBegin(deps, identity)),
      onRecipient: (envelope) => refusing(async () => judgeRecipient(envelope)),
      onMail: (mail, identity) => take(deps, mail, identity),
    });
  const starttls = deps.port === null ? null : listener(deps.port, false);
  const implicit = deps.tlsPort === null ? null : listener(deps.tlsPort, true);
  const listeners = [starttls, implicit].filter((each) => each !== null);

  return {
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

/** A session may last for hours: its key, its account and its allowance are looked at for each message. */
async function mayBegin({ keyCheck }: SubmissionDeps, { apiKeyId }: SubmissionIdentity): Promise<null> {
  keyCheck.admit(await keyCheck.recall(apiKeyId), SUBMISSION_SCOPES);
  if (keyCheck.spend(apiKeyId)?.ok === false)
    throw apiError('rate_limited', 'Too many messages: wait a moment.');
  return null;
}

/** Only its form: everything else is known when the message is there. */
function judgeRecipient({ forwardPath, smtpUtf8 }: SmtpEnvelope): SmtpAnswer | null {
  const { localPart } = asApiError(() => parseAddress(forwardPath, 'RCPT TO'));
  return smtpUtf8 || /^[\x20-\x7e]*$/.test(localPart) ? null : NEEDS_SMTPUTF8;
}

async function take(
  deps: SubmissionDeps,
  mail: IncomingMail,
  { apiKeyId }: SubmissionIdentity,
): Promise<SmtpAnswer> {
  const { accept, keyCheck, onMessage } = deps;
  try {
    const { tenantId } = keyCheck.admit(await keyCheck.recall(apiKeyId), SUBMISSION_SCOPES);
    const { kind, message } = await submit(accept, tenantId, mail);
    onMessage?.(kind === 'created' ? 'accepted' : 'replayed');
    const replay = kind === 'replayed' ? ' (a replay: it was accepted before)' : '';
    return { code: 250, text: `2.0.0 OK: queued as ${message.id}${replay}` };
  } catch (error) {
    onMessage?.(error instanceof ApiError ? error.code : 'internal_error');
    return answerTo(error);
  }
}

async function refusing(judge: () => Promise<SmtpAnswer | null>): Promise<SmtpAnswer | null> {
  try {
    return await judge();
  } catch (error) {
    return answerTo(error);
  }
}

/** Refusals of the API's become answers; anything else is a fault, which the listener logs and answers 451. */
function answerTo(error: unknown): SmtpAnswer {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  return refusal;
}
