import { ConfigError } from '../config/config.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';
import { readInput } from './files.ts';
import type { Output } from './output.ts';
import { type Asker, askFile, askPerson } from './setup/ask.ts';
import { readAnswers } from './setup/dialogue.ts';
import { QUESTIONS } from './setup/questions.ts';

const ANSWERS_MAX_BYTES = 65_536;

const setup = defineCommand({
  name: 'setup',
  summary: 'Asks what real delivery needs, writes the settings, and ends with a sealed test message',
  details:
    'Nothing is changed before the last question is answered and you have seen all answers; back goes to the question before. The settings go to acuse.env in the data folder (ACUSE_DATA_DIR), which every command reads; a variable of the environment wins over it. Run again, it shows what stands and keeps it. Stop the service first: setup runs it until the test message is verified. Exit code 1: something is still missing, such as a DNS record.',
  options: {
    answers: {
      type: 'string',
      value: '<file>',
      doc: 'answers as a JSON object by the id of the question; those that are missing are the defaults',
    },
    questions: { type: 'boolean', doc: 'list the questions with their ids, and do nothing' },
  },
  examples: ['acuse setup', 'acuse setup --questions', 'acuse setup --answers answers.json'],
  async run({ options, out, env }) {
    if (options.questions) return listQuestions(out);
    const asker = openAsker(options.answers);
    // The whole service comes with it.
    const { askAll, install } = await import('./setup/perform.ts');
    const answered = await askAll(asker, env, out).finally(asker.close);
    return install(answered, out);
  },
});

export const setupCommands: readonly Command[] = [setup];

function listQuestions(out: Output): ExitCode {
  const shown = QUESTIONS.map(({ id, text, why, variable }) => ({
    id,
    text,
    why,
    variable: variable ?? null,
  }));
  out.answer({ questions: shown }, () =>
    shown.map(({ id, text, why, variable }) => [
      `${id}${variable === null ? '' : ` (${variable})`}`,
      `    ${text}`,
      `    ${why}`,
    ]),
  );
  return EXIT.ok;
}

function openAsker(file: string | undefined): Asker {
  if (file === undefined) {
    if (process.stdin.isTTY && process.stdout.isTTY)
      return askPerson(QUESTIONS, process.stdin, process.stdout);
    throw new CommandError(
      EXIT.usage,
      'no_terminal',
      'setup asks at a terminal: run it there, or give it the answers in a file (--answers; acuse setup --questions lists them)',
    );
  }
  const text = new TextDecoder().decode(readInput(file, ANSWERS_MAX_BYTES));
  const { answers, problems } = readAnswers(text, QUESTIONS);
  if (answers === null) throw new ConfigError(problems, `${file} cannot be used`);
  return askFile(answers, problems);
}
