import { writeBundle } from '@acuse/evidence/bundle';
import { readArchivedBundle } from '../evidence/archive/archive-bundle.ts';
import { createArchivedContentsInOrder } from '../evidence/archive/archived-contents.ts';
import { type ArchiveMade, createArchive } from '../evidence/archive/create.ts';
import { type ArchiveDropped, dropArchived } from '../evidence/archive/drop.ts';
import { openArchivePlace } from '../evidence/archive/open-archive.ts';
import { type ArchiveRenewed, renewArchive } from '../evidence/archive/renew-archive.ts';
import { createLogs, openLog } from '../evidence/log/log-key.ts';
import { openWitnesses } from '../evidence/log/witnesses.ts';
import { createAuthorities, type VerifiedStamp } from '../evidence/stamp/authorities.ts';
import { addCosts } from '../evidence/stamp/cost-store.ts';
import { monthOfStamp } from '../evidence/stamp/costs.ts';
import { isId } from '../platform/ids.ts';
import { createLog } from '../platform/logger.ts';
import { archiveAt, forEachArchive, type Outcome, reachingArchive, SELECTION } from './archive-runs.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { refuseExisting, writeOutput } from './files.ts';
import type { Output } from './output.ts';
import { openSealers } from './sealing.ts';
import { EXAMPLE_ID, wholeNumber } from './shared-options.ts';

const DAY_MS = 86_400_000;
const PROGRESS_MESSAGES = 1_000;
const PROGRESS_PARTS = 50;

const create = defineCommand({
  name: 'archive create',
  summary: 'Writes closed months of certified mail to ACUSE_ARCHIVE, one archive for an account and month',
  details:
    'An archive has everything that proves its messages: acuse verify --archive checks it without the database. A month is closed an hour after it is over, once each of its certified messages has ended and is sealed; the others are named and left for the next run. An archive that is there gets what has changed since, such as a late bounce or an erasure, and nothing else is written; an interrupted run goes on where it stopped. Nothing in the database changes. Exit code 0: done; 1: a month is not closed, or a message does not verify; 3: the archive cannot be reached.',
  options: { ...SELECTION, 'dry-run': { type: 'boolean', doc: 'only say what would be written' } },
  examples: [
    'ACUSE_ARCHIVE=/mnt/archive acuse archive create --dry-run',
    'ACUSE_ARCHIVE=/mnt/archive acuse archive create --month 2025-03 --json',
  ],
  async run({ options, out, env }) {
    const dryRun = options['dry-run'];
    const outcomes = await forEachArchive<ArchiveMade>(env, 'archive create', options, async (services) => {
      const { config, db, clock, secrets } = services;
      const log = await openLog({ db, secrets, clock }, config.logOrigin, config.delivery === 'sandbox');
      const witnesses = openWitnesses(config.witnessesFile, [log.key]);
      const archived = createArchivedContentsInOrder({ db, open: (at) => openArchivePlace(config, at) });
      const deps = { db, clock, log, logOf: createLogs({ db, secrets, clock }), witnesses, archived };
      return (place, order) => {
        const say = sparingly(out, PROGRESS_MESSAGES);
        const onProgress = (done: number) => say(done, `${order.tenantId} ${order.month}: ${done} messages`);
        return createArchive(deps, place, order, { dryRun, onProgress });
      };
    });
    // A month without certified mail has no archive.
    const told = outcomes.filter(({ result }) => result === null || result.messages > 0);
    return answer(out, told, 'no month to archive', (made) => [
      `${made.messages} messages in ${made.parts} parts of ${made.bytes} bytes: ${made.kept} kept, ${made.written} ${dryRun ? 'to be written' : 'written'}`,
      ...(made.neverSealed === 0
        ? []
        : [`  ${made.neverSealed} messages are not in it: the log that they were accepted for ended`]),
    ]);
  },
});

const renew = defineCommand({
  name: 'archive renew',
  summary: 'Renews the constancias of archives in ACUSE_ARCHIVE whose certificates end soon',
  details:
    'From the archives alone: of the database, it needs the accounts and the state of the authorities. One time-stamp renews up to 512 checkpoints of an archive; earlier ones stay in it. Each archive is read whole. Exit code 0: everything due was renewed; 1: something was not, and the output says why; 3: the archive cannot be reached.',
  options: {
    ...SELECTION,
    within: {
      type: 'string',
      value: '<days>',
      doc: 'renew what ends within this many days (default: ACUSE_RENEW_BEFORE)',
    },
  },
  examples: [
    'ACUSE_ARCHIVE=/mnt/archive acuse archive renew',
    'ACUSE_ARCHIVE=/mnt/archive acuse archive renew --month 2025-03 --within 365 --json',
  ],
  async run({ options, out, env }) {
    const outcomes = await forEachArchive<ArchiveRenewed>(env, 'archive renew', options, async (services) => {
      const { config, db, clock } = services;
      const sealers = await openSealers(services, env);
      const authorities = createAuthorities({ db, clock, log: createLog('silent'), sealers });
      const renewBeforeMs =
        options.within === undefined ? config.renewBeforeMs : wholeNumber('within', options.within) * DAY_MS;
      return (place, order) => {
        const say = sparingly(out, PROGRESS_PARTS);
        const charge = (stamp: VerifiedStamp, items: number) => {
          const { authority, priceMicros: costMicros } = stamp;
          const of = { tenantId: order.tenantId, month: monthOfStamp(stamp), kind: 'renewal' as const };
          return db.transact((tx) => addCosts(tx, [{ ...of, authority, items, costMicros }]));
        };
        const onProgress = (done: number, all: number) =>
          say(done, `${order.tenantId} ${order.month}: ${done} of ${all} parts read`);
        const deps = { clock, authorities, renewBeforeMs, charge, onProgress };
        return renewArchive(deps, place, order, new AbortController().signal);
      };
    });
    const told = outcomes.filter(({ result }) => result === null || result.checkpoints > 0);
    const code = answer(out, told, 'no archive', ({ checkpoints, renewed, stamps, reasons }) => [
      `${checkpoints} checkpoints: renewed ${renewed} by ${stamps} time-stamps`,
      ...reasons.map((reason) => `  ✗ ${reason}`),
    ]);
    return told.some(({ result }) => (result?.reasons.length ?? 0) > 0) ? EXIT.failed : code;
  },
});

const bundle = defineCommand({
  name: 'archive bundle',
  summary: 'Puts together the proof bundle of one message from an archive',
  details:
    'Without the database. The bundle is the one that the service would have handed out when the message was archived, with the renewals of the archive, but without report.pdf.',
  args: [
    { name: 'archive', doc: 'folder or s3:// of one archive, as acuse archive create names it' },
    { name: 'message', doc: 'id of the message' },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: '<file>',
      doc: 'file to write (default: acuse-<message>.zip here); an existing file is not overwritten',
    },
  },
  examples: [`acuse archive bundle /mnt/archive/${EXAMPLE_ID}/2025-03 ${EXAMPLE_ID} -o message.zip`],
  async run({ options, args, out, env }) {
    const [given, id] = args as [string, string];
    if (!isId(id)) throw usage(`"${id}" is not the id of a message`);
    const file = options.output ?? `acuse-${id}.zip`;
    refuseExisting(file);
    const place = archiveAt(env, given);
    const found = await reachingArchive(() => readArchivedBundle(place, id));
    if (found === 'no_archive')
      throw new CommandError(EXIT.usage, 'not_an_archive', `${given} has no archive.json`);
    if (found === 'no_message')
      throw new CommandError(EXIT.failed, 'not_found', `${given} has no message ${id}`);
    writeOutput(file, writeBundle(found));
    out.answer({ file }, () => `wrote ${file}`);
  },
});

const drop = defineCommand({
  name: 'archive drop',
  summary: 'Deletes contents from the database that the archive in ACUSE_ARCHIVE has',
  details:
    'Of a month that ended 30 days ago and more, and whose archive is complete. Each part is read back and every bundle in it verified first; a content is deleted only if it is byte for byte the one that was read. Everything else of the messages stays in the database. From then on the service reads these contents from the archive: it needs to reach it, and whoever loses the archive loses them. An interrupted run goes on where it stopped. Run again with another ACUSE_ARCHIVE, it verifies the archive there and has the service read from it. Exit code 0: done; 1: a month could not be dropped, and the output says why; 3: the archive cannot be reached.',
  options: { ...SELECTION, 'dry-run': { type: 'boolean', doc: 'only say what would be deleted' } },
  examples: [
    'ACUSE_ARCHIVE=/mnt/archive acuse archive drop --dry-run',
    'ACUSE_ARCHIVE=/mnt/archive acuse archive drop --month 2025-03 --json',
  ],
  async run({ options, out, env }) {
    const dryRun = options['dry-run'];
    const outcomes = await forEachArchive<ArchiveDropped>(env, 'archive drop', options, async (services) => {
      const { config, db, clock } = services;
      return (place, order) => {
        const say = sparingly(out, PROGRESS_PARTS);
        const onProgress = (done: number, all: number) =>
          say(done, `${order.tenantId} ${order.month}: ${done} of ${all} parts`);
        return dropArchived({ db, clock }, place, order, { dryRun, root: config.archive!, onProgress });
      };
    });
    const told = outcomes.filter(({ result }) => result === null || result.messages > 0);
    return answer(out, told, 'no month to drop', ({ messages, dropped, bytes, movedFrom }) => [
      `${messages} messages: the contents of ${dropped}, ${bytes} bytes, ${dryRun ? 'would be deleted' : 'were deleted'} from the database`,
      ...(movedFrom === null || dryRun ? [] : [`  read from here from now on, not from ${movedFrom}`]),
    ]);
  },
});

export const archiveCommands: readonly Command[] = [create, drop, renew, bundle];

/** One line for each `step` of what is counted. */
function sparingly(out: Output, step: number): (done: number, line: string) => void {
  let next = step;
  return (done, line) => {
    if (done < next) return;
    next = done + step;
    out.progress(line);
  };
}

function answer<T extends object>(
  out: Output,
  outcomes: readonly Outcome<T>[],
  none: string,
  linesOf: (result: T) => readonly string[],
) {
  const archives = outcomes.map(({ tenantId, month, place, result, reason }) => ({
    ...{ tenant_id: tenantId, month, archive: place, reason },
    ...(result === null ? {} : snakeCased(result)),
  }));
  out.answer({ archives }, () =>
    outcomes.length === 0
      ? none
      : outcomes.flatMap(({ place, result, reason }) =>
          result === null ? [place, `  ✗ ${reason}`] : [place, ...linesOf(result).map((line) => `  ${line}`)],
        ),
  );
  return outcomes.some(({ result }) => result === null) ? EXIT.failed : EXIT.ok;
}

const snakeCased = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      each,
    ]),
  );
