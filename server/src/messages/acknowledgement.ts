import { hash } from 'node:crypto';
import { type BodyText, bodyText } from '@acuse/mail/header-text';
import { apiError } from '../errors.ts';
import { randomSecret } from '../platform/random.ts';
import { parseTime } from './send-at.ts';
import type { SendFields } from './send-schema.ts';

/** A send that asks its recipient to acknowledge it. Pure but for the token. */

/** Of the paragraph with the link, the page and the mail with the code; null: both, and the browser's. */
export type AskedLanguage = 'en' | 'es' | null;

export interface Asking {
  /** Null: DEFAULT_DAYS after it is accepted, or after it is sent. */
  readonly by: Date | null;
  readonly language: AskedLanguage;
}

/** The columns of it. */
export interface Asked {
  readonly tokenSha256: Uint8Array;
  readonly language: AskedLanguage;
  readonly until: Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const DEFAULT_DAYS = 15;
const ACKNOWLEDGE_BY_MAX_DAYS = 90;
/** Time that a recipient has at least (ms). */
const LEAST_MS = 60 * 60 * 1_000;

/** Throws invalid_body. */
export function readAsking({ acknowledgement, acknowledge_by: by, locale }: SendFields): Asking | null {
  if (acknowledgement === undefined) {
    if (by === undefined) return null;
    throw apiError(
      'invalid_body',
      'acknowledge_by requires acknowledgement: send "acknowledgement": "request" too, or leave it out.',
    );
  }
  const time = by === undefined ? null : parseTime(by);
  if (by !== undefined && time === null)
    throw apiError(
      'invalid_body',
      'acknowledge_by must be a time with its offset from UTC (RFC 3339), such as 2026-12-20T09:30:00Z.',
    );
  return { by: time, language: languageOf(locale) };
}

function languageOf(locale: string | undefined): AskedLanguage {
  const language = locale?.slice(0, 2).toLowerCase();
  return language === 'en' || language === 'es' ? language : null;
}

/** `from`: when the message is sent. Throws invalid_body. */
export function untilOf({ by }: Asking, from: Date): Date {
  if (by === null) return new Date(from.getTime() + DEFAULT_DAYS * DAY_MS);
  const most = new Date(from.getTime() + ACKNOWLEDGE_BY_MAX_DAYS * DAY_MS);
  if (by.getTime() < from.getTime() + LEAST_MS)
    throw apiError(
      'invalid_body',
      `acknowledge_by is ${by.toISOString()}: give the recipient an hour at least after the message is sent.`,
    );
  if (by > most)
    throw apiError(
      'invalid_body',
      `acknowledge_by is ${by.toISOString()}: give a time before ${most.toISOString()}, at most ${ACKNOWLEDGE_BY_MAX_DAYS} days after the message is sent.`,
    );
  return by;
}

/** 128 random bits in 26 characters that survive a mail address: lower case letters and digits. */
const TOKEN_BYTES = 16;
const TOKEN = /^[a-z2-7]{26}$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

export function newAskToken(): string {
  let bits = 0n;
  for (const byte of randomSecret(TOKEN_BYTES)) bits = (bits << 8n) | BigInt(byte);
  // 26 characters of 5 bits have room for two more bits than there are.
  let token = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) token += ALPHABET[Number((bits >> shift) & 31n)];
  return token;
}

/** The hash that a presented token is looked up by; null for what is none. */
export function askTokenSha256(presented: string): Uint8Array | null {
  const token = presented.toLowerCase();
  return TOKEN.test(token) ? hash('sha256', token, 'buffer') : null;
}

/** Also what a template gets for the variable: each recipient has a link of their own. */
export const LINK_VARIABLE = 'acknowledgement_url';
export const LINK_PLACE = `{{${LINK_VARIABLE}}}`;
const PLACE = /\{\{ ?acknowledgement_url ?\}\}/g;

const SENTENCES = {
  en: 'Please confirm that you received this message:',
  es: 'Por favor, confirme que recibió este mensaje:',
} as const;
const BY_MAIL = {
  en: 'Or send a mail from this same address to:',
  es: 'O envíe un correo desde esta misma dirección a:',
} as const;
/** Of the mail that the recipient's program opens: it must have one, which is signed. */
const MAIL_SUBJECT = { en: 'Acknowledgement of receipt', es: 'Acuse de recibo' } as const;

/** Either part, or both. */
interface Bodies {
  readonly text: BodyText | null;
  readonly html: BodyText | null;
}

interface Ways {
  readonly url: string;
  /** Null: mail there would be refused. */
  readonly address: string | null;
  readonly language: AskedLanguage;
}

/** With the link where it belongs, in each part that there is; without such a place all ways are told. */
export function withLink<T extends Bodies>(content: T, ways: Ways): T {
  const { text, html } = content;
  return {
    ...content,
    text: text === null ? null : bodyText(textWith(text, ways), 'text'),
    html: html === null ? null : bodyText(htmlWith(html, ways), 'html'),
  };
}

function spoken({ language }: Ways, words: typeof SENTENCES | typeof BY_MAIL): readonly string[] {
  return language === null ? [words.es, words.en] : [words[language]];
}

function textWith(text: BodyText, ways: Ways): string {
  const placed = text.replace(PLACE, ways.url);
  if (placed !== text) return placed;
  const page = [...spoken(ways, SENTENCES), ways.url].join('\n');
  const mail = ways.address === null ? [] : [[...spoken(ways, BY_MAIL), ways.address].join('\n')];
  return `${[text.trimEnd(), page, ...mail].join('\n\n')}\n`;
}

function byMail(ways: Ways, address: string): string {
  const subject = encodeURIComponent(MAIL_SUBJECT[ways.language ?? 'es']);
  const to = `mailto:${address.replace('+', '%2B')}?subject=${subject}`;
  return `<p>${spoken(ways, BY_MAIL).join('<br>')}<br><a href="${to}">${address}</a></p>`;
}

function htmlWith(html: BodyText, ways: Ways): string {
  const { url, address } = ways;
  const placed = html.replace(PLACE, url);
  if (placed !== html) return placed;
  const page = `<p>${spoken(ways, SENTENCES).join('<br>')}<br><a href="${url}">${url}</a></p>`;
  const paragraphs = address === null ? page : page + byMail(ways, address);
  // The last one closes the document: what a quoted mail has comes before.
  const end = html.toLowerCase().lastIndexOf('</body');
  return end < 0 ? `${html}${paragraphs}` : `${html.slice(0, end)}${paragraphs}${html.slice(end)}`;
}
