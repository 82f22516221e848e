import { hash } from 'node:crypto';
import { isRequestField } from '@acuse/mail/custom-headers';
import type { HeaderField } from '@acuse/mail/mime-tree';
import { apiError } from '../errors.ts';
import { randomSecret } from '../platform/random.ts';
import { parseTime } from './send-at.ts';
import type { SendFields } from './send-schema.ts';

/** Language of paragraph, page and code mail; null: both, and the browser's for the page. */
export type AskedLanguage = 'en' | 'es' | null;

export interface Asking {
  /** Null: DEFAULT_DAYS after it is accepted, or after it is sent. */
  readonly by: Date | null;
  readonly language: AskedLanguage;
  /** By header fields of a whole message. */
  readonly isWhole: boolean;
}

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

interface Names {
  readonly asks: string;
  readonly by: string;
}

const IN_JSON: Names = { asks: 'acknowledgement', by: 'acknowledge_by' };
const IN_HEADER: Names = { asks: 'X-Acuse-Acknowledgement', by: 'X-Acuse-Acknowledge-By' };

export function readAsking({ acknowledgement, acknowledge_by: by, locale }: SendFields): Asking | null {
  if (acknowledgement !== undefined)
    return { by: readBy(by, IN_JSON), language: languageOf(locale), isWhole: false };
  if (by === undefined) return null;
  throw apiError(
    'invalid_body',
    'acknowledge_by requires acknowledgement: send "acknowledgement": "request" too, or leave it out.',
  );
}

/** What a whole message asks for; its Content-Language chooses the language. Throws invalid_body. */
export function readAskingFields(header: readonly HeaderField[]): Asking | null {
  const asked = header.filter(({ name }) => isRequestField(name));
  if (asked.length === 0) return null;
  const { asks, by } = IN_HEADER;
  const known = [asks.toLowerCase(), by.toLowerCase()];
  const other = asked.find(({ key }) => !known.includes(key));
  if (other !== undefined)
    throw apiError(
      'invalid_body',
      `There is no header ${other.name}: send ${asks} and ${by}, or leave it out.`,
    );
  const values = (key: string) =>
    header.filter((field) => field.key === key).map(({ value }) => value.trim());
  const [requests, times] = known.map(values) as [string[], string[]];
  if (requests.length > 1 || times.length > 1)
    throw apiError('invalid_body', `The message must have ${asks} and ${by} only once each.`);
  if (requests.length === 0)
    throw apiError('invalid_body', `${by} requires ${asks}: send "${asks}: request" too, or leave it out.`);
  if (requests[0]!.toLowerCase() !== 'request')
    throw apiError('invalid_body', `${asks} can only be "request": write that, or leave the header out.`);
  const language = languageOf(values('content-language')[0]);
  return { by: readBy(times[0], IN_HEADER), language, isWhole: true };
}

/** Such a field in JSON would ask for nothing. Throws invalid_body. */
export function refuseAskingFields(names: readonly string[]): void {
  const name = names.find(isRequestField);
  if (name !== undefined)
    throw apiError(
      'invalid_body',
      `headers.${name} is for whole messages: send acknowledgement and acknowledge_by in the body instead.`,
    );
}

function readBy(given: string | undefined, names: Names): Date | null {
  if (given === undefined) return null;
  const time = parseTime(given);
  if (time !== null) return time;
  throw apiError(
    'invalid_body',
    `${names.by} must be a time with its offset from UTC (RFC 3339), such as 2026-12-20T09:30:00Z.`,
  );
}

function languageOf(locale: string | undefined): AskedLanguage {
  const language = locale?.slice(0, 2).toLowerCase();
  return language === 'en' || language === 'es' ? language : null;
}

/** `from`: when the message is sent. Throws invalid_body. */
export function untilOf({ by, isWhole }: Asking, from: Date): Date {
  if (by === null) return new Date(from.getTime() + DEFAULT_DAYS * DAY_MS);
  const name = (isWhole ? IN_HEADER : IN_JSON).by;
  const most = new Date(from.getTime() + ACKNOWLEDGE_BY_MAX_DAYS * DAY_MS);
  if (by.getTime() < from.getTime() + LEAST_MS)
    throw apiError(
      'invalid_body',
      `${name} is ${by.toISOString()}: give the recipient an hour at least after the message is sent.`,
    );
  if (by > most)
    throw apiError(
      'invalid_body',
      `${name} is ${by.toISOString()}: give a time before ${most.toISOString()}, at most ${ACKNOWLEDGE_BY_MAX_DAYS} days after the message is sent.`,
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

/** The hash by which a token is found; null for any other text. */
export function askTokenSha256(presented: string): Uint8Array | null {
  const token = presented.toLowerCase();
  return TOKEN.test(token) ? hash('sha256', token, 'buffer') : null;
}
