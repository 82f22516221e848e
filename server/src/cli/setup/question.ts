import { isIP } from 'node:net';
import { MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { readOwnableDomain } from '../../accounts/domains/name.ts';
import type { ValueType } from '../../config/config-values.ts';
import type { Variable } from '../../config/variable.ts';

export type Answers = Readonly<Record<string, string>>;

export type Reading = { readonly value: string } | { readonly problem: string };

/** Facts about this machine, read before the first question. */
export interface Found {
  /** With a dot: what other mail servers take for a name. */
  readonly hostname: string | null;
  /** Addresses that connections leave from. */
  readonly addresses: readonly string[];
}

export interface Question {
  readonly id: string;
  readonly text: string;
  /** One line: what it is for, or what follows from it. */
  readonly why: string;
  readonly secret?: true;
  /** The variable that the answer sets, if any. */
  readonly variable?: string;
  /** The answer that stands for a variable that is not set. */
  readonly unset?: string;
  readonly asked?: (known: Answers) => boolean;
  readonly default?: (known: Answers, found: Found) => string | undefined;
  readonly read: (text: string, known: Answers) => Reading;
}

/** How answers are read. Pure. */

/** Reads an answer as the variable itself is read, so that a start accepts it. `unset`: means none. */
export function asVariable(variable: Variable, unset?: string): (text: string) => Reading {
  return (text) => (text === unset ? { value: text } : asType(variable.type, unset)(text));
}

export function asType(type: ValueType<unknown>, unset?: string): (text: string) => Reading {
  const expected = unset === undefined ? type.expected : `${unset}, or ${type.expected}`;
  return (text) => (type.parse(text) === undefined ? { problem: `expected ${expected}` } : { value: text });
}

/** As asVariable, of files and folders: what is written is the same wherever the service is started. */
export function asPaths(variable: Variable, unset?: string): (text: string) => Reading {
  const read = asVariable(variable, unset);
  return (text) => {
    const reading = read(text);
    if ('problem' in reading || text === unset) return reading;
    const value = variable.type.parse(text);
    return { value: Array.isArray(value) ? value.join(',') : String(value) };
  };
}

export function oneOf(...words: string[]): (text: string) => Reading {
  return (text) => {
    const word = words.find((each) => each === text.toLowerCase());
    return word === undefined ? { problem: `expected ${words.join(' or ')}` } : { value: word };
  };
}

export function yes(refusal: string): (text: string) => Reading {
  return (text) =>
    ['yes', 'y', 'true'].includes(text.toLowerCase()) ? { value: 'yes' } : { problem: refusal };
}

export function address(text: string): Reading {
  try {
    return { value: parseAddress(text, 'address').address };
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return { problem: 'expected an address, such as ana@example.com' };
  }
}

export function addressOf(domain: string, text: string): Reading {
  const reading = address(text);
  if ('problem' in reading || reading.value.toLowerCase().endsWith(`@${domain}`)) return reading;
  return { problem: `expected an address of ${domain}, such as notices@${domain}` };
}

export function hostName(variable: Variable): (text: string) => Reading {
  const read = asVariable(variable);
  return (text) =>
    text.includes('.') ? read(text.toLowerCase()) : { problem: `expected ${variable.type.expected}` };
}

export function ipAddresses(text: string): Reading {
  const all = text.split(',').map((each) => each.trim());
  return all.every((each) => isIP(each) !== 0)
    ? { value: all.join(',') }
    : { problem: 'expected addresses, such as 192.0.2.11 or 192.0.2.11,2001:db8::11' };
}

export function domain(text: string): Reading {
  const reading = readOwnableDomain(text);
  return reading.ok ? { value: reading.name } : { problem: reading.problem.replace(/^name /, 'the domain ') };
}

export function line(maxChars: number): (text: string) => Reading {
  return (text) =>
    text.length > maxChars || /\p{Cc}/u.test(text)
      ? { problem: `expected 1 to ${maxChars} characters on one line` }
      : { value: text };
}
