/** Sender, recipients, subject and parts of a sealed message, as mail programs show them. */
import { readEncodedWords } from './encoded-words.ts';
import { fieldText } from './mime-header.ts';
import type { Openings } from './openings.ts';
import { splitMessage } from './relaxed.ts';

/**
 * `from` to `date`: from the sealed header, decoded; absent if the bundle does not show the message.
 * `mail_from`, `rcpt_to`: the envelope, by the operator's word. `parts`: the shown ones.
 */
export type MessageFacts = {
  from?: string;
  to?: string;
  cc?: string;
  reply_to?: string;
  subject?: string;
  date?: string;
  mail_from?: string;
  rcpt_to?: string;
  parts: { filename: string | null; media_type: string; size: number }[];
};

const FIELDS = {
  from: 'from',
  to: 'to',
  cc: 'cc',
  'reply-to': 'reply_to',
  subject: 'subject',
  date: 'date',
} as const;

/** `message`: `message.eml`, if it is opened. Both have been verified. */
export function messageFacts({ mail, envelope }: Openings, message: Uint8Array | undefined): MessageFacts {
  const facts: MessageFacts = {
    parts: mail.parts.map(({ filename, media_type, size }) => ({ filename, media_type, size })),
  };
  if (envelope.mail_from !== undefined) facts.mail_from = envelope.mail_from.value;
  if (envelope.rcpt_to !== undefined) facts.rcpt_to = envelope.rcpt_to.value;
  if (message === undefined || mail.raw === undefined) return facts;
  for (const { name, raw } of splitMessage(message).headers) {
    const field = FIELDS[name.toLowerCase() as keyof typeof FIELDS];
    if (field === undefined) continue;
    const text = readEncodedWords(fieldText(raw));
    // A second one is shown too: it was sealed, and some program displays it.
    facts[field] = facts[field] === undefined ? text : `${facts[field]} / ${text}`;
  }
  return facts;
}
