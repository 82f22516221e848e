/** `@acuse/client/verify`: proof bundles, checked without a server and without the network. */
import { VerifyError } from '../errors.ts';
import { faultOfPolicy, verifyEvidence } from '../evidence.ts';

/** Believes the policy in the bundle itself: shows that a bundle is whole, but not who made it. */
export const TRUST_BUNDLE: unique symbol = Symbol('TRUST_BUNDLE');

export interface VerifyOptions {
  /**
   * Whom to trust: a policy of your own, as JSON or its text (keys of logs, time-stamping authorities and
   * witnesses), or TRUST_BUNDLE.
   */
  readonly policy: object | string | typeof TRUST_BUNDLE;
  /** When the newest time-stamp's certificates must still be valid. Default: their end is only reported. */
  readonly at?: Date | undefined;
  /** The reader's clock: what lies a day ahead of it is refused. Default: the system's. */
  readonly now?: Date | undefined;
  /** The message as received, compared with the sealed one. */
  readonly eml?: Uint8Array | undefined;
}

/** `ok` null: not checked. */
export interface BundleCheck {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
}

/** A code, such as `bundle_keys`, and a sentence. */
export interface BundleRemark {
  readonly name: string;
  readonly detail: string;
}

export interface BundleReport {
  /**
   * `verified`: all holds and is whole, under keys of yours. `unproven`: it holds together, and nobody whom
   * you trust vouches for it: the keys are the bundle's own (TRUST_BUNDLE), or its time-stamps prove nothing.
   * `incomplete`: genuine, and not the whole. `rejected`: a check failed.
   */
  readonly verdict: 'verified' | 'unproven' | 'incomplete' | 'rejected';
  /** Why it is not `verified`; of `rejected`, the checks that failed. */
  readonly reasons: readonly BundleRemark[];
  /** Oddities that break nothing. */
  readonly warnings: readonly BundleRemark[];
  /** True if every check holds, whoever vouches and whatever is left out. */
  readonly valid: boolean;
  readonly trust: 'pinned' | 'bundle';
  /** Time of the constancia; null where none holds. */
  readonly sealed_at: string | null;
  /** Stamped by a development authority: proves nothing to anybody else. */
  readonly development: boolean;
  readonly checks: readonly BundleCheck[];
  /** The content of the evidence, such as message_id and merkle_root, where the checks behind it hold. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Verdict on the received copy; null without `eml`. */
  readonly copy: 'same' | 'parts' | 'differs' | 'not_comparable' | null;
}

const SKIPPED = 'not checked because ';

/** Throws VerifyError for a file that is no bundle at all, and for options that cannot be used. */
export async function verifyBundle(bundle: Uint8Array, options: VerifyOptions): Promise<BundleReport> {
  if (!(bundle instanceof Uint8Array)) throw new VerifyError('The bundle must be passed as its bytes.');
  if (options?.policy === undefined || options.policy === null)
    throw new VerifyError(
      'A policy is required: pass your own, or TRUST_BUNDLE to believe that of the bundle.',
    );
  const pinned = options.policy === TRUST_BUNDLE ? undefined : readPolicy(options.policy as object | string);
  const { at, now = new Date(), eml } = options;
  for (const [name, time] of Object.entries({ at, now }))
    if (time !== undefined && Number.isNaN(time.getTime())) throw new VerifyError(`${name} is not a time.`);
  const found = await verifyEvidence(bundle, { policy: pinned, now, at, eml });
  if (!found.isBundle)
    throw new VerifyError('The file is not a proof bundle: it has no entry proof.tlog-proof.');
  const { valid, verdict, reasons, warnings, checks, facts, eml: copy } = found;
  return {
    verdict,
    reasons,
    warnings,
    valid,
    trust: pinned === undefined ? 'bundle' : 'pinned',
    sealed_at: typeof facts['sealed_at'] === 'string' ? facts['sealed_at'] : null,
    development: facts['profile'] === 'development',
    checks: checks.map((check) => ({ ...check, ok: check.detail.startsWith(SKIPPED) ? null : check.ok })),
    facts,
    copy: (copy?.verdict as BundleReport['copy']) ?? null,
  };
}

function readPolicy(policy: object | string): unknown {
  let value: unknown = policy;
  try {
    if (typeof policy === 'string') value = JSON.parse(policy);
  } catch (cause) {
    throw new VerifyError('The policy is not JSON: pass its text, not its path.', {}, { cause });
  }
  const fault = faultOfPolicy(value);
  if (fault !== undefined) throw new VerifyError(`The policy cannot be used: ${fault}.`);
  return value;
}
