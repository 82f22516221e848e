/** The recipient's own mail: what it must be to acknowledge a message. docs/evidence-format.md §5 */
import { decodeAscii, type Sha256 } from './bytes.ts';
import { verifyDkim } from './dkim-verify.ts';
import { EvidenceError } from './errors.ts';
import type { DkimFact } from './manifest.ts';
import { relaxedField, splitMessage } from './relaxed.ts';

/** Signed, and there once each: who wrote, to which address, and about what. */
export const SIGNED_FIELDS = ['from', 'to', 'subject'] as const;

export type Reply = {
  /** As it came, CRLF. */
  bytes: Uint8Array;
  messageId: string;
  /** Undefined: not opened. */
  recipient: string | undefined;
  dkim: DkimFact;
};

/** The local part of the address to which a recipient acknowledges this message begins with it. */
export function replyPrefix(messageId: string): string {
  return `ack+${messageId.replaceAll('-', '')}-`;
}

/** Throws EvidenceError `reply` unless the mail is the recipient's, to the address of this message. */
export function assertReplyHeader({ bytes, messageId, recipient, dkim }: Reply): void {
  const { from, to } = readReplyHeader(bytes);
  if (!to.startsWith(replyPrefix(messageId)))
    throw new EvidenceError('reply', 'it does not go to the address of this message');
  if (recipient !== undefined && from !== lower(recipient))
    throw new EvidenceError('reply', 'From is not the recipient');
  if (!isAligned(dkim.domain, from.slice(from.lastIndexOf('@') + 1)))
    throw new EvidenceError('reply', `${dkim.domain} does not sign for the domain of From`);
}

/** Throws EvidenceError `reply` or `dkim`. */
export async function assertReply(reply: Reply, sha256: Sha256): Promise<void> {
  assertReplyHeader(reply);
  await verifyDkim(reply.bytes, [reply.dkim], sha256, SIGNED_FIELDS);
}

/** The one address of each, lower case. Throws EvidenceError `reply`. */
export function readReplyHeader(bytes: Uint8Array): { from: string; to: string } {
  const { headers } = splitMessage(bytes);
  const [from, to] = SIGNED_FIELDS.map((name) => {
    const found = headers.filter((field) => field.name.toLowerCase() === name);
    if (found.length !== 1)
      throw new EvidenceError('reply', `it has ${found.length} fields ${name}, not one`);
    return oneAddress(decodeAscii(relaxedField(found[0]!)).slice(name.length + 1, -2));
  });
  if (from === undefined) throw new EvidenceError('reply', 'From is not one address');
  if (to === undefined) throw new EvidenceError('reply', 'To is not one address');
  return { from, to };
}

/** ASCII addresses as mail programs write them, without quoted local parts. RFC 5322 §3.4.1 */
const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+$/;

/** Without comments and quoted local parts, which no mail program of our days writes there. */
function oneAddress(value: string): string | undefined {
  const bare = value.replace(/"[^"]*"/g, '');
  const open = bare.indexOf('<');
  const address = open < 0 ? bare : bare.endsWith('>') ? bare.slice(open + 1, -1) : '';
  const before = open < 0 ? '' : bare.slice(0, open);
  const isOne = ADDRESS.test(address) && !/[@,;:()<>]/.test(before);
  return isOne ? address.toLowerCase() : undefined;
}

/** Lower-cases ASCII letters only. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The same domain, or one of the two is above the other; never one of a single label. */
export function isAligned(signer: string, domain: string): boolean {
  const [a, b] = [signer.toLowerCase(), domain.toLowerCase()];
  if (!a.includes('.') || !b.includes('.')) return false;
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
