import type { Extensions } from './extensions.ts';
import type { MessageScan } from './message-data.ts';

/** Delivery status requests, used where DSN is offered. RFC 3461 §4 */
export interface DsnRequest {
  /** The part of the message that a report returns: RET. */
  readonly ret?: 'HDRS' | 'FULL';
  /** The envelope identifier, printable ASCII before xtext, at most 100 characters. */
  readonly envid?: string;
  readonly notify?: 'NEVER' | readonly ('SUCCESS' | 'FAILURE' | 'DELAY')[];
  /** The recipient as first given, an address. */
  readonly originalRecipient?: string;
}

/**
 * One message for one recipient. `reversePath` is an address or empty (the null reverse-path), `forwardPath`
 * an address; both are RFC 5321 §4.1.2 mailboxes without angle brackets. `data` is read as one message,
 * header chunks first.
 */
export interface OutgoingMessage {
  readonly reversePath: string;
  readonly forwardPath: string;
  readonly data: readonly Uint8Array[];
  /** The result of scanMessage for `data`, if known: scanning takes some 2 ms for each MiB. */
  readonly scan?: MessageScan;
  /** The message has UTF-8 in its header fields, so that it needs SMTPUTF8 whatever its addresses. */
  readonly smtputf8?: boolean;
  readonly dsn?: DsnRequest;
  /**
   * Asked before MAIL, and again before the bytes that end the data; false breaks the session off, so that
   * nothing is taken.
   */
  readonly mayGoOn?: (step: 'mail' | 'dot') => boolean | Promise<boolean>;
}

const NOT_ASCII = /[^\x00-\x7f]/;
// A dot-string or a quoted string, an @, a domain or address literal: nothing that could end the path or the
// line.
const PATH =
  /^(?:[^\x00-\x20\x7f"<>()[\]\\,;:@]+|"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])*")@[^\x00-\x20\x7f<>"\\@]+$/;
const EHLO_NAME = /^[A-Za-z0-9.:_[\]-]{1,255}$/;
const MAX_ENVID_CHARS = 100;

/** Throws TypeError on a path that could carry anything but an address into the command. */
export function checkMessage(message: OutgoingMessage): void {
  const faulty = faultyPath(message);
  if (faulty !== null) throw new TypeError(`${faulty} is not an SMTP mailbox`);
}

/** The name of the path that could carry anything but an address; null: neither. */
export function faultyPath({ reversePath, forwardPath }: OutgoingMessage): string | null {
  if (reversePath !== '' && !PATH.test(reversePath)) return 'reversePath';
  return PATH.test(forwardPath) ? null : 'forwardPath';
}

/** Throws TypeError on a name that is not a host name or address literal. RFC 5321 §4.1.1.1 */
export function checkEhloName(name: string): void {
  if (!EHLO_NAME.test(name)) throw new TypeError('ehloName is not a host name or address literal');
}

/** True if the message can only be sent with SMTPUTF8. RFC 6531 §3.4 */
export function needsSmtpUtf8(message: OutgoingMessage): boolean {
  if (message.smtputf8 === true) return true;
  return NOT_ASCII.test(message.reversePath) || NOT_ASCII.test(message.forwardPath);
}

/** MAIL with SIZE, BODY, SMTPUTF8, RET and ENVID as far as offered. */
export function mailCommand(message: OutgoingMessage, offered: Extensions, scan: MessageScan): string {
  let command = `MAIL FROM:<${message.reversePath}>`;
  if (offered.sizeLimit !== null) command += ` SIZE=${scan.sizeBytes}`;
  // Without 8BITMIME 8-bit bytes go out as they are: recoding would break the signature, and no server in use
  // strips them.
  if (scan.eightBit && offered.eightBitMime) command += ' BODY=8BITMIME';
  if (needsSmtpUtf8(message)) command += ' SMTPUTF8';
  if (!offered.dsn || message.dsn === undefined) return command;
  const { ret, envid } = message.dsn;
  if (ret !== undefined) command += ` RET=${ret}`;
  if (envid !== undefined && envid !== '') command += ` ENVID=${xtext(envid.slice(0, MAX_ENVID_CHARS))}`;
  return command;
}

/** RCPT with NOTIFY and ORCPT where DSN is offered. */
export function rcptCommand(message: OutgoingMessage, offered: Extensions): string {
  let command = `RCPT TO:<${message.forwardPath}>`;
  if (!offered.dsn || message.dsn === undefined) return command;
  const { notify, originalRecipient } = message.dsn;
  if (notify !== undefined && notify.length > 0) {
    command += ` NOTIFY=${typeof notify === 'string' ? notify : notify.join(',')}`;
  }
  // RFC 6533 §3 has an encoding for UTF-8 recipients; few read it, and ORCPT is only a help.
  if (originalRecipient !== undefined && !NOT_ASCII.test(originalRecipient)) {
    command += ` ORCPT=rfc822;${xtext(originalRecipient)}`;
  }
  return command;
}

/** xtext: printable ASCII but `+` and `=` as they are, all else as +HH. RFC 3461 §4 */
export function xtext(text: string): string {
  return text.replace(/[^\x21-\x2a\x2c-\x3c\x3e-\x7e]/g, (c) =>
    [...new TextEncoder().encode(c)].map((b) => `+${b.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** Reads xtext back; text that is not xtext comes back as it is. */
export function fromXtext(text: string): string {
  return text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
