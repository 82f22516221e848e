/** The verdict: what a verification means to its reader. */
import { type Check, wasSkipped } from './checks.ts';
import type { ContentState } from './openings.ts';
import type { DeliveryFinding } from './verify-delivery.ts';
import type { LineFacts } from './verify-line.ts';

/**
 * `verified`: complete and valid, under the reader's keys. `unproven`: consistent, but nobody trusted vouches
 * for it. `incomplete`: genuine, with parts missing. `rejected`: a check failed.
 */
export type Verdict = 'verified' | 'unproven' | 'incomplete' | 'rejected';

/** Why the verdict is not `verified`: a code, or the name of the check that failed, and a sentence. */
export type Reason = { name: string; detail: string };

export type Judged = { verdict: Verdict; reasons: Reason[] };

export type Judging = {
  checks: readonly Check[];
  facts: LineFacts & {
    trust?: 'pinned' | 'own' | 'bundle';
    content?: ContentState;
    delivery?: readonly Pick<DeliveryFinding, 'facts'>[];
  };
  /** A time-stamp in the bundle is by a development authority. */
  development: boolean;
  /** The reader knowingly accepts the file's keys. */
  acceptsBundleKeys: boolean;
};

/** The worst wins: rejected, unproven, incomplete. */
export function judge({ checks, facts, development, acceptsBundleKeys }: Judging): Judged {
  const failed = checks.filter((check) => !check.ok && !wasSkipped(check));
  if (checks.some(({ ok }) => !ok))
    return { verdict: 'rejected', reasons: failed.map(({ name, detail }) => ({ name, detail })) };
  const unproven = list([
    [
      facts.trust === 'bundle' && !acceptsBundleKeys,
      'bundle_keys',
      'the keys are those that the file itself names: whoever made it chose them',
    ],
    [
      development,
      'development',
      'a time-stamp in it is by a development authority, which proves nothing to anybody else',
    ],
  ]);
  const incomplete = list([
    [
      facts.outcomes_as_of === undefined,
      'outcomes_not_counted',
      'it does not show how many outcomes there were: an outcome may have been left out',
    ],
    [
      (facts.outcomes_withheld ?? 0) > 0,
      'outcomes_withheld',
      `it withholds ${facts.outcomes_withheld} of the outcomes that were counted`,
    ],
    [
      facts.history === 'not_shown',
      'history_not_shown',
      'it does not show that the trees of the log in it are one log',
    ],
    [isShownInPart(facts), 'content_disclosed', 'it shows a part of the content'],
    [facts.content === 'erased', 'content_erased', "the message's content was erased"],
  ]);
  const verdict = unproven.length > 0 ? 'unproven' : incomplete.length > 0 ? 'incomplete' : 'verified';
  return { verdict, reasons: [...unproven, ...incomplete] };
}

/** The bundle shows a part of the message, or all of it but does not open every outcome. */
function isShownInPart({ content, delivery = [] }: Judging['facts']): boolean {
  return content === 'disclosed' || (content === 'complete' && delivery.some(({ facts }) => facts === null));
}

function list(given: readonly (readonly [boolean, string, string])[]): Reason[] {
  return given.filter(([applies]) => applies).map(([, name, detail]) => ({ name, detail }));
}
