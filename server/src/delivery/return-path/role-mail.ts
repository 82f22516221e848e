import { authenticateReport, organisation } from '@acuse/mail/authentication/vouch';
import { addressOfField } from '@acuse/mail/report/addresses';
import { isObjection } from '@acuse/mail/report/arf';
import { type ComplainedMessage, complainedMessage, isFromLoop } from '@acuse/mail/report/complained-message';
import { fieldText } from '@acuse/mail/report/header-fields';
import { type MimePart, parseMime, walk } from '@acuse/mail/report/lenient-mime';
import type { ReturnedMail } from '@acuse/mail/report/read-report';
import type { Receipt } from '@acuse/mail/report/receipt';
import { humanText } from '@acuse/mail/report/report-parts';
import { readReturnPath } from '@acuse/mail/verp';
import { domainOfReturnPath } from '../../accounts/domains/records.ts';
import { findNameOwner } from '../../accounts/domains/store.ts';
import type { Db } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { IncomingMail } from '../../platform/smtp/smtp-types.ts';
import { storable } from '../text.ts';
import { readerOf } from './large-mail.ts';
import { peerOf } from './mail-facts.ts';
import { applyReturnedMail, type ReturnOutcome, type ReturnPathDeps } from './return-path.ts';
import { findHandedTo, findReturned, loadBeginning, type ReturnedMessageRow } from './return-path-store.ts';
import { type Role, type RoleAddress, readRole } from './role-address.ts';
import { findAddressed, insertRoleMail, type RoleMail, type RoleMailProblem } from './role-mail-store.ts';

/**
 * Mail to the roles of a mail host: a complaint that names a message of ours counts as one to its return path
 * does; everything else is kept for the operator to read.
 */
export type RoleOutcome = ReturnOutcome | 'domain_report' | 'for_operator' | 'too_much';

export interface RoleMailDeps extends ReturnPathDeps {
  readonly returnPathSecrets: readonly Uint8Array[];
  /** Bounces return here; accounts' domains have `bounce.` in front. */
  readonly hosts: readonly string[];
  /** Absent: nothing is passed on. */
  forward?(mail: RoleMail, raw: Uint8Array): Promise<void>;
}

export interface MailToRole extends Omit<IncomingMail, 'forwardPaths'> {
  readonly forwardPath: string;
  readonly role: Role;
}

const KEPT_BYTES = 65_536;
const MAX_FIELD_CHARS = 1_000;
const MAX_EXCERPT_CHARS = 4_000;
const MAX_PATH_CHARS = 320;
const MAX_CLIENT_CHARS = 64;
const MAX_HEADER_BYTES = 65_536;

/** Null: no role of ours. */
export async function roleOf(
  { db, hosts }: Pick<RoleMailDeps, 'db' | 'hosts'>,
  address: string,
): Promise<RoleAddress['role'] | null> {
  const read = readRole(address);
  if (read === null) return null;
  const { role, host } = read;
  if (host === null || hosts.includes(host)) return role;
  const domain = domainOfReturnPath(host);
  return domain === null || (await findNameOwner(db, domain)) === null ? null : role;
}

/**
 * Handles one mail. Hostile content is at worst kept for the operator. `problem`: why it is no domain's report.
 */
export async function takeRoleMail(
  deps: RoleMailDeps,
  mail: MailToRole,
  problem: RoleMailProblem | null = null,
): Promise<RoleOutcome> {
  const returned = await readerOf(deps.threads ?? null, mail).read();
  if (returned.kind === 'receipt') return takeReceiptMail(deps, mail, returned);
  if (returned.kind !== 'complaint') return keep(deps, mail, returned, { problem, messageId: null });
  const { complaint } = returned;
  const found = await findComplained(deps, mail, complaint);
  const messageId = found.message?.message_id ?? null;
  if (!isObjection(complaint)) return keep(deps, mail, returned, { problem: 'not_an_objection', messageId });
  if (found.problem !== null) return keep(deps, mail, returned, { problem: found.problem, messageId });
  // As if sent to the return path; a quoted token stays hidden.
  const forwardPath = found.message.reverse_path;
  return applyReturnedMail(deps, found.message.message_id, { ...mail, forwardPath });
}

/** A receipt for a message of ours counts as one to its return path; any other is a mail like others. */
async function takeReceiptMail(
  deps: RoleMailDeps,
  mail: MailToRole,
  returned: Extract<ReturnedMail, { kind: 'receipt' }>,
): Promise<RoleOutcome> {
  const host = mail.forwardPath.slice(mail.forwardPath.lastIndexOf('@') + 1).toLowerCase();
  const about = { ...returned.receipt.about, reportedDomain: domainOfReturnPath(host) };
  const found = await findComplained(deps, mail, about);
  if (found.problem !== null) return keep(deps, mail, returned, { problem: null, messageId: null });
  const forwardPath = found.message.reverse_path;
  return applyReturnedMail(deps, found.message.message_id, { ...mail, forwardPath });
}

type Found =
  | { readonly problem: null; readonly message: ReturnedMessageRow }
  | { readonly problem: RoleMailProblem; readonly message: ReturnedMessageRow | null };

/**
 * By the message's id or return path, which only a recipient can know. By Message-ID or recipient only if
 * unique to one account and from a provider.
 */
async function findComplained(
  deps: RoleMailDeps,
  mail: MailToRole,
  complaint: Receipt['about'],
): Promise<Found> {
  const named = complainedMessage(complaint);
  const now = deps.clock.now();
  const paths = named.returnPaths.flatMap((path) => {
    const reading = readReturnPath(path, deps.returnPathSecrets, now);
    return reading.ok ? [reading.messageId] : [];
  });
  for (const id of [...named.ids.filter(isId), ...paths]) {
    const message = await findReturned(deps.db, id);
    if (message !== null) return { problem: null, message };
  }
  const addressed = await findByAddress(deps.db, named);
  if (addressed === null) return { problem: 'no_message', message: null };
  const { message, byMessageId } = addressed;
  const believed = byMessageId || (await isAuthentic(deps, mail, message));
  return believed ? { problem: null, message } : { problem: 'not_authentic', message };
}

/** From names the account; among its mail to the recipient, the Message-ID decides. */
async function findByAddress(
  db: Db,
  { recipients, fromDomain, from, messageId }: ComplainedMessage,
): Promise<{ message: ReturnedMessageRow; byMessageId: boolean } | null> {
  const tenantId = fromDomain === null ? null : await findNameOwner(db, fromDomain);
  if (tenantId === null) return null;
  for (const recipient of recipients) {
    const rows = (await findAddressed(db, tenantId, recipient)).filter(({ sender_address: sender }) =>
      from === null
        ? sender.toLowerCase().endsWith(`@${fromDomain}`)
        : sender.toLowerCase() === from.toLowerCase(),
    );
    let newest: ReturnedMessageRow | null = null;
    for (const row of rows) {
      const message = await findReturned(db, row.message_id);
      if (message === null) continue;
      newest ??= message;
      if (messageId === null) break;
      if (await hasMessageId(db, message, messageId)) return { message, byMessageId: true };
    }
    // Another Message-ID is about something else.
    if (newest !== null && messageId === null) return { message: newest, byMessageId: false };
  }
  return null;
}

async function hasMessageId(db: Db, message: ReturnedMessageRow, messageId: string): Promise<boolean> {
  const header = Buffer.from(await loadBeginning(db, message, MAX_HEADER_BYTES)).toString('latin1');
  const end = header.indexOf('\r\n\r\n');
  return (end === -1 ? header : header.slice(0, end)).includes(`<${messageId}>`);
}

async function isAuthentic(
  deps: RoleMailDeps,
  mail: MailToRole,
  message: ReturnedMessageRow,
): Promise<boolean> {
  const recipientDomain = message.recipient_address.slice(message.recipient_address.lastIndexOf('@') + 1);
  const handedTo = await findHandedTo(deps.db, message);
  const report = { raw: mail.raw, reversePath: mail.reversePath, peer: peerOf(mail) };
  const told = await authenticateReport(
    deps.resolver,
    report,
    { handedTo, recipientDomain },
    deps.clock.now(),
    readerOf(deps.threads ?? null, mail).heldSignatures,
  );
  if (told.vouched_by !== null) return true;
  const from = addressOfField(beginningOf(mail).headers.get('from') ?? '');
  if (from === null || told.dkim.result !== 'pass') return false;
  const expected = [recipientDomain, ...handedTo.map(({ host }) => host)];
  return isFromLoop(from, told.dkim.domains, expected, organisation);
}

/** Enough for the header and the first lines. */
function beginningOf(mail: MailToRole): MimePart {
  return parseMime(mail.raw.subarray(0, KEPT_BYTES));
}

async function keep(
  deps: RoleMailDeps,
  mail: MailToRole,
  returned: ReturnedMail,
  known: Pick<RoleMail, 'problem' | 'messageId'>,
): Promise<RoleOutcome> {
  const message = beginningOf(mail);
  const field = (name: string) => storable(fieldText(message.headers.get(name) ?? ''), MAX_FIELD_CHARS);
  const at = deps.clock.now();
  const row: RoleMail = {
    ...known,
    roleMailId: newId(at.getTime()),
    role: mail.role,
    kind: KINDS[returned.kind],
    forwardPath: storable(mail.forwardPath, MAX_PATH_CHARS),
    reversePath: storable(mail.reversePath, MAX_PATH_CHARS),
    clientAddress: storable(mail.clientAddress, MAX_CLIENT_CHARS),
    from: field('from'),
    subject: field('subject'),
    excerpt: storable(humanText([...walk(message)]).trim(), MAX_EXCERPT_CHARS),
    sizeBytes: mail.raw.length,
    receivedAt: at,
  };
  const bytes = { raw: mail.raw.subarray(0, KEPT_BYTES), sha256: sha256(mail.raw) };
  if (!(await deps.db.transact((tx) => insertRoleMail(tx, row, bytes)))) return 'too_much';
  await deps.forward?.(row, mail.raw);
  return 'for_operator';
}

const KINDS = {
  complaint: 'complaint',
  report: 'report',
  'auto-reply': 'automatic',
  receipt: 'automatic',
  unrecognized: 'letter',
} as const;
