import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { ActLanguage, PageAct } from '@acuse/evidence/acknowledgement-facts';
import { decide } from '../../delivery/acknowledgement/act.ts';
import { NO_FACTS } from '../../delivery/record/outcome-leaf.ts';
import { askTokenSha256 } from '../../messages/acknowledgement.ts';
import {
  type AskedRow,
  findAsked,
  setCode,
  takeBackCode,
  takeTry,
} from '../../messages/acknowledgement-store.ts';
import { DAY_MS, takeOfDay } from '../../people/sessions/day-limits.ts';
import type { SystemMail } from '../../people/sessions/system-mail.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { networkOf } from '../../platform/network/network.ts';
import { NAME_MAX_CHARS, REASON_MAX_CHARS } from './page.ts';
import { ACKNOWLEDGE_WORDS, type Fault } from './words.ts';

/**
 * A visitor's act on the page of a link. The link proves nothing: the sender and scanners of mail have it.
 * A code that was sent to the recipient's address does.
 */
export interface AnswerDeps extends DbAndClock {
  readonly log: Log;
  /** Null: no mail of ours can be sent here. */
  readonly mail: SystemMail | null;
  readonly wakeWebhooks: () => void;
}

export const CODE_LIFE_MS = 10 * 60 * 1_000;
const CODE_TRIES = 5;
/** In a pasted line of the mail as well, once its spaces and hyphens are out. */
const CODE_FORM = /(?<!\d)\d{8}(?!\d)/;
/** Between two codes of a message (ms). */
export const CODE_PAUSE_MS = 60 * 1_000;
const CODE_DIGITS = 8;
/**
 * Codes per message and day. Whoever has the link can use them up, the sender too; then others follow. With 5
 * tries of each on 90 days, a guess has a chance of 1 in 18 500.
 */
export const CODES_OF_MESSAGE = 12;
/** Codes per day: for one account, so that none uses up what another's recipients need, and for all. */
const CODES_OF_RECIPIENT = 20;
const CODES_OF_RECIPIENT_OF_ALL = 100;
/** A company may have all its people behind one address. */
const CODES_OF_NETWORK = 1_000;
const CODES_OF_ACCOUNT = 5_000;

/** Null: no such link. */
export async function openLink({ db }: Pick<AnswerDeps, 'db'>, token: string): Promise<AskedRow | null> {
  const sha256 = askTokenSha256(token);
  return sha256 === null ? null : findAsked(db, sha256);
}

export function isOpen({ status, until, isErased }: AskedRow, now: Date): boolean {
  return status === 'requested' && !isErased && until > now;
}

/** Null: it was sent. */
export async function sendCode(
  { db, clock, mail }: AnswerDeps,
  asked: AskedRow,
  {
    token,
    language,
    address,
  }: { readonly token: string; readonly language: ActLanguage; readonly address: string },
): Promise<Fault | null> {
  const { tenantId, messageId, recipientAddress } = asked;
  if (asked.sentAt === null) return 'early';
  if (mail === null) return 'code_unsent';
  const at = clock.now();
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  const before = new Date(at.getTime() - CODE_PAUSE_MS);
  const codeSha256 = codeHash(token, code);
  const most = CODES_OF_MESSAGE * (1 + Math.floor((at.getTime() - asked.sentAt.getTime()) / DAY_MS));
  const isSet = await db.transact((tx) => setCode(tx, { tenantId, messageId, codeSha256, at, before, most }));
  if (!isSet) return asked.codeSentAt !== null && asked.codeSentAt > before ? 'code_soon' : 'code_many';
  const recipient = recipientAddress.toLowerCase();
  // Only of what would be sent: asking in vain takes nothing from others.
  const limits = [
    {
      subject: `acknowledgement:recipient:${tenantId}:${recipient}`,
      max: CODES_OF_RECIPIENT,
      whose: '',
    },
    { subject: `acknowledgement:recipient:${recipient}`, max: CODES_OF_RECIPIENT_OF_ALL, whose: '' },
    { subject: `acknowledgement:network:${networkOf(address)}`, max: CODES_OF_NETWORK, whose: '' },
    { subject: `acknowledgement:account:${tenantId}`, max: CODES_OF_ACCOUNT, whose: '' },
  ];
  const full = await db.asSessions((tx) => takeOfDay(tx, limits, at));
  const { subject, text } = ACKNOWLEDGE_WORDS[language].mail(code);
  const key = `acknowledgement-code ${messageId} ${at.toISOString()}`;
  if (full === null && (await mail.send({ to: recipientAddress, subject, text, key }))) return null;
  await db.transact((tx) => takeBackCode(tx, { tenantId, messageId }));
  return full === null ? 'code_unsent' : 'code_many';
}

export interface Answer {
  readonly kind: 'acknowledged' | 'refused';
  readonly token: string;
  readonly code: string;
  readonly name: string;
  readonly reason: string;
  readonly isTicked: boolean;
  readonly language: ActLanguage;
  readonly address: string;
}

/** Null: it is decided, by this answer or by one before. */
export async function giveAnswer(deps: AnswerDeps, asked: AskedRow, answer: Answer): Promise<Fault | null> {
  const { db, clock } = deps;
  const { tenantId, messageId } = asked;
  const { kind, language } = answer;
  const code = CODE_FORM.exec(answer.code.replace(/[\s\p{Pd}\p{Cf}]/gu, ''))?.[0];
  const name = line(answer.name);
  if (asked.sentAt === null) return 'early';
  // Before a try is taken: what is only left out costs none.
  if (code === undefined) return 'code_form';
  if (name === '' || name.length > NAME_MAX_CHARS) return 'name';
  if (kind === 'acknowledged' && !answer.isTicked) return 'tick';
  const since = new Date(clock.now().getTime() - CODE_LIFE_MS);
  const held = await db.transact((tx) => takeTry(tx, { tenantId, messageId, since, most: CODE_TRIES }));
  if (held === null) {
    // Pressed twice, say: the first answer stands, and is shown.
    const now = await openLink(deps, answer.token);
    return now !== null && now.status !== 'requested' ? null : 'code_over';
  }
  if (!timingSafeEqual(held.codeSha256, codeHash(answer.token, code))) return 'code_wrong';
  const reason = line(answer.reason).slice(0, REASON_MAX_CHARS);
  const { address } = answer;
  return recordAnswer(deps, asked, { kind, name, reason, language, address, codeSentAt: held.codeSentAt });
}

interface Recorded extends Pick<Answer, 'kind' | 'name' | 'reason' | 'language' | 'address'> {
  readonly codeSentAt: Date;
}

/** It becomes the outcome. Null: it is decided, by this answer or by one before. */
export async function recordAnswer(
  { db, clock, log, wakeWebhooks }: Omit<AnswerDeps, 'mail'>,
  asked: AskedRow,
  { kind, name, reason, language, address, codeSentAt }: Recorded,
): Promise<Fault | null> {
  const { tenantId, messageId } = asked;
  const words = ACKNOWLEDGE_WORDS[language];
  const act: PageAct = {
    code_sent_at: codeSentAt.toISOString(),
    ip: address,
    language,
    name,
    reason: kind === 'refused' && reason !== '' ? reason : null,
    sentence: kind === 'acknowledged' ? words.sentence : words.refusalSentence,
  };
  const facts = { ...NO_FACTS, acknowledgement: act };
  const decided = await decide({ db }, { ...asked, kind, source: 'recipient_page', at: clock.now(), facts });
  if (decided === 'no_leaf') {
    log.error(
      { tenantId, messageId },
      'no answer can be recorded: the leaf of the message is missing (acuse fsck)',
    );
    return 'unrecorded';
  }
  wakeWebhooks();
  // Too late, or erased meanwhile: the page says so.
  return null;
}

/** The token is in no row, so a reader of the database cannot find a code by trying all. */
function codeHash(token: string, code: string): Buffer {
  return hash('sha256', `${token.toLowerCase()} ${code}`, 'buffer');
}

/** On one line, of characters that can be seen. */
function line(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}
