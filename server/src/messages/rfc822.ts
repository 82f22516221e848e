import type { HeaderField } from '@acuse/mail/mime-tree';
import { parseMessage } from '@acuse/mail/parse';
import { asApiError, type Submission } from './submission.ts';

export interface Rfc822Submission {
  readonly submission: Submission;
  /** Its header as submitted. */
  readonly header: readonly HeaderField[];
}

/**
 * Reads a message/rfc822 send: exactly one From mailbox and one To; what was parsed is what is composed, signed and sent.
 * It carries no override of certified. Throws invalid_body, invalid_address, payload_too_large.
 */
export function readRfc822(raw: Uint8Array): Rfc822Submission {
  return asApiError(() => {
    const { headerFrom, headerTo, replyTo, subject, text, html, flowed, headers, ...rest } =
      parseMessage(raw);
    const submission: Submission = {
      headerFrom,
      headerTo,
      replyTo: replyTo ?? null,
      content: { kind: 'given', subject, text: text ?? null, html: html ?? null, flowed },
      certified: null,
      headers: headers ?? [],
      attachments: rest.attachments ?? [],
      tags: [],
      metadata: {},
    };
    return { submission, header: rest.submittedHeader };
  });
}
