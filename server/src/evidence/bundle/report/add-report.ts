import { type Bundle, withEntry } from '@acuse/evidence/bundle';
import { issuedIn } from '@acuse/evidence/bundle-entries';
import { toHex } from '@acuse/evidence/bytes';
import type { MailReportFacts, ReplyFacts } from '@acuse/evidence/delivery-facts';
import { bundleGuide } from '@acuse/evidence/guide';
import type { DkimFact } from '@acuse/evidence/manifest';
import { parseOpenings } from '@acuse/evidence/openings';
import { replyLine } from '@acuse/evidence/reply-line';
import { type VerifiedFacts, verifyEntries } from '@acuse/evidence/verify';
import PostalMime, { type Address } from 'postal-mime';
import { ed25519 } from '../../../platform/ed25519.ts';
import { sha256 } from '../../../platform/sha256.ts';
import type { ReportDelivery, ReportedMail, ReportFacts } from './facts.ts';

/**
 * Adds report.pdf. It says only what the bundle's own verification found; a bundle that does not verify gets
 * none.
 */
export async function addReport(bundle: Bundle, verifyUrl: string, now: Date): Promise<Bundle> {
  const facts = await reportFactsOf(bundle, verifyUrl, now);
  return facts === null ? bundle : withReport(bundle, facts);
}

export async function withReport(bundle: Bundle, facts: ReportFacts): Promise<Bundle> {
  // PDFKit takes a fifth of a second to load; a service starts without it.
  const { writeReport } = await import('./write-report.ts');
  const report = await writeReport(facts);
  return withEntry(bundle, 'report.pdf', report, sha256);
}

/** Null: it does not verify. */
export async function reportFactsOf(
  bundle: Bundle,
  verifyUrl: string,
  now: Date,
): Promise<ReportFacts | null> {
  const { valid, facts } = await verifyEntries(bundle, { sha256, now, ed25519 });
  return valid ? reportFacts(bundle, facts, verifyUrl) : null;
}

async function reportFacts(bundle: Bundle, facts: VerifiedFacts, verifyUrl: string): Promise<ReportFacts> {
  const { mail } = parseOpenings(bundle.get('openings.json')!);
  return {
    messageId: facts.message_id!,
    message: await readHeader(bundle.get('message.eml')),
    parts: mail.parts.map((part) => ({
      filename: part.filename,
      mediaType: part.media_type,
      size: part.size,
      sha256: part.sha256,
    })),
    acceptedAt: facts.accepted_at!,
    canonicalHash: facts.canonical_hash!,
    log: facts.log!,
    logKey: bundleGuide(bundle, sha256).logKey,
    leafIndex: facts.leaf_index!,
    treeSize: facts.tree_size!,
    rootHash: facts.merkle_root!,
    constancia: {
      development: facts.profile === 'development',
      genTime: facts.sealed_at!,
      issuer: facts.issuer!,
      policyOid: facts.policy_oid!,
      serialNumber: facts.serial_number!,
    },
    messageSealedAt: facts.message_sealed_at ?? null,
    issued: issuedIn(bundle),
    renewedAt: facts.renewed_at ?? null,
    coveredUntil: facts.covered_until!,
    deliveries: (facts.delivery ?? []).map(toDelivery),
    counted: countedOf(facts),
    verifyUrl,
  };
}

function countedOf({ outcomes_as_of: time, outcomes_withheld: withheld = 0, delivery = [] }: VerifiedFacts) {
  return time === undefined ? null : { count: delivery.length + withheld, withheld, time };
}

/** Reads the header section only. */
async function readHeader(raw: Uint8Array | undefined): Promise<ReportFacts['message']> {
  if (raw === undefined) return null;
  const end = Buffer.from(raw.buffer, raw.byteOffset, raw.length).indexOf('\r\n\r\n');
  const email = await PostalMime.parse(raw.subarray(0, end < 0 ? raw.length : end + 4));
  const mailbox = (of: Address | undefined) =>
    of?.name ? `${of.name} <${of.address ?? ''}>` : (of?.address ?? '');
  return {
    from: mailbox(email.from),
    to: mailbox(email.to?.[0]),
    subject: email.subject ?? '',
    sha256: toHex(sha256(raw)),
  };
}

function toDelivery({
  kind,
  source,
  occurred_at: occurredAt,
  facts,
}: NonNullable<VerifiedFacts['delivery']>[number]): ReportDelivery {
  const common = { kind, source, occurredAt };
  const nothing = { server: null, reply: null, tls: null, mail: null };
  if (facts === null) return { ...common, ...nothing };
  const { mx, ip, tls, reported_by_mail: mail, acknowledgement: act } = facts;
  if (act !== undefined && 'name' in act) return { ...common, ...nothing, act };
  if (mail !== null) {
    const { peer } = mail;
    return {
      ...common,
      ...(act !== undefined && { signedBy: signerOf(act.dkim) }),
      server: `${peer.helo} (${peer.ip})`,
      reply: null,
      tls: peer.tls && `${peer.tls.version} ${peer.tls.cipher}`,
      mail: toMail(mail),
    };
  }
  return {
    ...common,
    server: mx === null ? ip : ip === null ? mx : `${mx} (${ip})`,
    reply: words(facts.reply),
    tls: tls === null ? null : `${tls.version} ${tls.cipher}`,
    mail: null,
  };
}

function signerOf({ domain, selector, algorithm }: DkimFact): string {
  return `${domain} (${selector}, ${algorithm})`;
}

/** Each once: most reports give one address in two fields. */
export function claimsOf(claims: MailReportFacts['claims']): string {
  const { final_recipient, original_recipient, remote_mta, reply, feedback_type } = claims;
  const said = [feedback_type, final_recipient, original_recipient, remote_mta, words(reply)];
  return [...new Set(said)].filter((word) => word !== null && word !== '').join(' · ');
}

function toMail({ spf, dkim, vouched_by: vouchedBy, claims }: MailReportFacts): ReportedMail {
  return {
    spf: spf.domain === null ? spf.result : `${spf.result} (${spf.domain})`,
    dkim: dkim.domains.length === 0 ? dkim.result : `${dkim.result} (${dkim.domains.join(', ')})`,
    vouchedBy,
    claims: claimsOf(claims),
  };
}

function words(reply: ReplyFacts | null): string | null {
  return reply === null ? null : replyLine(reply);
}
