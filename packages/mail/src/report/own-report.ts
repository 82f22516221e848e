import type { SmtpReply } from '../reply/parse.ts';
import type { DsnAction } from './delivery-status.ts';
import { buildDsn } from './dsn.ts';

/**
 * A delivery report of ours is kept as what it is written from, and written when it is read: always to the
 * same bytes, for the hash of a certified message's report is in the log. **What form 1 writes never
 * changes**; a change is a new form.
 */

/** The facts of a report besides its message; JSON, times RFC 3339. */
export interface ReportRecipe {
  readonly form: 1;
  readonly action: DsnAction;
  /** The installation's name at that time. */
  readonly host: string;
  readonly arrived_at: string;
  /** Octets of the message's beginning that the report quotes as its header; 0: nothing is quoted. */
  readonly header_bytes: number;
  /** RFC 3463 §2 */
  readonly status: string;
  readonly remote_mta?: string;
  readonly reply?: SmtpReply;
  /** Where no server replied. */
  readonly diagnostic?: string;
  readonly retry_until?: string;
}

export interface ReportedMessage {
  readonly messageId: string;
  readonly senderAddress: string;
  readonly recipientAddress: string;
  /** When the attempt ended that the report is about. */
  readonly finishedAt: Date;
  /** The message, at least its first `header_bytes`; what is missing is not quoted. */
  readonly raw: Uint8Array;
}

/** The report's bytes, RFC 3464 §2. Throws TypeError for a form that this version does not know. */
export function writeOwnReport(recipe: ReportRecipe, message: ReportedMessage): Uint8Array {
  if (recipe.form !== 1) throw new TypeError(`a delivery report of form ${String(recipe.form)} is not known`);
  const { messageId, recipientAddress } = message;
  return buildDsn({
    id: `${messageId}-${recipe.action}`,
    reportingMta: recipe.host,
    from: `Mail Delivery System <MAILER-DAEMON@${recipe.host}>`,
    to: message.senderAddress,
    date: message.finishedAt,
    arrivalDate: new Date(recipe.arrived_at),
    envelopeId: messageId,
    original: message.raw.subarray(0, recipe.header_bytes),
    recipients: [
      {
        finalRecipient: recipientAddress,
        originalRecipient: recipientAddress,
        action: recipe.action,
        status: recipe.status,
        ...(recipe.remote_mta === undefined ? {} : { remoteMta: recipe.remote_mta }),
        ...(recipe.reply === undefined ? {} : { reply: recipe.reply }),
        ...(recipe.diagnostic === undefined ? {} : { diagnostic: recipe.diagnostic }),
        lastAttemptAt: message.finishedAt,
        ...(recipe.retry_until === undefined ? {} : { willRetryUntil: new Date(recipe.retry_until) }),
      },
    ],
  });
}
