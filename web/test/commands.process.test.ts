import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { builtCommand } from '@acuse/testkit/built-command';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../admin/src/shell/commands.ts';
import { CALLS } from './support/console-calls.ts';

/**
 * The output of a shown line when a shell runs it where the service is misconfigured: that, once the command
 * line itself is right, and no command goes further.
 */
async function said(line: string): Promise<string> {
  const script = `acuse() { "$NODE" "$ACUSE" "$@"; }\n${line}`;
  const env = {
    ...{
      PATH: process.env['PATH'] ?? '',
      NODE: process.execPath,
      ACUSE: builtCommand(),
      EMAIL: 'ana@example.com',
    },
    ACUSE_PORT: 'none',
  };
  return promisify(execFile)('sh', ['-c', script], { env }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

describe('the commands that the console shows', () => {
  const shown = CALLS.flatMap((each) => commandsOf(each).map((line) => ({ line })));

  test('the command line takes each of them, as a shell hands it on', async () => {
    const answers: string[] = [];
    const waiting = [...shown];
    const runSome = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        answers.push(`${next.line}: ${await said(next.line)}`);
    };
    await Promise.all([runSome(), runSome(), runSome()]);
    expect(answers).toHaveLength(shown.length);
    expect(answers.filter((answer) => !answer.includes('ACUSE_PORT'))).toEqual([]);
    expect(await said('acuse queue lits')).toContain('unknown command');
    expect(await said('acuse queue list --bye=age')).toContain('unknown option');
  });
});
