import { type AddressItem, isGroup } from '@acuse/mail/address-list';
import { compareKey, type Mailbox, MailboxError, parseMailbox } from '@acuse/mail/mailbox';

/** Per request; Resend, Postmark and SES allow as many. */
export const RECIPIENTS_MAX = 50;

export type RecipientField = 'to' | 'cc' | 'bcc';

export interface Recipient {
  readonly mailbox: Mailbox;
  readonly field: RecipientField;
}

export interface Addressees {
  /** To and Cc may name others. */
  readonly recipient: Mailbox;
  readonly headerTo: readonly AddressItem[];
  readonly headerCc: readonly AddressItem[];
  /** All recipients, `recipient` first; absent for one. */
  readonly recipients?: readonly Recipient[] | undefined;
  /** Absent where not available. */
  readonly skipSuppressed?: boolean | undefined;
}

interface AddressFields {
  readonly to?: string | readonly string[] | undefined;
  readonly cc?: string | readonly string[] | undefined;
  readonly bcc?: string | readonly string[] | undefined;
  readonly skip_suppressed?: boolean | undefined;
}

/** Throws MailboxError. */
export function readAddressees(fields: AddressFields): Addressees {
  const to = listOf(fields.to ?? '');
  if (to.length === 0) throw new MailboxError('to', 'empty', 'give at least one address');
  const [cc, bcc] = [listOf(fields.cc), listOf(fields.bcc)];
  refuseTooMany(to.length + cc.length + bcc.length);
  const headerTo = parseList(fields.to ?? '', 'to');
  const headerCc = parseList(fields.cc, 'cc');
  const recipients = distinctRecipients(headerTo, headerCc, parseList(fields.bcc, 'bcc').map(bare));
  return {
    headerTo,
    headerCc,
    ...amongSeveral(recipients),
    ...(recipients.length > 1 && { skipSuppressed: fields.skip_suppressed === true }),
  };
}

export function parseList(given: string | readonly string[] | undefined, field: string): Mailbox[] {
  if (typeof given === 'string') return [parseMailbox(given, field)];
  return (given ?? []).map((text, at) => parseMailbox(text, `${field}[${at}]`));
}

export function refuseTooMany(count: number): void {
  if (count <= RECIPIENTS_MAX) return;
  const fix = `${count} addresses, with cc and bcc, exceed the limit of ${RECIPIENTS_MAX}: split the request`;
  throw new MailboxError('to', 'list', fix);
}

/** Different spellings of a mailbox count once. */
export function distinctRecipients(
  to: readonly Mailbox[],
  cc: readonly Mailbox[],
  bcc: readonly Mailbox[],
): Recipient[] {
  const distinct = new Map<string, Recipient>();
  const add = (mailboxes: readonly Mailbox[], field: RecipientField) => {
    for (const mailbox of mailboxes) {
      const key = compareKey(mailbox);
      if (!distinct.has(key)) distinct.set(key, { mailbox, field });
    }
  };
  add(to, 'to');
  add(cc, 'cc');
  add(bcc, 'bcc');
  return [...distinct.values()];
}

export function amongSeveral(recipients: readonly Recipient[]): Pick<Addressees, 'recipient' | 'recipients'> {
  const recipient = recipients[0]!.mailbox;
  return recipients.length === 1 ? { recipient } : { recipient, recipients };
}

/** Names that no header shows are dropped. */
export function bare(mailbox: Mailbox): Mailbox {
  return mailbox.displayName === undefined ? mailbox : parseMailbox(mailbox.address);
}

function listOf(given: string | readonly string[] | undefined): readonly string[] {
  return typeof given === 'string' ? [given] : (given ?? []);
}

export function namesOthers({ recipient, headerTo, headerCc }: Addressees): boolean {
  const [only, ...others] = headerTo;
  if (only === undefined || isGroup(only) || others.length > 0 || headerCc.length > 0) return true;
  return only !== recipient && compareKey(only) !== compareKey(recipient);
}

/** Digest facts beyond the single recipient. */
export function addresseeFacts(addressees: Addressees): unknown[] {
  const { headerTo, headerCc, recipients, skipSuppressed = false } = addressees;
  const facts: unknown[] = [];
  if (namesOthers(addressees)) facts.push({ to: headerTo.map(itemFact), cc: headerCc.map(itemFact) });
  if (recipients !== undefined) {
    const named = recipients.map(({ mailbox, field }) => [field, mailboxText(mailbox)]);
    facts.push({ recipients: named, skip_suppressed: skipSuppressed });
  }
  return facts;
}

export function itemFact(item: AddressItem): unknown {
  return isGroup(item) ? [item.groupName, item.members.map(mailboxText)] : mailboxText(item);
}

export function mailboxText(mailbox: Mailbox): string {
  return mailbox.displayName === undefined ? mailbox.address : `${mailbox.displayName} <${mailbox.address}>`;
}
