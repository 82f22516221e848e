import { setTimeout as sleep } from 'node:timers/promises';
import { askPath, openAnswer } from '@acuse/evidence/ask';
import { type Bundle, requireEntry } from '@acuse/evidence/bundle';
import type { AskedNote } from '@acuse/evidence/compare-read';
import { EvidenceError } from '@acuse/evidence/errors';
import { parseCanonical } from '@acuse/evidence/jcs';
import { readTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import type { Verification } from '@acuse/evidence/verify';
import { secondSignatures } from '@acuse/evidence/verify-mldsa44';
import { sha256 } from '../platform/sha256.ts';
import { CommandError, EXIT } from './command.ts';

/** `shown`: the file's outcomes, withheld ones included. */
export interface Answered extends AskedNote {
  readonly count: number;
  readonly asOf: Date;
  readonly shown: number;
}

export const missingOf = ({ count, shown }: Answered): number => Math.max(0, count - shown);

/**
 * `pinned`: the reader's policy. The answer is signed by the log or its successor. Throws CommandError
 * `log_unavailable`, `not_answered`.
 */
export async function askAgain(
  url: string,
  bundle: Bundle,
  { facts }: Pick<Verification, 'facts'>,
  pinned: TrustPolicy | undefined,
): Promise<Answered> {
  const manifest = requireEntry(bundle, 'manifest.json', 'manifest');
  const policy = pinned ?? policyOf(bundle);
  const log = facts.log!;
  const keys = policy.logKeys.filter(({ name }) => name === log);
  // Its HTTP client takes longer to load than a file takes to verify.
  const { createLogClient, LogUnavailable } = await import('../evidence/monitor/log-client.ts');
  const client = createLogClient({ url, sleep, signal: new AbortController().signal });
  try {
    const [note, end] = await Promise.all([client.ask(askPath(manifest, sha256)), client.end(log)]);
    if (note === null) throw refused(`${url} knows no such message in a published checkpoint`);
    const second = await secondSignatures(policy);
    const { count, asOf } = openAnswer(note, { log, manifest, keys, second }, end, sha256);
    const shown = (facts.delivery?.length ?? 0) + (facts.outcomes_withheld ?? 0);
    return { file: url, note, count, asOf: new Date(asOf * 1000), shown };
  } catch (cause) {
    if (cause instanceof LogUnavailable)
      throw new CommandError(EXIT.unavailable, 'log_unavailable', cause.message, { cause });
    if (cause instanceof EvidenceError) throw refused(`the answer of ${url} says nothing: ${cause.detail}`);
    throw cause;
  }
}

function policyOf(bundle: Bundle): TrustPolicy {
  return readTrustPolicy(parseCanonical(requireEntry(bundle, 'policy.json', 'policy'), 'policy'), sha256);
}

function refused(message: string): CommandError {
  return new CommandError(EXIT.failed, 'not_answered', message);
}

export function askedText(answered: Answered): string {
  const { count, asOf } = answered;
  const more = missingOf(answered);
  const counted = `Asked again: on ${asOf.toISOString()} the operator signed ${count === 1 ? '1 outcome' : `${count} outcomes`}`;
  if (more > 0) return `${counted}; ${more === 1 ? 'one is' : `${more} are`} not in this file.`;
  return `${counted}; this file has them all.`;
}

export function presentAnswer(answered: Answered): object {
  const { count, asOf, note } = answered;
  return {
    outcomes: count,
    as_of: asOf.toISOString(),
    missing: missingOf(answered),
    note: Buffer.from(note).toString('utf8'),
  };
}
