import { type ArchiveReport, verifyArchive } from '@acuse/evidence/archive-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import { VERDICT_TITLES } from '@acuse/evidence/verdict-words';
import type { VerifyOptions } from '@acuse/evidence/verify';
import type { Environment } from '../config/config.ts';
import { reader } from '../evidence/archive/archive-bundle.ts';
import { archiveAt, reachingArchive } from './archive-runs.ts';
import { CommandError, EXIT, type ExitCode } from './command.ts';
import type { Lines, Output } from './output.ts';

const PROGRESS_PARTS = 50;

export async function verifyArchiveAt(
  given: string,
  options: VerifyOptions,
  { out, env }: { readonly out: Output; readonly env: Environment },
): Promise<ExitCode> {
  const place = archiveAt(env, given);
  const onProgress = (done: number, all: number) => {
    if (done % PROGRESS_PARTS === 0) out.progress(`${done} of ${all} parts`);
  };
  const report = await reachingArchive(() =>
    read(given, verifyArchive(reader(place), { ...options, onProgress })),
  );
  out.answer(report, () => archiveText(given, report));
  if (report.verdict === 'rejected') return EXIT.failed;
  return report.verdict === 'verified' ? EXIT.ok : EXIT.unproven;
}

async function read(given: string, verifying: Promise<ArchiveReport | undefined>): Promise<ArchiveReport> {
  const refuse = (why: string, cause?: unknown) =>
    new CommandError(EXIT.usage, 'not_an_archive', `${given} is not an archive: ${why}`, { cause });
  try {
    const report = await verifying;
    if (report === undefined) throw refuse('it has no archive.json');
    return report;
  } catch (error) {
    if (error instanceof EvidenceError) throw refuse(`archive.json ${error.detail}`, error);
    throw error;
  }
}

function archiveText(given: string, report: ArchiveReport): Lines {
  const { verdicts, sequence, problem_count: count, problems } = report;
  const some = Object.entries(verdicts).filter(([, number]) => number > 0);
  return [
    VERDICT_TITLES.en[report.verdict],
    '',
    `${given}: account ${report.tenant_id}, ${report.month}, ${report.messages} messages in ${report.parts} parts`,
    ...some.map(([verdict, number]) => `${number} ${verdict}`),
    ...Object.entries(report.reasons).map(([reason, number]) => `  ${reason}: ${number}`),
    ...(report.complete_at === null ? ['acuse archive create has not finished it yet'] : []),
    ...(sequence === null
      ? []
      : [
          `numbers ${sequence.first} to ${sequence.last} of the account's certified messages, ${sequence.absent} of them not in this archive`,
        ]),
    ...(report.covered_until === null
      ? []
      : [`the first chain of certificates ends at ${report.covered_until}`]),
    ...problems.map(({ subject, check, detail }) => `✗ ${subject}  ${check}: ${detail}`),
    ...(count > problems.length ? [`… and ${count - problems.length} more`] : []),
  ];
}
