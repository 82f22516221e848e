/** The statement of an outcome about the recipient's own act, in its facts. */
import { EvidenceError } from './errors.ts';
import type { Json } from './jcs.ts';
import { type DkimFact, readDkimFact } from './manifest.ts';
import { readNullable, readObject, readOneOf, readString, readTime } from './read-json.ts';

/** An act on the link's page, by somebody who could read a code sent to the recipient's address. */
export type PageAct = {
  code_sent_at: string;
  /** The visitor's address. */
  ip: string;
  language: ActLanguage;
  /** As it was typed: nobody checked it. */
  name: string;
  /** Why the recipient refused; null: no reason was given. */
  reason: string | null;
  /** The confirmed sentence, word for word. */
  sentence: string;
};

/**
 * A mail of the recipient: the key, as its domain published it then, under which its DKIM signature holds.
 */
export type MailAct = { dkim: DkimFact };

export type ActLanguage = 'en' | 'es';
export const ACT_LANGUAGES: readonly ActLanguage[] = ['en', 'es'];

const CHECK = 'delivery';

/** Throws EvidenceError `delivery`. */
export function readPageAct(value: Json | undefined): PageAct {
  const act = readObject(value, CHECK, ['code_sent_at', 'ip', 'language', 'name', 'reason', 'sentence']);
  return {
    code_sent_at: readTime(act['code_sent_at'], CHECK, 'code_sent_at'),
    ip: readString(act['ip'], CHECK, 'ip'),
    language: readOneOf(act['language'], CHECK, 'language', ACT_LANGUAGES),
    name: readString(act['name'], CHECK, 'name'),
    reason: readNullable(act['reason'], (reason) => readString(reason, CHECK, 'reason')),
    sentence: readString(act['sentence'], CHECK, 'sentence'),
  };
}

/** Throws EvidenceError. */
export function readMailAct(value: Json | undefined): MailAct {
  const { dkim } = readObject(value, CHECK, ['dkim']);
  return { dkim: readDkimFact(dkim, CHECK) };
}

export function readAct(value: Json): PageAct | MailAct {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new EvidenceError(CHECK, 'acknowledgement is not an object');
  return Object.hasOwn(value, 'dkim') ? readMailAct(value) : readPageAct(value);
}
