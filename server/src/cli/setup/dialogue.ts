import { didYouMean } from '../../platform/edit-distance.ts';
import type { Answers, Found, Question } from './question.ts';

/** The check of an answer beyond its form: a refusal, or a remark. */
export interface Looked {
  readonly problem?: string;
  /** The subject of the problem, if it is not the answer. */
  readonly about?: string;
  readonly notes?: readonly string[];
}

export interface Dialogue {
  /** Earlier answers: the defaults. */
  readonly standing: Answers;
  /** Answers of the environment: they win, and are not asked for. */
  readonly fixed: Answers;
  readonly found: Found;
  /** The answer as written; undefined: none, and there is no default. */
  ask(question: Question, fallback: string | undefined): Promise<string | undefined>;
  look(id: string, value: string, known: Answers): Promise<Looked>;
  /** A fixed answer, a note or, where it is asked again, a problem. */
  say(line: string): void;
  /** Asks again after a problem; otherwise all problems come at once, at the end. */
  readonly again: boolean;
}

/** Asks every question that applies; `problems` are empty where it asks again. */
export async function runDialogue(
  questions: readonly Question[],
  dialogue: Dialogue,
): Promise<{ answers: Answers; problems: readonly string[] }> {
  const known: Record<string, string> = {};
  const problems: string[] = [];
  for (const question of questions) {
    if (question.asked?.(known) === false) continue;
    const { value, problem } = await answerTo(question, known, dialogue);
    if (problem !== undefined) problems.push(problem);
    // A refused answer still decides which questions follow.
    if (value !== undefined) known[question.id] = value;
  }
  return { answers: known, problems };
}

async function answerTo(
  question: Question,
  known: Answers,
  { standing, fixed, found, ask, look, say, again }: Dialogue,
): Promise<{ value?: string; problem?: string }> {
  const { id, read, variable } = question;
  for (;;) {
    const given = fixed[id];
    const fallback = standing[id] ?? question.default?.(known, found);
    const text = (given ?? (await ask(question, fallback)))?.trim();
    if (given !== undefined) say(`${id}: ${variable} is set in the environment, which stays as it is`);
    let problem: string | undefined;
    let about = given === undefined ? id : variable;
    let value: string | undefined = text;
    if (text === undefined || text === '') problem = 'an answer is needed, there is no default';
    else {
      const reading = read(text, known);
      if ('problem' in reading) problem = reading.problem;
      else {
        value = reading.value;
        const looked = await look(id, value, known);
        for (const note of looked.notes ?? []) say(note);
        problem = looked.problem;
        about = looked.about ?? about;
      }
    }
    if (problem === undefined) return { value: value! };
    if (!again || given !== undefined)
      return {
        ...(value !== undefined && { value }),
        problem: `${about}: ${problem}`,
      };
    say(problem);
  }
}

/** A file of answers, and what is wrong beyond their values; null: none can be read. Pure. */
export function readAnswers(
  text: string,
  questions: readonly Question[],
): { answers: Answers | null; problems: readonly string[] } {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { answers: null, problems: [`not JSON: ${(error as Error).message}`] };
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return { answers: null, problems: ['expected one JSON object: an answer for each question, by its id'] };
  const ids = questions.map(({ id }) => id);
  const problems: string[] = [];
  const answers: Record<string, string> = {};
  for (const [id, value] of Object.entries(document)) {
    if (!ids.includes(id)) {
      const meant = didYouMean(id, ids);
      problems.push(
        `${id}: no such question${meant === undefined ? '; acuse setup --questions lists them' : `: did you mean ${meant}?`}`,
      );
    } else if (!['string', 'number', 'boolean'].includes(typeof value))
      problems.push(`${id}: expected a text`);
    else answers[id] = value === true ? 'yes' : String(value);
  }
  return { answers, problems };
}
