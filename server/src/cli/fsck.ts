import { availableParallelism } from 'node:os';
import { openArchivePlace } from '../evidence/archive/open-archive.ts';
import { type FsckProgress, fsck } from '../evidence/fsck/fsck.ts';
import { createPageThreads } from '../evidence/fsck/fsck-pages.ts';
import type { FsckResult } from '../evidence/fsck/fsck-report.ts';
import {
  type FsckState,
  loadFsckState,
  removeFsckState,
  saveFsckState,
} from '../evidence/fsck/fsck-state.ts';
import { openAnchor } from '../evidence/log/open-outside.ts';
import { reachingArchive } from './archive-runs.ts';
import { type Command, defineCommand, EXIT, usage } from './command.ts';
import { createStatusLine, facts, type Lines } from './output.ts';
import { withServices } from './services.ts';

const PROGRESS_EVERY_MS = 500;

/** How often progress is saved (ms). */
const STATE_EVERY_MS = 2_000;
/** One per processor, at least two: each waits for PostgreSQL. */
export const DEFAULT_PARALLEL = Math.max(2, Math.min(8, availableParallelism()));
const MAX_PARALLEL = 32;

const fsckCommand = defineCommand({
  name: 'fsck',
  summary: 'Recomputes all evidence from raw bytes and reports every inconsistency',
  details:
    'Every leaf from its message, every tile and root from the leaves, every signature and constancia; and the log against its anchor (ACUSE_LOG_ANCHOR). Can run while the service works. With --state, an interrupted check continues where it stopped and includes what has been added since; it does not check again what it had checked. Exit code 0: everything holds; 1: something does not; 3: an archive cannot be reached.',
  options: {
    state: {
      type: 'string',
      value: '<file>',
      doc: 'file that keeps the progress, to continue from; removed when everything is checked',
    },
    archives: {
      type: 'boolean',
      doc: 'also read the contents that only archives have, and compare them with their messages; each archive is read whole',
    },
    parallel: {
      type: 'string',
      value: '<number>',
      doc: 'threads that check, each over its own connection (default: one per processor, 2 to 8)',
    },
  },
  examples: [
    'acuse fsck',
    'acuse fsck --state fsck.json --parallel 8',
    'acuse fsck --archives',
    'DATABASE_URL=postgresql://acuse@db.example/acuse acuse fsck --json',
  ],
  async run({ options, out, env }) {
    const parallel = readParallel(options.parallel);
    const { state } = options;
    const resume = state === undefined ? null : readState(state);
    return withServices(
      env,
      'fsck',
      async ({ db, config, databaseUrl: connectionString }) => {
        const anchor = openAnchor(config);
        const onProgress = out.json ? undefined : createProgress(process.stderr);
        const pages = createPageThreads({ connectionString, threads: parallel, env });
        const archives = (place: string) => openArchivePlace(config, place);
        const check = () =>
          fsck(
            { db, pages, anchor, ...(options.archives && { archives }) },
            {
              parallel,
              resume,
              ...(onProgress && { onProgress }),
              ...(state !== undefined && { onState: createKeeper(state) }),
            },
          );
        const result = await reachingArchive(check).finally(pages.stop);
        if (state !== undefined) removeFsckState(state);
        out.answer(result, () => fsckText(result));
        return result.problemCount === 0 ? EXIT.ok : EXIT.failed;
      },
      // Accounts are checked in this thread.
      parallel,
    );
  },
});

export const fsckCommands: readonly Command[] = [fsckCommand];

function readParallel(given: string | undefined): number {
  const parallel = Number(given ?? DEFAULT_PARALLEL);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MAX_PARALLEL)
    throw usage(`--parallel takes a number from 1 to ${MAX_PARALLEL}`);
  return parallel;
}

function readState(path: string): FsckState | null {
  try {
    return loadFsckState(path);
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function createKeeper(path: string): (state: () => FsckState) => void {
  let keptMs = performance.now();
  return (state) => {
    if (performance.now() - keptMs < STATE_EVERY_MS) return;
    saveFsckState(path, state());
    keptMs = performance.now();
  };
}

function createProgress(stream: NodeJS.WriteStream): ((progress: FsckProgress) => void) | undefined {
  const show = createStatusLine(stream);
  if (show === undefined) return undefined;
  let phase: FsckProgress['phase'] | undefined;
  let started = { ms: 0, done: 0 };
  let lastMs = 0;
  return (progress) => {
    const { done, total } = progress;
    const nowMs = performance.now();
    if (progress.phase !== phase) {
      // Earlier runs do not count for the rate.
      started = { ms: nowMs, done };
      phase = progress.phase;
    }
    if (nowMs - lastMs < PROGRESS_EVERY_MS && done < total) return;
    lastMs = nowMs;
    const unit = { log: 'leaves', tenants: 'accounts', archives: 'archived months' }[progress.phase];
    const seconds = (nowMs - started.ms) / 1_000;
    const rate =
      done > started.done && seconds > 0 ? `, ${Math.round((done - started.done) / seconds)}/s` : '';
    show(`${done} of ${total} ${unit}${rate}`, done === total);
  };
}

export function fsckText(result: FsckResult): Lines {
  const lines: Lines[] = [facts(Object.entries(result.checked))];
  for (const authority of result.authorities) {
    const kind = authority.development ? 'development: not a NOM-151 constancia' : authority.profile;
    lines.push(
      `sealed by ${authority.name} (${kind}), ${authority.certificates} constancias, roots ${authority.rootsSha256.join(', ')}`,
    );
  }
  for (const problem of result.problems)
    lines.push(`✗ ${problem.check}  ${problem.subject}: ${problem.detail}`);
  const unlisted = result.problemCount - result.problems.length;
  if (unlisted > 0) lines.push(`… and ${unlisted} more`);
  lines.push('', result.problemCount === 0 ? 'clean' : `${result.problemCount} PROBLEMS`);
  return lines;
}
