import type { HeaderText } from './header-text.ts';
import { ADDRESS_LIST_MAX } from './limits.ts';
import { type Mailbox, MailboxError, parseGroupName, parseMailboxField } from './mailbox.ts';
import { endOfComment } from './mailbox-syntax.ts';

/** A named group of mailboxes, which may be empty: `undisclosed-recipients:;`. RFC 5322 §3.4 */
export type AddressGroup = { readonly groupName: HeaderText; readonly members: readonly Mailbox[] };

/** Items of To and Cc, in the order in which they were written. */
export type AddressItem = Mailbox | AddressGroup;

export function isGroup(item: AddressItem): item is AddressGroup {
  return 'groupName' in item;
}

/** Every mailbox of a list, those of its groups included, in order. */
export function mailboxesOf(items: readonly AddressItem[]): Mailbox[] {
  return items.flatMap((item) => (isGroup(item) ? item.members : [item]));
}

type Piece = { readonly text: string; readonly groupName: string | null };

/**
 * The address-list of an unfolded To or Cc field; empty items (`a@b.example, ,`) are passed over. RFC 5322
 * §3.4, §4.4 Throws MailboxError for an item that is not one mailbox, or for more than ADDRESS_LIST_MAX of
 * them.
 */
export function parseAddressListField(
  value: string,
  field: string,
  decodeWords: (run: string) => string,
): AddressItem[] {
  const items: AddressItem[] = [];
  let count = 0;
  let open: { groupName: HeaderText; members: Mailbox[] } | null = null;
  for (const piece of pieces(value.replaceAll('\t', ' '), field)) {
    if (piece.groupName !== null) {
      open = { groupName: parseGroupName(piece.groupName, field, decodeWords), members: [] };
      items.push(open);
    } else if (piece.text === END_OF_GROUP) {
      open = null;
    } else {
      if (++count > ADDRESS_LIST_MAX)
        throw new MailboxError(field, 'list', `must have at most ${ADDRESS_LIST_MAX} addresses`);
      const mailbox = parseMailboxField(piece.text, field, decodeWords);
      if (open === null) items.push(mailbox);
      else open.members.push(mailbox);
    }
  }
  return items;
}

/** Stands for the semicolon that closes a group; no mailbox is written so. */
const END_OF_GROUP = ';';

/** Cut in one pass at what separates mailboxes, quoted strings and angle brackets respected. */
function* pieces(text: string, field: string): Generator<Piece> {
  let start = 0;
  let inGroup = false;
  let inAngle = false;
  // After one unclosed parenthesis no other is looked for: that would read the rest each time.
  let isOpen = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = endOfQuoted(text, at);
    else if (char === '(' && !inAngle && !isOpen) {
      const end = endOfComment(text, at);
      isOpen = end === null;
      at = end ?? at;
    } else if (char === '<') inAngle = true;
    else if (char === '>') inAngle = false;
    else if (inAngle) continue;
    else if (char === ',' || (char === ';' && inGroup)) {
      yield* mailboxIn(text.slice(start, at));
      start = at + 1;
      if (char === ';') {
        inGroup = false;
        yield { text: END_OF_GROUP, groupName: null };
      }
    } else if (char === ':') {
      if (inGroup) throw new MailboxError(field, 'group', 'a group cannot contain another group');
      yield { text: '', groupName: text.slice(start, at) };
      start = at + 1;
      inGroup = true;
    }
  }
  if (inGroup) throw new MailboxError(field, 'group', 'a group must end with a semicolon');
  yield* mailboxIn(text.slice(start));
}

function* mailboxIn(text: string): Generator<Piece> {
  const trimmed = text.trim();
  if (trimmed !== '') yield { text: trimmed, groupName: null };
}

/**
 * End of the quoted-string that begins here; the end of the text if it is unclosed, which its reader refuses.
 */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}
