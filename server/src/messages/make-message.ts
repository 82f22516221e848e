import { type DkimFact, draftMessageManifest, type ManifestDraft } from '@acuse/evidence/manifest';
import { compose, type FeedbackMark } from '@acuse/mail/compose';
import { type CustomHeader, createCustomHeaders } from '@acuse/mail/custom-headers';
import { type HeaderText, headerText, messageIdOf } from '@acuse/mail/header-text';
import { asApiError } from '../input-errors.ts';
import { sha256 } from '../platform/sha256.ts';
import type { AskedLanguage } from './acknowledgement.ts';
import { withWays } from './acknowledgement-ways.ts';
import type { GivenContent, Submission } from './submission.ts';

export interface MessageInput {
  readonly submission: Submission;
  readonly content: GivenContent;
  readonly messageId: string;
  readonly createdAt: Date;
  /** Null: at once. Date is the time of sending: RFC 5322 §3.6.1. */
  readonly sendAt: Date | null;
  readonly logOrigin: string;
  readonly evidence: EvidenceInput | null;
  readonly feedback: FeedbackInput;
  readonly ask?: AskInput | undefined;
}

export interface AskInput {
  readonly url: string;
  readonly address: string;
  readonly language: AskedLanguage;
  readonly until: Date;
}

interface FeedbackInput {
  /** `feedbackSender` of the account. */
  readonly sender: HeaderText;
  readonly templateId: string | null;
  /** The bounce host below the domain of From, whose signature vouches for it; null: none. RFC 9477 §3.1.2 */
  readonly host: string | null;
}

interface EvidenceInput {
  readonly tenantId: string;
  readonly submissionBytes: Uint8Array;
  /** Without its token. */
  readonly mailFrom: string;
  /** Cached by identity. */
  readonly dkim: readonly DkimFact[];
  readonly secret: Uint8Array;
}

export interface MadeMessage {
  readonly raw: Uint8Array;
  /** Without the sequence number. */
  readonly draft: ManifestDraft | null;
}

/** Throws payload_too_large, invalid_body. */
export function makeMessage(input: MessageInput): MadeMessage {
  const { submission, messageId, createdAt, sendAt, logOrigin, evidence, ask } = input;
  const content = ask === undefined ? input.content : withWays(input.content, ask);
  const { raw } = asApiError(() =>
    compose({
      headerFrom: submission.headerFrom,
      headerTo: submission.headerTo,
      headerCc: submission.headerCc,
      replyTo: submission.replyTo,
      subject: content.subject,
      text: content.text ?? undefined,
      html: content.html ?? undefined,
      flowed: content.flowed,
      tree: content.tree,
      submittedDate: content.date,
      headers: withReceiptAddress(submission.headers, input.feedback.host),
      attachments: submission.attachments,
      messageId: submission.messageId ?? messageIdOf(messageId, submission.headerFrom.domain),
      dateMs: (sendAt ?? createdAt).getTime(),
      evidence: { id: messageId as HeaderText, log: headerText(logOrigin, 'log', 200) },
      feedback: feedbackMark(messageId, input.feedback),
      boundarySeed: messageId,
    }),
  );
  if (evidence === null) return { raw, draft: null };
  const draft = draftMessageManifest(
    {
      raw,
      submission: evidence.submissionBytes,
      mailFrom: evidence.mailFrom,
      rcptTo: submission.recipient.address,
      log: logOrigin,
      messageId,
      tenantId: evidence.tenantId,
      acceptedAt: createdAt,
      acknowledgeUntil: ask?.until,
      dkim: evidence.dkim,
      secret: evidence.secret,
    },
    sha256,
  );
  return { raw, draft };
}

/** `Feedback-ID: <template>:<account>`: Gmail counts complaints per part. */
function feedbackMark(messageId: string, { sender, templateId, host }: FeedbackInput): FeedbackMark {
  return {
    cfblAddress: host === null ? null : (`fbl@${host}` as HeaderText),
    cfblFeedbackId: messageId as HeaderText,
    feedbackId: `${templateId ?? 'none'}:${sender}` as HeaderText,
  };
}

/**
 * A read receipt that the sender asked for also comes to us. Programs ask their reader before they send one
 * to anybody but the return path, so that a second address costs none. RFC 8098 §2.1
 */
export function withReceiptAddress(
  headers: readonly CustomHeader[],
  host: string | null,
): readonly CustomHeader[] {
  if (host === null) return headers;
  return headers.map((header) => {
    if (header.name.toLowerCase() !== 'disposition-notification-to') return header;
    try {
      return createCustomHeaders([[header.name, `${header.value}, receipt@${host}`]])[0]!;
    } catch {
      // The header is already as long as it may be: unchanged.
      return header;
    }
  });
}
