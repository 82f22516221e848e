import { addressesIn } from './addresses.ts';
import type { Complaint } from './arf.ts';
import { decodedText, type MimePart, walk } from './lenient-mime.ts';
import { MAX_RECIPIENTS, MAX_STATUS_BYTES, MAX_VALUE_CHARS } from './limits.ts';

/**
 * Complaints that a sending service passes on as JSON in a mail: Amazon SES (by SNS, its message wrapped in
 * JSON again), and the notices of SendGrid, Mailgun, Postmark, Mandrill and SparkPost, as their webhook
 * references show them. Pure.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

/** Levels of JSON looked into; SNS adds one of text to SES's two. */
const MAX_DEPTH = 6;
/** Values read in one notice. */
const MAX_VALUES = 5_000;

/** The field for the kind of a notice, and its word for a complaint. */
const KIND_FIELDS = ['notificationtype', 'eventtype', 'event', 'recordtype', 'type'];
const COMPLAINTS: ReadonlySet<string> = new Set([
  'complaint',
  'complained',
  'spam',
  'spamreport',
  'spamcomplaint',
  'spam_complaint',
]);
const RECIPIENT_FIELDS: ReadonlySet<string> = new Set([
  'emailaddress',
  'email',
  'recipient',
  'rcpt_to',
  'raw_rcpt_to',
]);

/** Null: no part is such a notice. */
export function readJsonComplaint(message: MimePart): Complaint | null {
  for (const part of walk(message)) {
    if (part.parts.length > 0 || !/^(?:text\/(?:plain|json)|application\/(?:\S*\+)?json)$/.test(part.type))
      continue;
    const value = firstJson(decodedText(part, MAX_STATUS_BYTES));
    const found = value === undefined ? null : findComplaint(value);
    if (found !== null) return found;
  }
  return null;
}

/** The JSON at the start of the text; what follows it, such as how to unsubscribe, is ignored. */
function firstJson(text: string): Json | undefined {
  const start = text.trimStart();
  if (!/^[{[]/.test(start)) return undefined;
  const end = endOfJson(start);
  return end === -1 ? undefined : parse(start.slice(0, end));
}

/** Where the brackets that the text opens are closed again; -1: nowhere. */
function endOfJson(text: string): number {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return -1;
}

function parse(text: string): Json | undefined {
  try {
    // A mail system may fold long lines inside the strings.
    return JSON.parse(text.replace(/\r?\n[ \t]*/g, '')) as Json;
  } catch {
    return undefined;
  }
}

function findComplaint(value: Json): Complaint | null {
  const budget = { left: MAX_VALUES };
  const fields = findNotice(value, 0, budget);
  if (fields === null) return null;
  const recipients: string[] = [];
  collect(fields, 0, { left: MAX_VALUES }, recipients);
  const complaint = asFields(lower(fields)['complaint']) ?? {};
  const own = lower(complaint);
  const text = (name: string) =>
    typeof own[name] === 'string' ? (own[name] as string).slice(0, MAX_VALUE_CHARS) : null;
  return {
    // "not-spam" is not an objection, from any source.
    feedbackType: text('complaintfeedbacktype')?.toLowerCase() || 'abuse',
    userAgent: text('useragent'),
    arrivalDate: text('arrivaldate') ?? text('timestamp'),
    sourceIp: null,
    originalMailFrom: null,
    originalEnvelopeId: null,
    reportedDomain: null,
    recipients: [...new Set(recipients)].slice(0, MAX_RECIPIENTS),
    messageId: null,
    headers: null,
  };
}

/** The object that says of itself that it is a complaint, in arrays, objects and strings of JSON. */
function findNotice(value: Json, depth: number, budget: { left: number }): Fields | null {
  if (depth > MAX_DEPTH || budget.left-- <= 0) return null;
  if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? parse(value) : undefined;
    return inner === undefined ? null : findNotice(inner, depth + 1, budget);
  }
  const fields = asFields(value);
  if (fields !== null && isComplaint(fields)) return fields;
  for (const item of Object.values(fields ?? (Array.isArray(value) ? value : []))) {
    const found = findNotice(item as Json, depth + 1, budget);
    if (found !== null) return found;
  }
  return null;
}

function isComplaint(fields: Fields): boolean {
  const own = lower(fields);
  return KIND_FIELDS.some((name) => {
    const kind = own[name];
    return typeof kind === 'string' && COMPLAINTS.has(kind.toLowerCase());
  });
}

function collect(value: Json, depth: number, budget: { left: number }, found: string[]): void {
  if (depth > MAX_DEPTH || budget.left-- <= 0) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item as Json, depth + 1, budget, found);
    return;
  }
  for (const [name, item] of Object.entries(asFields(value) ?? {})) {
    if (typeof item !== 'string') collect(item, depth + 1, budget, found);
    else if (RECIPIENT_FIELDS.has(name.toLowerCase()))
      found.push(...addressesIn(item.slice(0, MAX_VALUE_CHARS)).map(({ address }) => address));
  }
}

function asFields(value: Json | undefined): Fields | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : null;
}

function lower(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, item]) => [name.toLowerCase(), item]));
}
