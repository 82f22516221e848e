import { replyLine } from '@acuse/evidence/reply-line';
import type { VerifiedFacts } from '@acuse/evidence/verify';
import { visible } from '../format/foreign-text.ts';
import type { ReportWords } from './words.ts';

/** Sentences of a verification, for every page that shows one. Plain texts, never markup. */

export type Outcome = NonNullable<VerifiedFacts['delivery']>[number];

/** Sender, recipient and subject, and the time from which the message is unchanged. */
export function sentenceOf({ message, sealed_at }: VerifiedFacts, words: ReportWords): string {
  const shown = (text: string | undefined) => (text === undefined ? undefined : visible(text));
  return words.sentence({
    from: shown(message?.from ?? message?.mail_from),
    to: shown(message?.to ?? message?.rcpt_to),
    subject: shown(message?.subject),
    time: words.time(sealed_at ?? ''),
  });
}

/** Null: no verified end. */
export function logEndText(facts: VerifiedFacts, words: ReportWords): string | null {
  const { log, log_ended_at: at, log_kept_size: kept, log_published_size: published } = facts;
  if (at === undefined || kept === undefined || published === undefined) return null;
  const names = { log: visible(log ?? ''), successor: visible(facts.log_successor ?? '') };
  return words.logEnded({ ...names, time: words.time(at), kept, published });
}

/** How many outcomes the operator signed for, and whether they are here. */
export function countedText(facts: VerifiedFacts, words: ReportWords): string {
  const { outcomes_as_of: at, outcomes_withheld: withheld = 0, delivery = [] } = facts;
  if (at === undefined) return words.notCounted;
  return words.counted({ count: delivery.length + withheld, withheld, time: words.time(at) });
}

export function provenTexts(facts: VerifiedFacts, words: ReportWords): string[] {
  const { sealed_at, issuer, log, leaf_index, tree_size, witnesses, witness_quorum } = facts;
  const time = words.time(sealed_at ?? '');
  return [
    facts.profile === 'development'
      ? words.provenDevelopment(time)
      : words.provenTime(time, visible(issuer ?? '')),
    words.provenLog(log ?? '', leaf_index ?? 0, tree_size ?? 0),
    words.provenWitnesses(witnesses ?? 0, witness_quorum ?? 0),
  ];
}

export function assertedTexts(facts: VerifiedFacts, words: ReportWords): string[] {
  const { accepted_at, delivery = [] } = facts;
  return [
    words.assertedTime(words.time(accepted_at ?? '')),
    words.assertedEnvelope,
    countedText(facts, words),
    ...(delivery.length > 0 ? [words.assertedDelivery] : []),
  ];
}

/** A server's answer, or the text of a mail that anybody may have written. */
export function outcomeDetails(facts: NonNullable<Outcome['facts']>): string[] {
  return said(facts).map(visible);
}

function said({ mx, ip, reply, reported_by_mail: mail, ...rest }: NonNullable<Outcome['facts']>): string[] {
  const { acknowledgement: act } = rest;
  if (act !== undefined && 'name' in act)
    return [act.name, act.reason, act.sentence, act.ip].filter((text) => text !== null);
  const answer = (of: typeof reply) => (of === null ? [] : [replyLine(of)]);
  if (mail === null) return [mx, ip].filter((text) => text !== null).concat(answer(reply));
  const { peer, spf, dkim, claims, vouched_by } = mail;
  return [
    `HELO ${peer.helo} (${peer.ip})`,
    `SPF ${spf.result}`,
    `DKIM ${[dkim.result, ...dkim.domains].join(' ')}`,
    `vouched by: ${vouched_by ?? '-'}`,
    ...answer(claims.reply),
  ];
}

/** As authorities publish it: `7F:2A:…`. */
export function fingerprint(sha256Hex: string): string {
  return sha256Hex.toUpperCase().match(/../g)?.join(':') ?? '';
}

/** True of an envelope sender whose token was replaced before it was sealed. */
export function isWithheld(address: string): boolean {
  return address.includes('+redacted@');
}
