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
    pattern: /\b(?:ofr|lpn|sfr|smt|gu_eib)[0-9]{0,3}_([0-9]{2,3})\b/,
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
    // Tencent and NetEase: `DT:SPM`, `MI:SPB`.
    pattern: /\b(?:dt|mi|rp|ip|hl):([a-z]{3})\b/,
    reasons: {
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
