import { isUtf8 } from 'node:buffer';
import { fromXtext } from '../smtp/commands.ts';
import { addressOfField } from './addresses.ts';
import { fieldText, HeaderFields, parseHeaderFields } from './header-fields.ts';
import { MAX_HEADER_FIELDS, MAX_RECIPIENTS, MAX_VALUE_CHARS } from './limits.ts';

/** The outcome for a recipient. RFC 3464 §2.3.3 */
export type DsnAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/**
 * The fields of one recipient as a delivery-status part gives them; null where a field is missing or
 * unreadable. RFC 3464 §2.3
 */
export interface StatusFields {
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  readonly action: DsnAction | null;
  readonly status: string | null;
  /** The text after the code in Status, a comment in most reports. */
  readonly statusComment: string | null;
  readonly remoteMta: string | null;
  readonly diagnosticType: string | null;
  readonly diagnosticCode: string | null;
  /** A category that the reporting system put its finding in, such as PowerMTA's. */
  readonly category: string | null;
}

/** The fields of the message. RFC 3464 §2.2 */
export interface MessageFields {
  readonly reportingMta: string | null;
  readonly originalEnvelopeId: string | null;
  readonly arrivalDate: string | null;
}

export interface DeliveryStatus {
  readonly message: MessageFields;
  readonly recipients: readonly StatusFields[];
}

const NAMING_FIELDS: ReadonlySet<string> = new Set(['final-recipient', 'original-recipient']);
const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient', 'action', 'status', 'diagnostic-code'];

/**
 * Reads a message/delivery-status part (LF line ends); groups that hold nothing of a recipient are taken for
 * the message's.
 */
export function parseDeliveryStatus(text: string): DeliveryStatus {
  const groups = text.split(/\n[ \t]*\n/).map(parseHeaderFields);
  const isRecipient = (group: HeaderFields) => RECIPIENT_FIELDS.some((name) => group.has(name));
  const message = groups.find((group) => !isRecipient(group) && group.entries().length > 0) ?? groups[0]!;
  return {
    message: {
      reportingMta: mtaName(message.get('reporting-mta')),
      originalEnvelopeId: readable(message.get('original-envelope-id'), fromXtext),
      arrivalDate: readable(message.get('arrival-date')),
    },
    recipients: joinGroups(groups.filter(isRecipient).flatMap(splitGroup))
      .slice(0, MAX_RECIPIENTS)
      .map(readRecipient),
  };
}

/** Without the blank line between them, the next recipient begins where its name is given again. */
function splitGroup(group: HeaderFields): HeaderFields[] {
  const split: (readonly [string, string])[][] = [[]];
  for (const entry of group.entries()) {
    const names = split.at(-1)!.map(([name]) => name.toLowerCase());
    const name = entry[0].toLowerCase();
    if (NAMING_FIELDS.has(name) && names.includes(name)) split.push([]);
    split.at(-1)!.push(entry);
  }
  return split.map((fields) => new HeaderFields(fields));
}

/** A stray blank line splits a recipient's group: a part without a recipient belongs to the group before. */
function joinGroups(groups: readonly HeaderFields[]): HeaderFields[] {
  const joined: (readonly [string, string])[][] = [];
  for (const group of groups) {
    const named = group.has('final-recipient') || group.has('original-recipient');
    const previous = joined.at(-1);
    if (named || previous === undefined) joined.push([...group.entries()]);
    else if (previous.length < MAX_HEADER_FIELDS) previous.push(...group.entries());
  }
  return joined.map((fields) => new HeaderFields(fields));
}

function readRecipient(fields: HeaderFields): StatusFields {
  const status = readStatus(fields.get('status'));
  const diagnostic = readDiagnostic(fields.all('diagnostic-code'));
  const address = (name: string) => {
    const value = fields.get(name);
    return value === null ? null : addressOfField(fromUnitext(fieldText(octetsOfXtext(value))));
  };
  return {
    finalRecipient: address('final-recipient') ?? address('x-actual-recipient'),
    originalRecipient: address('original-recipient'),
    action: readAction(fields.get('action')),
    ...status,
    remoteMta: mtaName(fields.get('remote-mta')),
    ...diagnostic,
    category: readable(fields.get('x-powermta-bouncecategory')),
  };
}

const XTEXT_OCTETS = /(?:\+[89A-F][0-9A-F]){2,}/g;

/**
 * The characters outside ASCII of an address in xtext, as octets. RFC 3461 §4. Nothing else is read as xtext:
 * these fields do not say whether they use it, and `ana+2024@…` may be somebody's address.
 */
function octetsOfXtext(value: string): string {
  return value.replace(XTEXT_OCTETS, (written) => {
    const octets = fromXtext(written);
    return isUtf8(Buffer.from(octets, 'latin1')) ? octets : written;
  });
}

const UNITEXT_CHAR = /\\x\{([0-9A-Fa-f]{2,6})\}/g;

/** An address of the type utf-8 in a report of ASCII: `m\x{E4}ry@…`. RFC 6533 §3 */
function fromUnitext(value: string): string {
  return value.replace(UNITEXT_CHAR, (whole, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
  });
}

const ACTIONS: Readonly<Record<string, DsnAction>> = {
  failed: 'failed',
  failure: 'failed',
  fail: 'failed',
  expired: 'failed',
  delayed: 'delayed',
  deferred: 'delayed',
  delivered: 'delivered',
  relayed: 'relayed',
  expanded: 'expanded',
};

function readAction(value: string | null): DsnAction | null {
  const word = /[a-z]+/i.exec(value ?? '')?.[0].toLowerCase() ?? '';
  return ACTIONS[word] ?? null;
}

function readStatus(value: string | null): { status: string | null; statusComment: string | null } {
  const match = /([245]\.\d{1,3}\.\d{1,3})(.*)/.exec(value ?? '');
  if (match === null) return { status: null, statusComment: readable(value) };
  return { status: match[1]!, statusComment: readable(withoutBrackets(match[2]!)) };
}

/** Without blanks and round brackets around it. */
function withoutBrackets(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s)]/.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end).replace(/^[\s(]+/, '');
}

/** Several Diagnostic-Code fields occur; what a server said counts before what the reporting host thinks. */
function readDiagnostic(values: readonly string[]): {
  diagnosticType: string | null;
  diagnosticCode: string | null;
} {
  const read = values.map((value) => {
    const match = /^([A-Za-z][A-Za-z0-9-]{0,30})\s*;\s*(.*)$/s.exec(value);
    return { type: match?.[1]?.toLowerCase() ?? null, text: match?.[2] ?? value };
  });
  const first = read.find((one) => one.type === 'smtp') ?? read[0];
  if (first === undefined || first.text.trim() === '') return { diagnosticType: null, diagnosticCode: null };
  return { diagnosticType: first.type, diagnosticCode: first.text.trim().slice(0, MAX_VALUE_CHARS) };
}

function mtaName(value: string | null): string | null {
  return readable(value?.replace(/^[A-Za-z0-9-]{1,30}\s*;\s*/, '') ?? null);
}

function readable(value: string | null, decode: (text: string) => string = (text) => text): string | null {
  const text = value === null ? '' : decode(value).trim().slice(0, MAX_VALUE_CHARS);
  return text === '' ? null : text;
}
