import type { Check } from '@acuse/evidence/checks';
import type { Reason, Verdict } from '@acuse/evidence/verdict';

/** The questions that the checks of a verification answer, in the order of a reader's interest. */
export const GROUPS = ['message', 'log', 'time', 'renewal', 'delivery', 'bundle'] as const;
export type GroupName = (typeof GROUPS)[number];

/** Groups by the first word of a check's name: `timestamp.chain`, `renewal.2.covers`. */
const GROUP_OF: Readonly<Record<string, GroupName>> = {
  manifest: 'message',
  openings: 'message',
  submission: 'message',
  message: 'message',
  message_relaxed: 'message',
  message_parts: 'message',
  checkpoint: 'log',
  inclusion: 'log',
  witness: 'log',
  stamped_checkpoint: 'log',
  log_end: 'log',
  history: 'log',
  order: 'log',
  stored_leaf: 'log',
  stored_root: 'log',
  timestamp: 'time',
  message_timestamp: 'time',
  times: 'time',
  revocation: 'time',
  renewal: 'renewal',
  delivery: 'delivery',
  outcomes: 'delivery',
};

export interface CheckGroup {
  readonly name: GroupName;
  /** Failures first. */
  readonly checks: readonly Check[];
  readonly failed: number;
}

/** The colour of a verdict: green, amber or red. */
export type Tone = 'ok' | 'unsure' | 'bad';

export function toneOf(verdict: Verdict): Tone {
  return verdict === 'verified' ? 'ok' : verdict === 'rejected' ? 'bad' : 'unsure';
}

/** The checks cover what is present. */
export type Completeness = 'whole' | 'not_shown' | 'part';

const NOT_SHOWN = ['outcomes_not_counted', 'history_not_shown'];
const IN_PART = ['outcomes_withheld', 'content_disclosed', 'content_erased'];

export function completenessOf(reasons: readonly Reason[]): Completeness {
  const has = (names: readonly string[]) => reasons.some(({ name }) => names.includes(name));
  return has(IN_PART) ? 'part' : has(NOT_SHOWN) ? 'not_shown' : 'whole';
}

/** Every check in its group; one that is not known is about the bundle. */
export function groupsOf(checks: readonly Check[]): CheckGroup[] {
  const found = new Map<GroupName, Check[]>();
  for (const check of checks) {
    const name = groupOf(check.name);
    found.set(name, [...(found.get(name) ?? []), check]);
  }
  return GROUPS.flatMap((name) => {
    const own = found.get(name);
    if (own === undefined) return [];
    const failed = own.filter(({ ok }) => !ok);
    return [{ name, checks: [...failed, ...own.filter(({ ok }) => ok)], failed: failed.length }];
  });
}

function groupOf(check: string): GroupName {
  const [first] = /^\w+/.exec(check) ?? [''];
  return GROUP_OF[first] ?? GROUP_OF[first.replace(/_chain$/, '')] ?? 'bundle';
}
