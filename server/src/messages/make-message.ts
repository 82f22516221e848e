import { type DkimFact, draftMessageManifest, type ManifestDraft } from '@acuse/evidence/manifest';
import { compose } from '@acuse/mail/compose';
import { type HeaderText, headerText, messageIdOf } from '@acuse/mail/header-text';
import { asApiError } from '../input-errors.ts';
import { sha256 } from '../platform/sha256.ts';
import type { GivenContent, Submission } from './submission.ts';

/** What composing and committing to a message take. Plain data, so that a thread can be given it. */
export interface MessageInput {
  readonly submission: Submission;
  readonly content: GivenContent;
  readonly messageId: string;
  readonly createdAt: Date;
  /** Null: at once. Its Date says when it is sent, and not when it was accepted: RFC 5322 §3.6.1. */
  readonly sendAt: Date | null;
  /** Origin of the log that the message is promised to. */
  readonly logOrigin: string;
  /** Null: it is not certified. */
  readonly evidence: EvidenceInput | null;
}

export interface EvidenceInput {
  readonly tenantId: string;
  /** The bytes as received. */
  readonly submissionBytes: Uint8Array;
  /** The reverse path as it is proven, without its token. */
  readonly mailFrom: string;
  /** The same array for the same keys: what it reads as is remembered. */
  readonly dkim: readonly DkimFact[];
  readonly secret: Uint8Array;
}

export interface MadeMessage {
  readonly raw: Uint8Array;
  /** The manifest but for its sequence number. */
  readonly draft: ManifestDraft | null;
}

/** Pure. Throws payload_too_large, invalid_body. */
export function makeMessage(input: MessageInput): MadeMessage {
  const { submission, content, messageId, createdAt, sendAt, logOrigin, evidence } = input;
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
      headers: submission.headers,
      attachments: submission.attachments,
      messageId: submission.messageId ?? messageIdOf(messageId, submission.headerFrom.domain),
      dateMs: (sendAt ?? createdAt).getTime(),
      evidence: { id: messageId as HeaderText, log: headerText(logOrigin, 'log', 200) },
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
      dkim: evidence.dkim,
      secret: evidence.secret,
    },
    sha256,
  );
  return { raw, draft };
}
