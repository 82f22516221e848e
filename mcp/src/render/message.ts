/** Messages as agents see them: ids, states and times, with everything that others wrote fenced. */
import type { Message } from '@acuse/client';
import { z } from 'zod';
import { readAddress } from '../guard/address.ts';
import { fence, fenceOrNull, untrusted } from './untrusted.ts';

const ASCII_ADDRESS = /^[\x21-\x7e]{3,254}$/;

/** A plain address; what is not one is fenced as a whole. */
export const party = z.object({
  address: z.string().nullable(),
  name: untrusted.nullable(),
});

export const messageView = z.object({
  id: z.string(),
  status: z.string(),
  certified: z.boolean(),
  from: party,
  to: party,
  subject: untrusted,
  tags: z.array(untrusted),
  template_id: z.string().nullable(),
  created_at: z.string(),
  sent_at: z.string().nullable(),
  bounced_at: z.string().nullable(),
  complained_at: z.string().nullable(),
  sealed_at: z.string().nullable(),
  acknowledgement: z
    .object({
      status: z.string(),
      source: z.string().nullable(),
      at: z.string().nullable(),
      until: z.string(),
    })
    .nullable()
    .describe('null: nobody asked for one.'),
  attempts: z.number(),
  next_attempt_at: z.string().nullable(),
  last_reply: z
    .object({ code: z.number().nullable(), enhanced: z.string().nullable(), text: untrusted.nullable() })
    .nullable(),
  next: z.string().describe('What to do next.'),
});

export function viewOf(message: Message): z.infer<typeof messageView> {
  const reply = message.last_reply;
  return {
    id: message.id,
    status: message.status,
    certified: message.certified,
    from: partyOf(message.from),
    to: partyOf(message.to),
    subject: fence(message.subject),
    tags: message.tags.map(fence),
    template_id: message.template_id,
    created_at: message.created_at,
    sent_at: message.sent_at,
    bounced_at: message.bounced_at,
    complained_at: message.complained_at,
    sealed_at: message.sealed_at,
    acknowledgement: acknowledgementOf(message),
    attempts: message.attempts,
    next_attempt_at: message.next_attempt_at,
    last_reply: reply && {
      code: reply.code,
      enhanced: enhancedOf(reply.enhanced),
      text: fenceOrNull(reply.text),
    },
    next: nextOf(message),
  };
}

function acknowledgementOf({ acknowledgement }: Message) {
  if (acknowledgement == null) return null;
  const { status, source, at, until } = acknowledgement;
  return { status, source, at, until };
}

/** RFC 3463 §2: three numbers; anything else is not shown. */
export function enhancedOf(text: string | null): string | null {
  return text !== null && /^[245]\.\d{1,3}\.\d{1,3}$/.test(text) ? text : null;
}

export function partyOf(text: string): z.infer<typeof party> {
  const open = text.lastIndexOf('<');
  const bare = open >= 0 && text.endsWith('>') ? text.slice(open + 1, -1) : text;
  const address = ASCII_ADDRESS.test(bare) ? readAddress(bare) : null;
  if (address === null) return { address: null, name: fenceOrNull(text) };
  return { address: address.address, name: open > 0 ? fenceOrNull(text.slice(0, open)) : null };
}

const NEXT: Readonly<Record<string, string>> = {
  scheduled: 'It is sent when it falls due; nothing to do.',
  queued: 'Call get_message again in a few seconds.',
  deferred: 'The service tries again by itself at next_attempt_at; do not send it again.',
  sent: 'The receiving server took it; nothing to do.',
  bounced: 'It was not delivered. Report last_reply.code and do not send it again without being asked to.',
  cancelled: 'It was called back before it was sent; nothing to do.',
  complained: 'The recipient reported it as unwanted: do not write to them again; tell a person.',
};

function nextOf({ status, certified, sealed_at }: Message): string {
  const proof = !certified
    ? 'It is plain: it has no proof and never will.'
    : sealed_at === null
      ? 'Its evidence is sealed within seconds: call get_message until sealed_at is set.'
      : 'Its evidence is sealed: get_evidence, verify_message, get_proof_bundle.';
  return `${NEXT[status] ?? 'Call get_message again later.'} ${proof}`;
}
