import { parseMessage } from '@acuse/mail/parse';
import { asApiError, type Submission } from './submission.ts';

/**
 * Reads a message/rfc822 send: exactly one From mailbox and one To; what was parsed is what is composed, signed and sent.
 * It carries no override of certified. Throws invalid_body, invalid_address, payload_too_large.
 */
export function readRfc822Submission(raw: Uint8Array): Submission {
  return asApiError(() => {
    const { headerFrom, headerTo, replyTo, subject, text, html, flowed, headers, attachments } =
      parseMessage(raw);
    return {
      headerFrom,
      headerTo,
      replyTo: replyTo ?? null,
      content: { kind: 'given', subject, text: text ?? null, html: html ?? null, flowed },
      certified: null,
      headers: headers ?? [],
      attachments: attachments ?? [],
      tags: [],
      metadata: {},
    };
  });
}
