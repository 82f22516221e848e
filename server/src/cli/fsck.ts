import { type FsckProgress, type FsckResult, fsck } from '../sealing/fsck.ts';
import { type Command, defineCommand, EXIT } from './command.ts';
import { facts } from './output.ts';
import { withServices } from './services.ts';

/** A line on a terminal this often (ms), so that long work is seen to go on. */
const PROGRESS_EVERY_MS = 500;

const fsckCommand = defineCommand({
  name: 'fsck',
  summary: 'Recomputes all evidence from raw bytes and reports every lie',
  details:
    'Every leaf from its message, every tile and root from the leaves, every signature and constancia. May run beside a working service. Exit code 0: everything holds; 1: something does not.',
  examples: ['acuse fsck', 'DATABASE_URL=postgresql://acuse@db.example/acuse acuse fsck --json'],
  async run({ out, env }) {
    return withServices(env, 'fsck', async ({ db }) => {
      const onProgress = out.json ? undefined : createProgress(process.stderr);
      const result = await fsck({ db }, onProgress === undefined ? {} : { onProgress });
      out.answer(result, () => fsckText(result));
      return result.problemCount === 0 ? EXIT.ok : EXIT.failed;
    });
  },
});

export const fsckCommands: readonly Command[] = [fsckCommand];

/** One line that is written over, with count and rate; nothing where nobody looks. */
function createProgress(stream: NodeJS.WriteStream): ((progress: FsckProgress) => void) | undefined {
  if (!stream.isTTY) return undefined;
  const startedMs = performance.now();
  let lastMs = 0;
  return ({ phase, done, total }) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < PROGRESS_EVERY_MS && done < total) return;
    lastMs = nowMs;
    const unit = phase === 'log' ? 'leaves' : 'accounts';
    const rate = Math.round(done / ((nowMs - startedMs) / 1_000));
    stream.write(`\r\x1b[K${done} of ${total} ${unit}, ${rate}/s${done === total ? '\n' : ''}`);
  };
}

function fsckText(result: FsckResult): string {
  const lines = [facts(Object.entries(result.checked))];
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
  return lines.join('\n');
}
