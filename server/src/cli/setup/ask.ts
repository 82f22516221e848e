import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { lineForTerminal } from '../../platform/terminal.ts';
import { CommandError, EXIT } from '../command.ts';
import { wrapped, writeLines } from '../output.ts';
import type { Answers, Question } from './question.ts';

/** The source of answers: a person at a terminal, or a file. */
export interface Asker {
  readonly again: boolean;
  /** Faults of a file of answers besides its values. */
  readonly misread: readonly string[];
  ask(question: Question, fallback: string | undefined): Promise<string | undefined>;
  /** Before anything is changed. */
  confirm(text: string): Promise<boolean>;
  close(): void;
}

export const STOPPED = 'stopped before anything was changed';

/** Ctrl-C and the end of the input stop it. */
export function askPerson(input: Readable, output: Writable & { readonly columns?: number }): Asker {
  const lines = createInterface({ input, output, terminal: true });
  const stopped = new AbortController();
  lines.on('SIGINT', () => stopped.abort());
  lines.on('close', () => stopped.abort());
  async function prompt(text: string): Promise<string> {
    try {
      return await lines.question(lineForTerminal(text), { signal: stopped.signal });
    } catch (cause) {
      writeLines(output, '');
      throw new CommandError(EXIT.failed, 'stopped', STOPPED, { cause });
    }
  }
  return {
    again: true,
    misread: [],
    async ask({ text, why, secret }, fallback) {
      const { columns } = output;
      writeLines(output, ['', ...wrapped(text, columns), ...wrapped(`  ${why}`, columns)]);
      const shown = fallback !== undefined && secret && fallback.includes('://') ? 'as it stands' : fallback;
      const answer = (await prompt(shown === undefined ? '  > ' : `  [${shown}] > `)).trim();
      return answer === '' ? fallback : answer;
    },
    async confirm(text) {
      const answer = (await prompt(`${text} [yes] > `)).trim().toLowerCase();
      return ['', 'y', 'yes'].includes(answer);
    },
    close: () => lines.close(),
  };
}

export function askFile(answers: Answers, misread: readonly string[]): Asker {
  return {
    again: false,
    misread,
    ask: async ({ id }, fallback) => answers[id] ?? fallback,
    confirm: async () => true,
    close() {},
  };
}
