import type { AddressItem } from './address-list.ts';
import { MailInputError } from './input-error.ts';
import { readAddressList, TWICE } from './message-fields.ts';
import type { HeaderField } from './mime-tree.ts';

/** The Bcc of a submitted message: its recipients, and the message without it. RFC 5322 §3.6.3 */

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const BCC = /^bcc[ \t]*:/i;
const BCC_MAX_CHARS = 16;

/** Addresses of the Bcc field; none without the field. Throws MailInputError about `address`. */
export function readBlindCopies(fields: readonly HeaderField[]): AddressItem[] {
  const [bcc, another] = fields.filter(({ key }) => key === 'bcc');
  if (another !== undefined) throw new MailInputError('address', 'bcc', 'duplicate_header', TWICE);
  return bcc === undefined ? [] : readAddressList(bcc.value, 'bcc');
}

/** The message without Bcc fields in its own header, otherwise unchanged; itself if it has none. */
export function withoutBlindCopies(message: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let keptFrom = 0;
  let inBcc = false;
  for (let at = 0; at < message.length; ) {
    const feed = message.indexOf(LF, at);
    const next = feed < 0 ? message.length : feed + 1;
    const first = message[at];
    if (first === LF || (first === CR && message[at + 1] === LF)) break;
    const continues = first === SPACE || first === TAB;
    if (!continues) {
      const isBcc = BCC.test(Buffer.from(message.subarray(at, at + BCC_MAX_CHARS)).toString('latin1'));
      if (isBcc && !inBcc) kept.push(message.subarray(keptFrom, at));
      if (!isBcc && inBcc) keptFrom = at;
      inBcc = isBcc;
    }
    at = next;
    // A header that ends with its Bcc.
    if (inBcc) keptFrom = at;
  }
  return kept.length === 0 ? message : Buffer.concat([...kept, message.subarray(keptFrom)]);
}
