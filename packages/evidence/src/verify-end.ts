/** Checks whether the log has ended, and that the bundle is within what it had published by then. */
import { equalBytes } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import { EvidenceError } from './errors.ts';
import { type LogEnd, openLogEnd } from './log-end.ts';
import { CLOCK_TOLERANCE_MS, DAY_MS, type Verifying } from './verify-context.ts';

/** Times RFC 3339, sizes in leaves; `log_successor`: the name of the succeeding log. */
export type LogEndFacts = {
  log_ended_at?: string;
  /** The tree that it still shows. */
  log_kept_size?: number;
  /** The most that it had published. */
  log_published_size?: number;
  log_successor?: string;
};

/**
 * Adds `log_end` if one of the given statements is about this log and signed by a trusted key of it; ignores
 * the others. `occurred`: of its outcomes. The facts stand only if the check passes.
 */
export function checkLogEnd(context: Verifying, origin: string, occurred: readonly string[]): LogEndFacts {
  const { list, policy, ends, shown, sha256 } = context;
  const keys = policy.logKeys.filter(({ name }) => name === origin);
  const own = ends.flatMap((note) => keys.flatMap((key) => opened(() => openLogEnd(note, key, sha256))));
  const [end] = own;
  if (end === undefined) return {};
  const held = list.run('log_end', () => {
    for (const each of own) {
      for (const checkpoint of shown) assertWithin(checkpoint, each);
      assertBefore(context, occurred, each);
    }
    return { value: end, detail: describeLogEnd(end) };
  });
  if (held === undefined) return {};
  return {
    log_ended_at: held.endedAt.toISOString(),
    log_kept_size: held.kept.size,
    log_published_size: held.published.size,
    log_successor: held.successor.name,
  };
}

/** Throws EvidenceError `log_end` for a checkpoint that the log cannot have published before its end. */
export function assertWithin({ size, rootHash }: Checkpoint, { kept, published, endedAt }: LogEnd): void {
  const most = Math.max(kept.size, published.size);
  if (size > most)
    throw new EvidenceError(
      'log_end',
      `is in a tree of ${size} leaves, and the log ended at ${endedAt.toISOString()} with ${most} published: what is signed beyond was never published`,
    );
  const same = [kept, published].filter((tree) => tree.size === size);
  if (same.length > 0 && !same.some((tree) => equalBytes(tree.rootHash, rootHash)))
    throw new EvidenceError('log_end', `is in another tree of ${size} leaves than the log had when it ended`);
}

/** Everything in a log came to it before it ended. Throws EvidenceError `log_end`. */
function assertBefore(
  { acceptedAt, now }: Verifying,
  occurred: readonly string[],
  { endedAt }: LogEnd,
): void {
  const ended = endedAt.getTime();
  if (ended > now.getTime() + DAY_MS)
    throw new EvidenceError(
      'log_end',
      `ended at ${endedAt.toISOString()}, and it is ${now.toISOString()} here`,
    );
  const times = [acceptedAt, ...occurred.map((text) => new Date(text))];
  const late = times.findIndex((time) => time.getTime() > ended + CLOCK_TOLERANCE_MS);
  if (late < 0) return;
  const what = late === 0 ? 'was accepted' : `has outcome ${late}`;
  throw new EvidenceError(
    'log_end',
    `${what} at ${times[late]!.toISOString()}, yet the log ended at ${endedAt.toISOString()}`,
  );
}

/** One line, in English. */
export function describeLogEnd({ origin, kept, published, endedAt, successor }: LogEnd): string {
  return `log ${origin} ended at ${endedAt.toISOString()} with ${kept.size} of the ${published.size} leaves that it had published; ${successor.name} goes on`;
}

function opened(open: () => LogEnd): LogEnd[] {
  try {
    return [open()];
  } catch (error) {
    if (error instanceof EvidenceError) return [];
    throw error;
  }
}
