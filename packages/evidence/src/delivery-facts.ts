/** The `facts` of a delivery leaf: what is known of an outcome, and who says so. */
import { type MailAct, type PageAct, readAct } from './acknowledgement-facts.ts';
import { EvidenceError } from './errors.ts';
import type { Json } from './jcs.ts';
import {
  HEX_32_BYTES,
  readArray,
  readInteger,
  readNullable,
  readObject,
  readOneOf,
  readString,
} from './read-json.ts';

/**
 * `session`: a server answered in the operator's SMTP session. `operator`: no answer, the operator ended it
 * (cancelled, expired, no route). `reported_by_mail`: a mail that came back. `recipient_page`: somebody acted
 * on the page of the link, with a code that was sent to the recipient's address.
 */
export type DeliverySource = 'session' | 'operator' | 'reported_by_mail' | 'recipient_page';

export type TlsFacts = { version: string; cipher: string; peer_certificate_sha256: string | null };
export type ReplyFacts = { code: number | null; enhanced: string | null; text: string | null };

/**
 * `ip`, `mx`, `reply` and `tls` are from the operator's session; with `reported_by_mail` they are null,
 * because a server named in a mail never replaces one that we spoke to.
 */
export type DeliveryFacts = {
  /** Only of an act of the recipient. */
  acknowledgement?: PageAct | MailAct;
  ip: string | null;
  mx: string | null;
  reply: ReplyFacts | null;
  reported_by_mail: MailReportFacts | null;
  tls: TlsFacts | null;
};

/**
 * Results of DKIM (RFC 6376 §3.9) and SPF (RFC 7208 §2.6) for a report when it came; `not_checked`: nothing
 * was looked up.
 */
export type AuthenticationResult =
  | 'fail'
  | 'neutral'
  | 'none'
  | 'not_checked'
  | 'pass'
  | 'permerror'
  | 'softfail'
  | 'temperror';

/**
 * A report that came by mail: who delivered it, what speaks for it, and what it claims. `vouched_by`: what
 * ties the peer to the server that took the message or to the recipient's domain; null: nothing does, and
 * anybody may have written it.
 */
export type MailReportFacts = {
  claims: {
    /** Set for a complaint. RFC 5965 §7.3 */
    feedback_type: string | null;
    final_recipient: string | null;
    original_recipient: string | null;
    remote_mta: string | null;
    reply: ReplyFacts | null;
  };
  dkim: { domains: string[]; result: AuthenticationResult };
  /** RFC 5321 §4.1.2 reverse-path; empty for <>. */
  mail_from: string;
  peer: { helo: string; ip: string; tls: { cipher: string; version: string } | null };
  /** Hash of the mail as received, hex; the stored copy has the token hidden. */
  sha256: string;
  spf: { domain: string | null; result: AuthenticationResult };
  vouched_by: VouchedBy | null;
};

export type VouchedBy = 'dkim' | 'helo' | 'network' | 'spf';

const CHECK = 'delivery';
/** DKIM signatures read in one mail. */
export const MAX_DOMAINS = 8;

const RESULTS: readonly AuthenticationResult[] = [
  'fail',
  'neutral',
  'none',
  'not_checked',
  'pass',
  'permerror',
  'softfail',
  'temperror',
];
const VOUCHERS: readonly VouchedBy[] = ['dkim', 'helo', 'network', 'spf'];

/** Throws EvidenceError `delivery`. */
export function readDeliveryFacts(value: Json | undefined): DeliveryFacts {
  const fields = ['ip', 'mx', 'reply', 'reported_by_mail', 'tls'];
  const facts = readObject(value, CHECK, fields, ['acknowledgement']);
  const act = facts['acknowledgement'];
  return {
    ...(act === undefined ? {} : { acknowledgement: readAct(act) }),
    ip: readText(facts, 'ip'),
    mx: readText(facts, 'mx'),
    reply: readNullable(facts['reply'], readReply),
    reported_by_mail: readNullable(facts['reported_by_mail'], readMailReport),
    tls: readNullable(facts['tls'], (item) => {
      const tls = readObject(item, CHECK, ['cipher', 'peer_certificate_sha256', 'version']);
      return {
        cipher: readString(tls['cipher'], CHECK, 'cipher'),
        peer_certificate_sha256: readText(tls, 'peer_certificate_sha256'),
        version: readString(tls['version'], CHECK, 'version'),
      };
    }),
  };
}

/** Throws EvidenceError `delivery` unless the facts are such as an outcome from this source has. */
export function assertSource(facts: DeliveryFacts, kind: string, source: DeliverySource): void {
  const { ip, mx, reply, tls, acknowledgement: act } = facts;
  const spoken = source === 'session' || (ip === null && mx === null && tls === null);
  const mailed = (facts.reported_by_mail !== null) === (source === 'reported_by_mail');
  const answered = source === 'session' || source === 'operator' || reply === null;
  const acted = act === undefined ? null : 'dkim' in act ? 'mail' : 'page';
  if (!spoken || !mailed || !answered || acted !== actOf(kind, source))
    throw new EvidenceError(CHECK, `the facts are not those of an outcome ${kind} from the source ${source}`);
}

function actOf(kind: string, source: DeliverySource): 'page' | 'mail' | null {
  if (source === 'recipient_page') return 'page';
  return kind === 'acknowledged' && source === 'reported_by_mail' ? 'mail' : null;
}

type Fields = Readonly<Record<string, Json | undefined>>;

function readText(fields: Fields, name: string): string | null {
  return readNullable(fields[name], (item) => readString(item, CHECK, name));
}

function readReply(value: Json): ReplyFacts {
  const reply = readObject(value, CHECK, ['code', 'enhanced', 'text']);
  const code = readNullable(reply['code'], (number) => readInteger(number, CHECK, 'code'));
  return { code, enhanced: readText(reply, 'enhanced'), text: readText(reply, 'text') };
}

function readMailReport(value: Json): MailReportFacts {
  const fields = ['claims', 'dkim', 'mail_from', 'peer', 'sha256', 'spf', 'vouched_by'];
  const report = readObject(value, CHECK, fields);
  const claims = readObject(report['claims'], CHECK, [
    'feedback_type',
    'final_recipient',
    'original_recipient',
    'remote_mta',
    'reply',
  ]);
  const dkim = readObject(report['dkim'], CHECK, ['domains', 'result']);
  const spf = readObject(report['spf'], CHECK, ['domain', 'result']);
  return {
    claims: {
      feedback_type: readText(claims, 'feedback_type'),
      final_recipient: readText(claims, 'final_recipient'),
      original_recipient: readText(claims, 'original_recipient'),
      remote_mta: readText(claims, 'remote_mta'),
      reply: readNullable(claims['reply'], readReply),
    },
    dkim: {
      domains: readArray(dkim['domains'], CHECK, 'dkim.domains', MAX_DOMAINS).map((domain) =>
        readString(domain, CHECK, 'dkim.domains'),
      ),
      result: readOneOf(dkim['result'], CHECK, 'dkim.result', RESULTS),
    },
    mail_from: readString(report['mail_from'], CHECK, 'mail_from'),
    peer: readPeer(report['peer']),
    sha256: readString(report['sha256'], CHECK, 'sha256', HEX_32_BYTES),
    spf: { domain: readText(spf, 'domain'), result: readOneOf(spf['result'], CHECK, 'spf.result', RESULTS) },
    vouched_by: readNullable(report['vouched_by'], (item) => readOneOf(item, CHECK, 'vouched_by', VOUCHERS)),
  };
}

function readPeer(value: Json | undefined): MailReportFacts['peer'] {
  const peer = readObject(value, CHECK, ['helo', 'ip', 'tls']);
  return {
    helo: readString(peer['helo'], CHECK, 'helo'),
    ip: readString(peer['ip'], CHECK, 'ip'),
    tls: readNullable(peer['tls'], (item) => {
      const tls = readObject(item, CHECK, ['cipher', 'version']);
      return {
        cipher: readString(tls['cipher'], CHECK, 'cipher'),
        version: readString(tls['version'], CHECK, 'version'),
      };
    }),
  };
}
