import { enqueue } from '../../delivery/claim/enqueue-store.ts';
import { holdQueue } from '../../delivery/operate/unknown-outcomes.ts';
import { queueDue } from '../../messages/schedule.ts';
import type { Tx } from '../../platform/database/db.ts';
import { listFreshProcesses } from '../../platform/database/processes-store.ts';
import { every } from '../../platform/every.ts';
import type { Gap } from '../../platform/journal/gaps.ts';
import { FRESH_MS } from '../../platform/processes.ts';
import { compareRestored, countKinds, type LookDeps, type RestoredFacts } from './compare-outside.ts';
import { type LostKeys, refuseLostKeys } from './lost-keys.ts';
import { type ReplayDeps, replay } from './replay-journal.ts';
import { findSetBack } from './set-back.ts';
import { endRestore, lockState, stayAwake } from './state-store.ts';

/**
 * Redoes what a restore forgot and holds the queue, before the service runs (docs/decisions/0037). Steps are
 * idempotent: a crashed release starts again.
 */
type ReleaseDeps = ReplayDeps & LookDeps;

/** Risks that the operator accepts. */
export interface Answers {
  readonly idempotencyGap: boolean;
  readonly scheduled: boolean;
  readonly withoutJournal: boolean;
  readonly unreadable: boolean;
}

export interface Question {
  readonly answer: keyof Answers;
  readonly text: string;
}

export type Release =
  | { readonly kind: 'nothing'; readonly releasedAt: Date | null }
  | { readonly kind: 'busy' }
  | { readonly kind: 'running'; readonly processes: number }
  | { readonly kind: 'newer'; readonly lines: readonly string[] }
  | { readonly kind: 'asked'; readonly questions: readonly Question[]; readonly facts: RestoredFacts }
  | {
      readonly kind: 'released';
      readonly held: number;
      readonly replayed: Record<string, number>;
      readonly facts: RestoredFacts;
    };

/** The server ends idle transactions after 8 s (ms). */
const AWAKE_EVERY_MS = 2_000;

/** Throws JournalUnreachable. Compare the log with its anchor first. */
export async function release(deps: ReleaseDeps, answers: Answers): Promise<Release> {
  await findSetBack(deps);
  // The row lock serialises releases and ends with the process.
  return deps.db.transact(async (tx) => {
    const state = await lockState(tx);
    if (state === null) return { kind: 'busy' };
    if (state.pending === null) return { kind: 'nothing', releasedAt: state.releasedAt };
    const processes = (await listFreshProcesses(tx, FRESH_MS)).length;
    if (processes > 0) return { kind: 'running', processes };
    return awake(tx, (stay) => releaseHeld(deps, tx, answers, stay));
  });
}

/** `stay` throws once the lock is lost. */
async function awake<T>(tx: Tx, work: (stay: () => Promise<void>) => Promise<T>): Promise<T> {
  let lost: unknown = null;
  const pings = every(AWAKE_EVERY_MS, () => stayAwake(tx), {
    onError(error) {
      lost = error;
    },
  });
  pings.start();
  try {
    return await work(async () => {
      if (lost !== null) throw lost;
    });
  } finally {
    await pings.stop();
  }
}

async function releaseHeld(
  deps: ReleaseDeps,
  tx: Tx,
  answers: Answers,
  stay: () => Promise<void>,
): Promise<Release> {
  const facts = await compareRestored(deps);
  const { journal, missing } = facts;
  if (journal !== null && journal.newer.length > 0) return { kind: 'newer', lines: journal.newer };
  const questions = questionsOf(facts);
  if (questions.some(({ answer }) => !answers[answer])) return { kind: 'asked', questions, facts };
  // Due scheduled messages may have been sent, too: queued, then held.
  await queueDue({ ...deps, enqueue });
  const held = await holdQueue(deps, stay);
  for (const entry of missing) {
    await stay();
    await replay(deps, entry);
  }
  if (journal !== null) await refuseLostKeys(deps.db, journal.place, journal.keys, stay);
  await stay();
  await endRestore(tx, journal?.mark?.mark ?? 0, deps.clock.now());
  return { kind: 'released', held, replayed: countKinds(missing), facts };
}

function sayKeys(lost: LostKeys | null): string {
  if (lost === null || (lost.keys === 0 && lost.unreadable === 0))
    return 'Their idempotency keys are unknown: a program that repeats such a request creates a duplicate.';
  const damaged =
    lost.unreadable === 0
      ? ''
      : ` ${lost.unreadable} lines of keys cannot be read: those requests create a duplicate.`;
  return `The journal has the idempotency keys of ${lost.keys}: a program that repeats such a request is told accepted_before, and nothing is sent twice or again.${damaged}`;
}

function sayGaps(gaps: readonly Gap[], of: Gap['of']): string[] {
  return gaps
    .filter((gap) => gap.of === of)
    .map(({ lost, from, until }) => `${lost} of ${from.toISOString()} to ${until.toISOString()}`);
}

function questionsOf({ restoredTo, journal, scheduled }: RestoredFacts): Question[] {
  const from = restoredTo === null ? 'the restored point' : restoredTo.toISOString();
  const lostKeys = sayGaps(journal?.gaps ?? [], 'keys');
  const lostNotes = sayGaps(journal?.gaps ?? [], 'notes');
  const questions: Question[] = [
    {
      answer: 'idempotencyGap',
      text: `Messages that were accepted after ${from} are lost. ${sayKeys(journal?.lost ?? null)}${lostKeys.length === 0 ? '' : ` The journal lacks more keys, because its folder was away: ${lostKeys.join('; ')}. Those requests create a duplicate.`} A key of the API that was created since is refused.`,
    },
  ];
  if (scheduled > 0)
    questions.push({
      answer: 'scheduled',
      text: `${scheduled} messages are scheduled. Those that are due are held; the others are sent at their time, even if somebody cancelled them, or sent them early, after ${from}.`,
    });
  const isEmpty = journal !== null && journal.entries.length === 0 && journal.mark === null;
  if (journal === null || isEmpty)
    questions.push({
      answer: 'withoutJournal',
      text: `${isEmpty ? `The journal at ${journal.place} has nothing of this installation` : 'No journal is configured (ACUSE_JOURNAL)'}: keys that were revoked, accounts that were suspended, addresses that were suppressed and messages that were erased after ${from} are as they were before, until you do it again.`,
    });
  if (journal !== null && journal.unreadable.length > 0)
    questions.push({
      answer: 'unreadable',
      text: `${journal.unreadable.length} lines of the journal cannot be read, and what they say is not done: ${journal.unreadable.slice(0, 5).join('; ')}`,
    });
  if (lostNotes.length > 0)
    questions.push({
      answer: 'unreadable',
      text: `The journal lacks suppressions by bounces and complaints, because its folder was away: ${lostNotes.join('; ')}. Those addresses get mail again until they bounce again.`,
    });
  return questions;
}
