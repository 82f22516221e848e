import { listArchivedMonths } from '../evidence/archive/archived-store.ts';
import { fsck } from '../evidence/fsck/fsck.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { countLostLeaves } from '../evidence/log/log-store.ts';
import { openAnchor } from '../evidence/log/open-outside.ts';
import { compareRestored, type LookDeps, type RestoredFacts } from '../operate/restore/compare-outside.ts';
import { markRestored } from '../operate/restore/set-back.ts';
import { type Command, defineCommand, EXIT, type ExitCode } from './command.ts';
import { exitOf, type Held, holdLogs, presentHeld } from './log.ts';
import { catchUpCommands } from './restore-catch-up.ts';
import { askWitnesses, holdBundle, holdFile } from './restore-outside.ts';
import { factLines, presentFacts, releaseCommands } from './restore-release.ts';
import { type CommandServices, withServices } from './services.ts';

const check = defineCommand({
  name: 'restore check',
  summary: 'Checks a restored database before the service runs on it',
  details:
    'Recomputes all evidence as fsck does, and compares the log with every checkpoint of it that is known outside: that of the anchor (ACUSE_LOG_ANCHOR), each that is given as a file, such as one that a monitor or a partner has kept, those of proof bundles that others have, with their leaves, and what its witnesses know. Says which entries of the journal (ACUSE_JOURNAL) the database lacks. Exit code 0: the database is up to date with all of them; 1: something in it does not hold, or contradicts one; 3: a witness could not be asked; 4: it holds, and is older: restore to a later point.',
  options: {
    checkpoint: {
      type: 'string',
      multiple: true,
      value: '<file>',
      doc: 'a checkpoint that was seen outside, as the log serves it at /log/checkpoint; repeatable',
    },
    bundle: {
      type: 'string',
      multiple: true,
      value: '<file>',
      doc: 'a proof bundle (ZIP or JSON) that somebody has kept; repeatable',
    },
    witnesses: { type: 'boolean', doc: 'ask each witness (ACUSE_WITNESSES) which size it knows' },
  },
  examples: [
    'ACUSE_LOG_ANCHOR=/mnt/anchor acuse restore check',
    'acuse restore check --checkpoint seen-by-our-monitor.txt --json',
    'acuse restore check --bundle proof.zip --witnesses',
  ],
  async run({ options, out, env }) {
    return withServices(env, 'restore check', async (services) => {
      const { config, db } = services;
      const told: Told[] = [];
      const anchor = openAnchor(config);
      if (anchor !== null) told.push(...from(anchor.place, await holdLogs(services, anchor)));
      for (const file of options.checkpoint ?? []) told.push(...from(file, [await holdFile(services, file)]));
      for (const file of options.bundle ?? []) told.push(...from(file, await holdBundle(services, file)));
      // Signed by the log: recorded, even if the log catches up.
      for (const { origin, from: place, standing } of told)
        if (standing.kind === 'behind')
          await markRestored(services, describeStanding(origin, place, standing));
      const unasked = options.witnesses ? await addWitnesses(services, told) : [];
      const looking: LookDeps = { ...services, journalFolder: config.journal };
      const facts = await compareRestored(looking);
      out.progress('recomputing all evidence');
      const result = await fsck({ db });
      const lost = await countLostLeaves(db);
      const places = new Set((await listArchivedMonths(db, MONTHS_LOOKED_AT)).map(({ place }) => place));
      const against = told.map(({ from: place, ...held }) => ({ from: place, ...presentHeld(held) }));
      out.answer({ ...result, against, unasked, restored: presentFacts(facts), lost_leaves: lost }, () => [
        ...told.map(
          ({ origin, from: place, standing }) =>
            `${continuesAnchor(standing) ? '✓' : '✗'} ${describeStanding(origin, place, standing)}`,
        ),
        ...unasked.map(({ from: place, reason }) => `✗ the witness ${place} could not be asked: ${reason}`),
        ...(told.length === 0 ? [NOTHING_OUTSIDE] : []),
        ...factLines(facts),
        ...(lost === 0 ? [] : [lostLine(lost)]),
        ...(result.checked.archived === 0 ? [] : [archivedLine(result.checked.archived, places)]),
        result.problemCount === 0
          ? '✓ all evidence in the database holds'
          : `✗ ${result.problemCount} problems in the database: acuse fsck names them`,
      ]);
      if (result.problemCount > 0) return EXIT.failed;
      return codeOf(told, unasked.length, facts);
    });
  },
});

const lostLine = (lost: number) =>
  `${lost} leaves of the log are known by their hash alone: their messages were lost (acuse restore catch-up).`;

/** Archived months read, of all accounts; places are few. */
const MONTHS_LOOKED_AT = 10_000;

const archivedLine = (archived: number, places: ReadonlySet<string>) =>
  `The contents of ${archived} messages are in archives alone, which were not read: ${[...places].join(', ')}`;

type Told = Held & { readonly from: string };
const from = (place: string, held: readonly Held[]): Told[] => held.map((each) => ({ ...each, from: place }));

const NOTHING_OUTSIDE =
  'Nothing was compared with what is known outside: set ACUSE_LOG_ANCHOR, or give --checkpoint, --bundle or --witnesses. A database that is older than what was published looks whole by itself.';

async function addWitnesses(services: CommandServices, told: Told[]) {
  const unasked: { from: string; reason: string }[] = [];
  for (const { from: place, held, reason } of await askWitnesses(services)) {
    if (held === null) unasked.push({ from: place, reason: reason ?? '' });
    else told.push({ ...held, from: place });
  }
  return unasked;
}

/** A missing journal entry also means an older database. */
function codeOf(
  told: readonly Told[],
  unasked: number,
  { journal, missing, state }: RestoredFacts,
): ExitCode {
  const worst = exitOf(told.map(({ standing }) => standing));
  if (worst !== EXIT.ok) return worst;
  if (missing.length > 0 || (journal?.mark?.mark ?? 0) > state.mark) return EXIT.differs;
  return unasked > 0 ? EXIT.unavailable : EXIT.ok;
}

export const restoreCommands: readonly Command[] = [check, ...catchUpCommands, ...releaseCommands];
