import { resetEpoch } from '../evidence/log/anchor/database-epoch.ts';
import { readEpoch } from '../evidence/log/anchor/epoch-store.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { openAnchor } from '../evidence/log/open-outside.ts';
import { countKinds, type RestoredFacts } from '../operate/restore/compare-outside.ts';
import type { Answers, Release } from '../operate/restore/release.ts';
import { release } from '../operate/restore/release.ts';
import { markRestored } from '../operate/restore/set-back.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';
import { exitOf, type Held, holdLogs } from './log.ts';
import type { Output } from './output.ts';
import { type CommandServices, withServices } from './services.ts';
import { oneLine, REASON_MAX_CHARS } from './shared-options.ts';

const begin = defineCommand({
  name: 'restore begin',
  summary: 'Marks this database as restored, so that no service runs on it before a release',
  details:
    'With ACUSE_LOG_ANCHOR or ACUSE_JOURNAL the service finds that out by itself. Without them, or when you restored to a point that lost nothing of either, say it before you start the service.',
  options: {
    reason: { type: 'string', value: '<text>', doc: 'what was restored, for the record', required: true },
  },
  examples: ['acuse restore begin --reason "disk lost, restored to 02:00"'],
  async run({ options, out, env }) {
    const reason = oneLine('reason', options.reason, REASON_MAX_CHARS);
    await withServices(env, 'restore begin', (services) =>
      markRestored(services, `the database was restored: ${reason}`),
    );
    out.answer(
      { pending: true, reason },
      () => 'no service runs on this database until acuse restore release',
    );
  },
});

const OPTIONS = {
  idempotencyGap: 'accept-idempotency-gap',
  scheduled: 'accept-scheduled',
  withoutJournal: 'without-journal',
  unreadable: 'skip-unreadable',
} as const satisfies Readonly<Record<keyof Answers, string>>;

const releaseCommand = defineCommand({
  name: 'restore release',
  summary: 'Redoes what a restored database forgot, holds its queue, and lets the service run on it',
  details:
    'Revokes, suspends, suppresses and erases again what the journal (ACUSE_JOURNAL) says happened after the restored point. Every message that waits is taken out of the queue, because it may have been sent since: acuse queue unknown lists them, acuse queue resolve decides about them. Where something cannot be repaired it asks, and each question has an option that answers it. All processes of the service must be stopped, or in recovery. It is safe to run twice, or again after it was killed. Exit code 0: released, or nothing to release; 1: a question has no answer, or the log contradicts what was published; 4: the log is older than what was published.',
  options: {
    'accept-idempotency-gap': {
      type: 'boolean',
      doc: 'messages accepted since are lost; without a journal, repeated requests may create duplicates',
    },
    'accept-scheduled': { type: 'boolean', doc: 'what is scheduled for later is sent at its time' },
    'without-journal': { type: 'boolean', doc: 'what was revoked and erased since is done again by hand' },
    'skip-unreadable': { type: 'boolean', doc: 'lines of the journal that cannot be read are left out' },
  },
  examples: ['acuse restore release', 'acuse restore release --accept-idempotency-gap --without-journal'],
  async run({ options, out, env }) {
    const answers: Answers = {
      idempotencyGap: options[OPTIONS.idempotencyGap] === true,
      scheduled: options[OPTIONS.scheduled] === true,
      withoutJournal: options[OPTIONS.withoutJournal] === true,
      unreadable: options[OPTIONS.unreadable] === true,
    };
    return withServices(
      env,
      'restore release',
      async (services) => {
        const behind = await refuseBehind(services, out);
        if (behind !== null) return behind;
        const { config } = services;
        const deps = {
          ...services,
          journalFolder: config.journal,
          hostname: config.hostname,
          certifiedYears: config.certifiedRetentionYears,
        };
        const done = await release(deps, answers);
        if (done.kind === 'released') await beginEpoch(services);
        return present(done, out);
      },
      CONNECTIONS,
    );
  },
});

/** One for the release lock. */
const CONNECTIONS = 4;

async function refuseBehind(services: CommandServices, out: Output): Promise<ExitCode | null> {
  const anchor = openAnchor(services.config);
  if (anchor === null) return null;
  const wrong = (await holdLogs(services, anchor)).filter(({ standing }) => !continuesAnchor(standing));
  if (wrong.length === 0) return null;
  const say = ({ origin, standing }: Held) => describeStanding(origin, anchor.place, standing);
  for (const held of wrong) if (held.standing.kind === 'behind') await markRestored(services, say(held));
  out.answer({ released: false, reason: 'behind', logs: wrong.map(say) }, () => [
    ...wrong.map((held) => `✗ ${say(held)}`),
    'The log must be what was published before anything is released: nothing was changed.',
  ]);
  return exitOf(wrong.map(({ standing }) => standing));
}

/** A restored timeline may be lower. */
async function beginEpoch({ config, db }: CommandServices): Promise<void> {
  const anchor = openAnchor(config);
  const epoch = anchor === null ? null : await readEpoch(db);
  if (epoch !== null) await resetEpoch(anchor!, epoch);
}

function present(done: Release, out: Output): ExitCode {
  switch (done.kind) {
    case 'busy':
      throw new CommandError(
        EXIT.failed,
        'conflict',
        'another acuse restore release is at work on this database',
      );
    case 'running':
      throw new CommandError(
        EXIT.failed,
        'conflict',
        `${done.processes} processes of the service run on this database, or ended less than 30 s ago: stop them first`,
      );
    case 'newer':
      throw new CommandError(
        EXIT.failed,
        'newer_version',
        `a newer version of Acuse wrote to the journal (${done.lines.slice(0, 5).join(', ')}): release with that version`,
      );
    case 'nothing': {
      const when = done.releasedAt?.toISOString() ?? null;
      out.answer({ released: true, held: 0, replayed: {}, released_at: when }, () => [
        when === null
          ? 'this database is not marked as restored: if it was restored, run acuse restore begin first'
          : `nothing to release: it was released at ${when}`,
      ]);
      return EXIT.ok;
    }
    case 'asked': {
      const questions = done.questions.map(({ answer, text }) => ({ option: `--${OPTIONS[answer]}`, text }));
      out.answer({ released: false, reason: 'asked', questions, ...presentFacts(done.facts) }, () => [
        ...factLines(done.facts),
        '',
        ...questions.flatMap(({ option, text }) => [`? ${text}`, `  answer: ${option}`]),
        '',
        'Nothing was changed. Run it again with the option of each question.',
      ]);
      return EXIT.failed;
    }
    case 'released':
      out.answer(
        { released: true, held: done.held, replayed: done.replayed, ...presentFacts(done.facts) },
        () => [
          ...factLines(done.facts),
          ...Object.entries(done.replayed).map(([kind, count]) => `✓ redone: ${count} ${WORDS[kind]}`),
          `✓ ${done.held} messages held: acuse queue unknown lists them`,
          'Released: start the service. Processes in recovery end by themselves, to be started again.',
        ],
      );
      return EXIT.ok;
  }
}

export function presentFacts({ state, restoredTo, journal, missing, scheduled }: RestoredFacts) {
  return {
    pending: state.pending && { since: state.pending.since.toISOString(), reason: state.pending.reason },
    restored_to: restoredTo?.toISOString() ?? null,
    scheduled,
    missing: countKinds(missing),
    journal: journal && {
      place: journal.place,
      entries: journal.entries.length,
      accepted_lost: journal.lost.keys,
      last_used_at: journal.mark?.at.toISOString() ?? null,
      torn: journal.torn,
      unreadable: journal.unreadable,
      newer: journal.newer,
      foreign: journal.foreign,
    },
  };
}

const WORDS: Readonly<Record<string, string>> = {
  key_revoked: 'API keys revoked',
  account_status: 'accounts suspended, closed or opened again',
  suppressed: 'addresses suppressed',
  unsuppressed: 'addresses no longer suppressed',
  erased: 'messages erased',
  member: 'members removed or given another role',
  operator: 'operators removed or given another role',
};

export function factLines({ state, restoredTo, journal, missing }: RestoredFacts): string[] {
  const lines = [
    restoredTo === null
      ? 'The database has accepted nothing yet.'
      : `The database knows what happened until ${restoredTo.toISOString()}.`,
  ];
  if (state.pending !== null) lines.push(`It is to be released: ${state.pending.reason}`);
  if (journal === null) return [...lines, 'No journal is configured (ACUSE_JOURNAL).'];
  const used = journal.mark === null ? 'never marked' : `last marked at ${journal.mark.at.toISOString()}`;
  lines.push(`The journal at ${journal.place} has ${journal.entries.length} entries, and was ${used}.`);
  for (const [kind, count] of Object.entries(countKinds(missing)))
    lines.push(`✗ missing here: ${count} ${WORDS[kind]}`);
  if (journal.lost.keys > 0)
    lines.push(`✗ lost here: ${journal.lost.keys} accepted requests, which will be refused when repeated`);
  if (journal.torn.length > 0) lines.push(`ignored, cut off by a crash: ${journal.torn.join(', ')}`);
  if (journal.foreign > 0) lines.push(`${journal.foreign} entries are of other installations`);
  for (const line of [...journal.unreadable, ...journal.newer]) lines.push(`✗ not read: ${line}`);
  return lines;
}

export const releaseCommands: readonly Command[] = [begin, releaseCommand];
