import type { Reason } from './reasons.ts';

/** A code of a provider's own in the text, which says more than the words around it. */
export interface ProviderCode {
  readonly pattern: RegExp;
  /** By what the pattern captures. */
  readonly reasons: Readonly<Record<string, Reason>>;
}

/** As these providers' postmaster pages explain them. Matched against plain text (text.ts). */
export const PROVIDER_CODES: readonly ProviderCode[] = [
  {
    // Orange, La Poste, SFR and others of their filter: OFR_417, LPN006_107.
    pattern: /\b(?:ofr|lpn|sfr|smt|gu[_ ]eib)[0-9]{0,3}_([0-9]{2,3})\b/,
    reasons: {
      '02': 'blocklisted',
      '04': 'blocklisted',
      '102': 'blocklisted',
      '103': 'blocklisted',
      '104': 'rate_limited',
      '305': 'policy',
      '401': 'authentication',
      '403': 'sender_refused',
      '405': 'sender_refused',
      '415': 'sender_refused',
      '416': 'mailbox_unknown',
      '417': 'mailbox_full',
      '418': 'mailbox_unknown',
      '420': 'mailbox_disabled',
      '421': 'sender_refused',
      '506': 'spam',
      '510': 'blocklisted',
      '513': 'message_too_large',
      '514': 'message_too_large',
    },
  },
  {
    // Tencent and NetEase: `DT:SPM`, `MI:SPB`. help.mail.163.com, codes of returned mail
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
    // Microsoft's consumer service: (S3140), OU-001, SC-001.
    pattern: /\b(s3140|s3150|s3115|ou-00[0-9]|sc-00[0-9]|dy-00[0-9]|rp-00[0-9]|cs01|hm08)\b/,
    reasons: {
      s3140: 'blocklisted',
      s3150: 'blocklisted',
      s3115: 'rate_limited',
      'ou-001': 'blocklisted',
      'ou-002': 'blocklisted',
      'sc-001': 'spam',
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
    // Spectrum: AUP#In-1000, AUP#O-1580. spectrumbusiness.net "Understanding email error codes"
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
    // Cox: AUP#CXSNDR, IPBL0001, URLBL011. cox.com "Email error codes"
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
    // GoDaddy: IB103. godaddy.com "Fix rejected email with a bounce error"
    pattern: /\bib([1-7][0-9]{2}|007)\b/,
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
    // Yahoo: [TSS04], [PH01].
    pattern: /\[(tss|ts|ph|gl|bl)0?[0-9]{1,2}\]/,
    reasons: { tss: 'rate_limited', ts: 'rate_limited', ph: 'spam', gl: 'greylisted', bl: 'blocklisted' },
  },
];

/** The reason that a provider's own code gives, or null. */
export function providerReason(plain: string): Reason | null {
  for (const { pattern, reasons } of PROVIDER_CODES) {
    const captured = pattern.exec(plain)?.[1];
    const reason = captured === undefined ? undefined : reasons[captured];
    if (reason !== undefined) return reason;
  }
  return null;
}
