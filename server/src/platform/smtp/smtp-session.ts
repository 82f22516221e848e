import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import type { IncomingMail, SmtpAnswer } from './smtp-types.ts';

export function refusal(reply: SmtpAnswer): Error & { responseCode: number } {
  return Object.assign(new Error(reply.text), { responseCode: reply.code });
}

/** A parameter of a service that is not offered must be refused. RFC 5321 §4.1.1.11 */
export function unknownParameter(
  given: SMTPServerAddress['args'],
  known: readonly string[],
): SmtpAnswer | null {
  const unknown = Object.keys(given || {}).find((name) => !known.includes(name));
  return unknown === undefined ? null : { code: 555, text: '5.5.4 Unknown parameter' };
}

/** RFC 5321 §4.5.3.1.10: the client sends the message again, for the rest. */
export function tooManyRecipients(max: number): SmtpAnswer {
  const most = max === 1 ? 'one recipient' : `${max} recipients`;
  return { code: 452, text: `4.5.3 Limit of ${most} per message reached: send it again to the others` };
}

export function reversePathOf(session: SMTPServerSession): string {
  const { mailFrom } = session.envelope;
  return mailFrom === false ? '' : mailFrom.address;
}

/** Octets announced by MAIL FROM (RFC 1870 §6), or 0. */
export function declaredSize(session: SMTPServerSession): number {
  const { mailFrom } = session.envelope;
  const size = mailFrom === false ? undefined : (mailFrom.args as Record<string, unknown> | false);
  return Number(size ? (size['SIZE'] ?? 0) : 0) || 0;
}

export function incoming(session: SMTPServerSession, raw: Buffer, tlsVersion: string): IncomingMail {
  return {
    reversePath: reversePathOf(session),
    forwardPaths: session.envelope.rcptTo.map((recipient) => recipient.address),
    raw,
    clientName: session.hostNameAppearsAs || '',
    clientAddress: session.remoteAddress,
    tls:
      session.secure && session.tlsOptions !== false
        ? { version: tlsVersion, cipher: session.tlsOptions.standardName ?? session.tlsOptions.name }
        : null,
  };
}
