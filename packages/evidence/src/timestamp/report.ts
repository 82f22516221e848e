/** The checks of a verification: their names, and how they are collected. */
import { DerError } from './der.ts';
import type { TimeStampCheck } from './policy.ts';

export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Every check by name, in the order in which they are reported; checks that a failure makes impossible are
 * not reported.
 */
export const TIME_STAMP_CHECKS = [
  'trailing_bytes',
  'status',
  'encoding',
  'signed_data_version',
  'single_signer',
  'content_type',
  'content_type_attribute',
  'signature_algorithm',
  'message_digest',
  'signer_certificate',
  'signature',
  'ess_binding',
  'extended_key_usage',
  'key_usage',
  'tst_version',
  'hash_algorithm',
  'imprint',
  'nonce',
  'policy',
  'trust_anchors',
  'chain',
  'authorities',
  'critical_extensions',
  'validity',
  'validity_at',
] as const;

export type TimeStampCheckName = (typeof TIME_STAMP_CHECKS)[number];

/** Collects the checks of one verification. */
export class Report {
  readonly checks: TimeStampCheck[] = [];

  add(name: TimeStampCheckName, finding: Finding): boolean {
    this.checks.push({ name, ok: finding.ok, detail: finding.detail });
    return finding.ok;
  }

  /** Runs a check that reads further parts; where those are malformed, it is the check that fails. */
  async run(name: TimeStampCheckName, check: () => Finding | Promise<Finding>): Promise<boolean> {
    try {
      return this.add(name, await check());
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      return this.add(name, { ok: false, detail: error.detail });
    }
  }

  test(name: TimeStampCheckName, ok: boolean, good: string, bad: string): boolean {
    return this.add(name, { ok, detail: ok ? good : bad });
  }
}
