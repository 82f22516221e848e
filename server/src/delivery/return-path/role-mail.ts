import { authenticateReport, organisation } from '@acuse/mail/authentication/vouch';
import { addressOfField, sameAddress } from '@acuse/mail/report/addresses';
import { isObjection } from '@acuse/mail/report/arf';
import { type ComplainedMessage, complainedMessage, isFromLoop } from '@acuse/mail/report/complained-message';
import { fieldText, parseHeaderFields } from '@acuse/mail/report/header-fields';
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
 * Mail to the roles of a mail host: a complaint that names a message of ours counts like one to its return
 * path; everything else is kept for the operator.
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
 * Handles one mail. Hostile content is at worst kept for the operator. `problem`: why it is not a domain
 * report.
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

/** As a complaint: it counts as one to the return path, or is for the operator. */
async function takeReceiptMail(
  deps: RoleMailDeps,
  mail: MailToRole,
  returned: Extract<ReturnedMail, { kind: 'receipt' }>,
): Promise<RoleOutcome> {
  const host = mail.forwardPath.slice(mail.forwardPath.lastIndexOf('@') + 1).toLowerCase();
  const about = { ...returned.receipt.about, reportedDomain: domainOfReturnPath(host) };
  const found = await findComplained(deps, mail, about);
  const messageId = found.message?.message_id ?? null;
  if (found.problem !== null) return keep(deps, mail, returned, { problem: found.problem, messageId });
  const forwardPath = found.message.reverse_path;
  return applyReturnedMail(deps, found.message.message_id, { ...mail, forwardPath });
}

type Found =
  | { readonly problem: null; readonly message: ReturnedMessageRow }
  | { readonly problem: RoleMailProblem; readonly message: ReturnedMessageRow | null };

/**
 * By its return path, which only its recipient's side has. An id, a Message-ID or an address is known to
 * others: it counts only from whoever speaks for the recipient, and for as long as the return path.
 */
async function findComplained(
  deps: RoleMailDeps,
  mail: MailToRole,
  complaint: Receipt['about'],
): Promise<Found> {
  const named = complainedMessage(complaint);
  for (const path of named.returnPaths) {
    const id = readPath(deps, path);
    const message = id === null ? null : await findReturned(deps.db, id);
    if (message !== null) return { problem: null, message };
  }
  const message = (await findById(deps.db, named)) ?? (await findByAddress(deps.db, named));
  if (message === null || readPath(deps, message.reverse_path) === null)
    return { problem: 'no_message', message };
  const believed = await isAuthentic(deps, mail, message);
  return believed ? { problem: null, message } : { problem: 'not_authentic', message };
}

function readPath({ returnPathSecrets, clock }: RoleMailDeps, path: string): string | null {
  const reading = readReturnPath(path, returnPathSecrets, clock.now());
  return reading.ok ? reading.messageId : null;
}

/** A sender may give its Message-ID the form of ours. */
async function findById(db: Db, { ids, messageId }: ComplainedMessage): Promise<ReturnedMessageRow | null> {
  for (const id of ids.filter(isId)) {
    const message = await findReturned(db, id);
    if (message === null) continue;
    const isMessageId = messageId?.toLowerCase().startsWith(`${id}@`) === true;
    if (!isMessageId || (await hasMessageId(db, message, messageId))) return message;
  }
  return null;
}

/** From names the account; among its mail to the recipient, the Message-ID decides. */
async function findByAddress(
  db: Db,
  { recipients, fromDomain, from, messageId }: ComplainedMessage,
): Promise<ReturnedMessageRow | null> {
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
      if (await hasMessageId(db, message, messageId)) return message;
    }
    // Another Message-ID is about something else.
    if (newest !== null && messageId === null) return newest;
  }
  return null;
}

async function hasMessageId(db: Db, message: ReturnedMessageRow, messageId: string): Promise<boolean> {
  const beginning = Buffer.from(await loadBeginning(db, message, MAX_HEADER_BYTES)).toString('latin1');
  const end = beginning.indexOf('\r\n\r\n');
  const header = parseHeaderFields(end === -1 ? beginning : beginning.slice(0, end));
  return header.get('message-id')?.trim() === `<${messageId}>`;
}

/** By DKIM or SPF it comes from the recipient's servers, the recipient, or a feedback loop. */
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
  // A domain binds From to its users. docs/decisions/0066
  const isOwn = told.dkim.domains.some((name) => organisation(name) === organisation(recipientDomain));
  if (isOwn && sameAddress(from, message.recipient_address)) return true;
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
