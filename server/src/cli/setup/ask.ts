import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { lineForTerminal } from '../../platform/terminal.ts';
import { CommandError, EXIT } from '../command.ts';
import { facts, wrapped, writeLines } from '../output.ts';
import { BACK, type Dialogue } from './dialogue.ts';
import type { Answers, Question } from './question.ts';

/** The source of answers: a person at a terminal, or a file. */
export interface Asker {
  readonly again: boolean;
  /** Faults of a file of answers besides its values. */
  readonly misread: readonly string[];
  readonly ask: Dialogue['ask'];
  /** Before anything is changed. `path`: where the answers are written. */
  review(answers: Answers, path: string): Promise<string | null>;
  close(): void;
}

const stopping = (cause?: unknown) =>
  new CommandError(EXIT.failed, 'stopped', 'stopped before anything was changed', { cause });

/** Ctrl-C and the end of the input stop it. */
export function askPerson(
  questions: readonly Question[],
  input: Readable,
  output: Writable & { readonly columns?: number },
): Asker {
  const lines = createInterface({ input, output, terminal: true });
  const stopped = new AbortController();
  lines.on('SIGINT', () => stopped.abort());
  lines.on('close', () => stopped.abort());
  async function prompt(text: string): Promise<string> {
    try {
      return await lines.question(lineForTerminal(text), { signal: stopped.signal });
    } catch (cause) {
      writeLines(output, '');
      throw stopping(cause);
    }
  }
  const isSecret = (value: string, secret: boolean | undefined) => secret === true && value.includes('://');
  return {
    again: true,
    misread: [],
    async ask({ text, why, secret }, fallback) {
      const { columns } = output;
      writeLines(output, ['', ...wrapped(text, columns), ...wrapped(`  ${why}`, columns)]);
      const shown = fallback !== undefined && isSecret(fallback, secret) ? 'as it stands' : fallback;
      const answer = (await prompt(shown === undefined ? '  > ' : `  [${shown}] > `)).trim();
      if (answer.toLowerCase() === 'back') return BACK;
      return answer === '' ? fallback : answer;
    },
    async review(answers, path) {
      const rows = questions
        .filter(({ id }) => answers[id] !== undefined)
        .map(({ id, secret }): [string, string] => [
          id,
          isSecret(answers[id]!, secret) ? 'as you wrote it' : answers[id]!,
        ]);
      writeLines(output, ['', 'Your answers:', '']);
      writeLines(output, facts(rows.map(([id, value]) => [`  ${id}`, value])));
      const { columns } = output;
      writeLines(output, ['']);
      writeLines(output, wrapped(`They go to ${path}. To change one, type its name.`, columns));
      for (;;) {
        const answer = (await prompt('  Write them, and go on? [yes] > ')).trim().toLowerCase();
        if (['', 'y', 'yes'].includes(answer)) return null;
        if (['n', 'no'].includes(answer)) throw stopping();
        if (rows.some(([id]) => id === answer)) return answer;
        writeLines(output, '  Type yes, no, or a name in the first column.');
      }
    },
    close: () => lines.close(),
  };
}

export function askFile(answers: Answers, misread: readonly string[]): Asker {
  return {
    again: false,
    misread,
    ask: async ({ id }, fallback) => answers[id] ?? fallback,
    review: async () => null,
    close() {},
  };
}
