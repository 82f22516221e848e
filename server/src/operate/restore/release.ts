import { enqueue } from '../../delivery/claim/enqueue-store.ts';
import { holdQueue } from '../../delivery/operate/unknown.ts';
import { queueDue } from '../../messages/schedule.ts';
import type { Tx } from '../../platform/database/db.ts';
import { listFreshProcesses } from '../../platform/database/processes-store.ts';
import { every } from '../../platform/every.ts';
import { FRESH_MS } from '../../platform/processes.ts';
import { countKinds, type LookDeps, lookAtRestored, type RestoredFacts } from './look.ts';
import { type ReplayDeps, replay } from './missing.ts';
import { findSetBack } from './set-back.ts';
import { endRestore, lockState, stayAwake } from './state-store.ts';

/**
 * What a restored database forgot is made again, and what waited in it is held, before the service runs on it
 * (docs/decisions/0037). Each step may be done twice: a release that died is begun again from the start.
 */
export type ReleaseDeps = ReplayDeps & LookDeps;

/** What somebody has read and taken upon themselves. */
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
  /** Nothing says that this database was restored and not released. */
  | { readonly kind: 'nothing'; readonly releasedAt: Date | null }
  /** Another release is under way. */
  | { readonly kind: 'busy' }
  /** So many processes run on the database. */
  | { readonly kind: 'running'; readonly processes: number }
  /** Lines of the journal that a newer version has written. */
  | { readonly kind: 'newer'; readonly lines: readonly string[] }
  | { readonly kind: 'asked'; readonly questions: readonly Question[]; readonly facts: RestoredFacts }
  | {
      readonly kind: 'released';
      readonly held: number;
      readonly replayed: Record<string, number>;
      readonly facts: RestoredFacts;
    };

/** The server ends a transaction of which it hears nothing for 8 s (ms). */
const AWAKE_EVERY_MS = 2_000;

/** Throws JournalUnreachable. The log must have been held to its anchor before. */
export async function release(deps: ReleaseDeps, answers: Answers): Promise<Release> {
  await findSetBack(deps);
  // The row is held for as long as this takes, so that there is one at a time; a process that dies lets go.
  return deps.db.transact(async (tx) => {
    const state = await lockState(tx);
    if (state === null) return { kind: 'busy' };
    if (state.pending === null) return { kind: 'nothing', releasedAt: state.releasedAt };
    const processes = (await listFreshProcesses(tx, FRESH_MS)).length;
    if (processes > 0) return { kind: 'running', processes };
    return awake(tx, (stay) => releaseHeld(deps, tx, answers, stay));
  });
}

/** `stay` throws when the row is not held any more. */
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
  const facts = await lookAtRestored(deps);
  const { journal, missing } = facts;
  if (journal !== null && journal.newer.length > 0) return { kind: 'newer', lines: journal.newer };
  const questions = questionsOf(facts);
  if (questions.some(({ answer }) => !answers[answer])) return { kind: 'asked', questions, facts };
  // What is due on the schedule may have been sent too: it is put in line as always, and held with the rest.
  await queueDue({ ...deps, enqueue });
  const held = await holdQueue(deps, stay);
  for (const entry of missing) {
    await stay();
    await replay(deps, entry);
  }
  await stay();
  await endRestore(tx, journal?.mark?.mark ?? 0, deps.clock.now());
  return { kind: 'released', held, replayed: countKinds(missing), facts };
}

function questionsOf({ restoredTo, journal, scheduled }: RestoredFacts): Question[] {
  const from = restoredTo === null ? 'the restored point' : restoredTo.toISOString();
  const questions: Question[] = [
    {
      answer: 'idempotencyGap',
      text: `Messages that were accepted after ${from} are unknown, and so are their idempotency keys: a program that repeats such a request creates a duplicate, and a key that was created since is refused.`,
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
  return questions;
}
