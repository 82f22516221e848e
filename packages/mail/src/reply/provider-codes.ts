import { SUPPRESSING_CODES } from './enhanced-codes.ts';
import type { Finding } from './finding.ts';
import { bounceTypeOf, type Reason } from './reasons.ts';

/** A code of a provider's own in the text, which says more than the words around it. */
export interface ProviderCode {
  readonly provider: string;
  /** Where it is explained, and when that was last read. */
  readonly source: string;
  readonly read: string;
  readonly pattern: RegExp;
  /** By what the pattern captures. */
  readonly reasons: Readonly<Record<string, Reason>>;
  /** Given with a status that says something else: Facebook's preferences come as 5.1.1. */
  readonly outweighsStatus?: true;
}

/** A provider's meaning of a status of its own, or of a registered one together with some words. */
export interface StatusRule {
  readonly provider: string;
  readonly source: string;
  readonly read: string;
  /** `subject.detail` in the shape of the registry's keys. */
  readonly status: RegExp;
  /** Matched against plain text; without it the status is enough. */
  readonly words?: RegExp;
  readonly reason: Reason;
}

const GOOGLE = {
  provider: 'google',
  source: 'https://support.google.com/a/answer/3726730',
  read: '2026-11',
} as const;
const MICROSOFT = {
  provider: 'microsoft',
  source:
    'https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online',
  read: '2026-11',
} as const;

const YANDEX = {
  provider: 'yandex',
  source: 'https://www.yandex.com/support/mail/bounces/yandex.html',
  read: '2026-11',
} as const;

/** First match wins. */
export const STATUS_RULES: readonly StatusRule[] = [
  // Both are registered for something else, ARC and REQUIRETLS.
  { ...GOOGLE, status: /^7\.29$/, words: /\btls\b/, reason: 'tls_required' },
  { ...GOOGLE, status: /^7\.30$/, words: /\bdkim\b/, reason: 'authentication' },
  { ...GOOGLE, status: /^7\.(?:32|40)$/, words: /\bdmarc\b|\balign/, reason: 'authentication' },
  { ...MICROSOFT, status: /^7\.350$/, words: /\bspoof/, reason: 'authentication' },
  { ...MICROSOFT, status: /^7\.350$/, reason: 'spam' },
  {
    ...MICROSOFT,
    status: /^7\.50[19]$|^7\.515$/,
    words: /dmarc|authentication level/,
    reason: 'authentication',
  },
  { ...MICROSOFT, status: /^7\.501$/, reason: 'spam' },
  {
    ...MICROSOFT,
    status: /^7\.(?:502|503|504|505|511|705|750)$|^1\.8$/,
    words: /access denied/,
    reason: 'sender_refused',
  },
  {
    ...MICROSOFT,
    status: /^7\.(?:506|507|513|606|6[0-4]\d|70[3-9])$/,
    words: /access denied|unavailable|blocked/,
    reason: 'blocklisted',
  },
  { ...MICROSOFT, status: /^7\.508$/, reason: 'rate_limited' },
  { ...MICROSOFT, status: /^7\.512$/, words: /rfc ?5322/, reason: 'not_compliant' },
  {
    ...MICROSOFT,
    status: /^7\.(?:[56]\d\d|8[5-9]\d)$/,
    words: /access denied, please try again later/,
    reason: 'reputation',
  },
  // 4.7.500, of a sender that is slowed down.
  { ...MICROSOFT, status: /^7\.5\d\d$/, words: /\bserver busy\b/, reason: 'rate_limited' },
  { ...MICROSOFT, status: /^7\.23[123]$/, words: /\bexceeded\b/, reason: 'rate_limited' },
  // STARTTLS, certificate, TLSA, DNSSEC, name of the host.
  { ...MICROSOFT, status: /^7\.32[1-5]$/, reason: 'tls_failure' },
  // Registered for a null MX, which is the domain's.
  {
    ...MICROSOFT,
    status: /^1\.10$/,
    words: /recipient ?not ?found|\brecipient \S{0,80} ?not found/,
    reason: 'mailbox_unknown',
  },
  { ...MICROSOFT, status: /^2\.12[12]$/, reason: 'mailbox_busy' },
  { ...MICROSOFT, status: /^1\.90$/, words: /limit/, reason: 'rate_limited' },
  { ...MICROSOFT, status: /^4\.310$/, words: /does not exist/, reason: 'domain_unknown' },
  { ...GOOGLE, status: /^7\.27$/, words: /\bspf\b|\bunauthenticated\b/, reason: 'authentication' },
  { ...GOOGLE, status: /^7\.1$/, words: /\bquota exceeded/, reason: 'rate_limited' },
  // Its words for an address that it does not have; under 5.7.1 others say them of what they filter.
  { ...YANDEX, status: /^7\.1$/, words: /^no such user!/, reason: 'mailbox_unknown' },
  // An account that was blocked, which its owner can undo.
  { ...YANDEX, status: /^7\.1$/, words: /^policy rejection on the target/, reason: 'mailbox_refused' },
];

/** Matched against plain text (text.ts). */
export const PROVIDER_CODES: readonly ProviderCode[] = [
  {
    // Orange, La Poste, SFR and others of their filter: OFR_417, LPN006_107.
    provider: 'orange',
    source: 'https://postmaster.orange.fr/en',
    read: '2026-11',
    pattern: /\b(?:ofr|lpn|sfr|smt|ouk|gu[_ ]eib)[0-9]{0,3}[_-]([0-9]{2,3})\b/,
    reasons: {
      '02': 'blocklisted',
      '04': 'blocklisted',
      '102': 'blocklisted',
      '103': 'blocklisted',
      '104': 'rate_limited',
      '305': 'policy',
      '401': 'authentication',
      '402': 'relay_denied',
      '403': 'sender_refused',
      '405': 'sender_refused',
      '415': 'sender_refused',
      '416': 'mailbox_unknown',
      '417': 'mailbox_full',
      '418': 'mailbox_unknown',
      '420': 'mailbox_disabled',
      '421': 'sender_refused',
      '426': 'mailbox_disabled',
      '505': 'system_error',
      '506': 'spam',
      '510': 'blocklisted',
      '513': 'message_too_large',
      '514': 'message_too_large',
      '515': 'authentication',
      '517': 'authentication',
      '519': 'authentication',
      '630': 'blocklisted',
      // An address suspended for two hours, for what it sent before.
      '999': 'reputation',
    },
  },
  {
    // Tencent and NetEase: `DT:SPM`, `MI:SPB`.
    provider: 'netease',
    source: 'help.mail.163.com, codes of returned mail',
    read: '2026-11',
    pattern: /\b(?:dt|mi|rp|ip|hl|wm):([a-z]{3})\b/,
    reasons: {
      bli: 'blocklisted',
      blu: 'sender_refused',
      ccl: 'rate_limited',
      cel: 'rate_limited',
      drc: 'rate_limited',
      icc: 'rate_limited',
      ifc: 'rate_limited',
      ihu: 'blocklisted',
      ipb: 'blocklisted',
      mbl: 'blocklisted',
      mep: 'sender_refused',
      spf: 'authentication',
      nhd: 'sender_refused',
      rbl: 'blocklisted',
      rep: 'reputation',
      stc: 'rate_limited',
      sum: 'sender_refused',
      trc: 'rate_limited',
      spm: 'spam',
      spb: 'blocklisted',
      dmc: 'rate_limited',
      ntq: 'rate_limited',
      sfq: 'rate_limited',
      qrc: 'rate_limited',
      nvr: 'sender_refused',
      imf: 'authentication',
    },
  },
  {
    // Its consumer service: (S3140), OU-001, SC-001. Apple's [CS01] and [HM08] stand next to them.
    provider: 'microsoft',
    source: 'https://sendersupport.olc.protection.outlook.com/pm/troubleshooting.aspx',
    read: '2026-11',
    pattern: /\b(s3140|s3150|s3115|ou-00[0-9]|sc-00[0-9]|dy-00[0-9]|rp-00[0-9]|cs01|hm08)\b/,
    reasons: {
      s3140: 'blocklisted',
      s3150: 'blocklisted',
      s3115: 'rate_limited',
      'ou-001': 'blocklisted',
      'ou-002': 'blocklisted',
      'sc-001': 'spam',
      'sc-002': 'reputation',
      'sc-003': 'reputation',
      'sc-004': 'blocklisted',
      'dy-001': 'blocklisted',
      'dy-002': 'blocklisted',
      'rp-001': 'rate_limited',
      'rp-002': 'rate_limited',
      'rp-003': 'rate_limited',
      cs01: 'policy',
      hm08: 'content_policy',
    },
  },
  {
    // AUP#In-1000, AUP#O-1580.
    provider: 'spectrum',
    source: 'spectrumbusiness.net, Understanding email error codes',
    read: '2026-11',
    pattern: /\baup#[a-z-]{0,8}(1[0-9]{2})[0-9]\b/,
    reasons: {
      '100': 'blocklisted',
      '101': 'sender_refused',
      '102': 'sender_refused',
      '103': 'sender_refused',
      '104': 'sender_refused',
      '105': 'sender_refused',
      '106': 'sender_refused',
      '107': 'sender_refused',
      '108': 'sender_refused',
      '109': 'system_error',
      '110': 'reverse_dns',
      '111': 'reverse_dns',
      '112': 'reverse_dns',
      '113': 'reverse_dns',
      '114': 'reverse_dns',
      '115': 'reverse_dns',
      '116': 'policy',
      '117': 'policy',
      '118': 'policy',
      '119': 'policy',
      '120': 'blocklisted',
      '121': 'blocklisted',
      '122': 'blocklisted',
      '123': 'blocklisted',
      '124': 'blocklisted',
      '125': 'blocklisted',
      '126': 'host_unreachable',
      '130': 'rate_limited',
      '131': 'rate_limited',
      '132': 'rate_limited',
      '133': 'rate_limited',
      '134': 'rate_limited',
      '135': 'rate_limited',
      '136': 'rate_limited',
      '137': 'rate_limited',
      '138': 'rate_limited',
      '139': 'rate_limited',
      '140': 'rate_limited',
      '149': 'rate_limited',
      '150': 'sender_refused',
      '152': 'sender_refused',
      '153': 'message_too_large',
      '154': 'rate_limited',
      '155': 'rate_limited',
      '156': 'policy',
      '158': 'rate_limited',
    },
  },
  {
    // AUP#CXSNDR, IPBL0001, URLBL011.
    provider: 'cox',
    source: 'cox.com, Email error codes',
    read: '2026-11',
    pattern: /\b(cxbl|cdrbl|cxdns|cxsndr|cxsmtp|cxcnct|cxmxrt|cxthrt|cxmj|ipbl|urlbl)[0-9]{0,5}\b/,
    reasons: {
      cxbl: 'blocklisted',
      cdrbl: 'blocklisted',
      cxdns: 'reverse_dns',
      cxsndr: 'authentication',
      cxsmtp: 'sender_refused',
      cxcnct: 'rate_limited',
      cxmxrt: 'rate_limited',
      cxthrt: 'policy',
      cxmj: 'policy',
      ipbl: 'blocklisted',
      urlbl: 'spam',
    },
  },
  {
    // IB103.
    provider: 'godaddy',
    source: 'godaddy.com, Fix rejected email with a bounce error',
    read: '2026-11',
    pattern: /\bib([1-7][0-9]{2}|007)[a-z]?\b/,
    reasons: {
      '007': 'rate_limited',
      '101': 'rate_limited',
      '103': 'reputation',
      '104': 'blocklisted',
      '105': 'blocklisted',
      '106': 'blocklisted',
      '108': 'reverse_dns',
      '110': 'blocklisted',
      '111': 'blocklisted',
      '112': 'blocklisted',
      '113': 'blocklisted',
      '212': 'spam',
      '401': 'relay_denied',
      '501': 'not_compliant',
      '502': 'not_compliant',
      '504': 'rate_limited',
      '506': 'sender_refused',
      '508': 'authentication',
      '510': 'rate_limited',
      '605': 'rate_limited',
      '607': 'rate_limited',
      '705': 'virus',
    },
  },
  {
    // [TSS04], [PH01].
    provider: 'yahoo',
    source: 'https://senders.yahooinc.com/smtp-error-codes/',
    read: '2026-11',
    pattern: /\[(tss|ipts|ts|ph|gl|bl)0?[0-9]{1,2}\]/,
    reasons: {
      ...{ tss: 'rate_limited', ts: 'rate_limited', ipts: 'rate_limited' },
      ...{ ph: 'spam', gl: 'greylisted', bl: 'blocklisted' },
    },
  },
  {
    // In the address of the page that it names: #BL000001.
    provider: 'comcast',
    source: 'http://postmaster.comcast.net/mail-error-codes.html',
    read: '2026-11',
    pattern: /\b(bl|es|rl|px|dm|rs|iv|rp|li|cd)[0-9]{6}\b/,
    reasons: {
      bl: 'blocklisted',
      es: 'blocklisted',
      rl: 'rate_limited',
      px: 'reverse_dns',
      dm: 'authentication',
      rs: 'sender_refused',
    },
  },
  {
    // "550 5.1.1 RCP-P2 … Refused due to recipient preferences": the account is there.
    provider: 'facebook',
    source: 'http://postmaster.facebook.com/response_codes',
    read: '2026-11',
    outweighsStatus: true,
    pattern: /\b(rcp-p2|int-p2|dns-[pt][1-3]|msg-p[1-3]|pol-[pt][1-7])\b/,
    reasons: {
      'rcp-p2': 'mailbox_refused',
      'int-p2': 'message_too_large',
      'msg-p1': 'message_too_large',
      'msg-p2': 'content_policy',
      'msg-p3': 'not_compliant',
      'dns-p1': 'sender_refused',
      'dns-p2': 'sender_refused',
      'dns-p3': 'reverse_dns',
      'dns-t1': 'sender_refused',
      'dns-t2': 'reverse_dns',
      'pol-p1': 'blocklisted',
      'pol-p2': 'blocklisted',
      'pol-p3': 'blocklisted',
      'pol-p4': 'blocklisted',
      'pol-t1': 'blocklisted',
      'pol-t2': 'blocklisted',
      'pol-t3': 'blocklisted',
      'pol-p7': 'authentication',
    },
  },
];

/**
 * The meaning of a provider's own code, or null. A closed mailbox may be opened again: that is not definite.
 */
export function providerFinding(plain: string, status: string | null, decided: boolean): Finding | null {
  const detail = status?.slice(status.indexOf('.') + 1) ?? '';
  const rule = STATUS_RULES.find((one) => one.status.test(detail) && one.words?.test(plain) !== false);
  if (rule !== undefined) {
    const { reason } = rule;
    if (status !== null && SUPPRESSING_CODES.has(status) && bounceTypeOf(reason) === 'hard')
      return { reason, basis: 'status', status, definite: true };
    return { reason, basis: 'text', definite: true };
  }
  for (const { pattern, reasons, outweighsStatus } of PROVIDER_CODES) {
    const captured = pattern.exec(plain)?.[1];
    const reason = captured === undefined ? undefined : reasons[captured];
    if (reason === undefined || (decided && outweighsStatus !== true)) continue;
    return { reason, basis: 'text', ...(reason === 'mailbox_disabled' ? {} : { definite: true }) };
  }
  return null;
}
