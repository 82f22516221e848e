import { didYouMean } from '../../platform/edit-distance.ts';
import type { Answers, Found, Question } from './question.ts';

/** The check of an answer beyond its form: a refusal, or a remark. */
export interface Looked {
  readonly problem?: string;
  /** The subject of the problem, if it is not the answer. */
  readonly about?: string;
  readonly notes?: readonly string[];
}

/** Somebody wants to answer the question before once more. */
export const BACK = Symbol('back');

export interface Dialogue {
  /** Earlier answers: the defaults. */
  readonly standing: Answers;
  /** Answers of the environment: they win, and are not asked for. */
  readonly fixed: Answers;
  readonly found: Found;
  /** The answer as written; undefined: none, and there is no default. */
  ask(question: Question, fallback: string | undefined): Promise<string | undefined | typeof BACK>;
  look(id: string, value: string, known: Answers): Promise<Looked>;
  /** Prints a fixed answer, a note or, before a question is repeated, a problem. */
  say(line: string): void;
  /** Asks again after a problem; otherwise all problems come at once, at the end. */
  readonly again: boolean;
  review(answers: Answers): Promise<string | null>;
}

/** Asks every question that applies; `problems` is empty, because it asks again instead. */
export async function runDialogue(
  questions: readonly Question[],
  dialogue: Dialogue,
): Promise<{ answers: Answers; problems: readonly string[] }> {
  const walk = new Walk(questions, dialogue);
  for (let change: string | null = null; ; ) {
    const { answers, problems } = await walk.over(change);
    if (problems.length === 0) change = await dialogue.review(answers);
    if (problems.length > 0 || change === null) return { answers, problems };
  }
}

class Walk {
  readonly #questions: readonly Question[];
  readonly #dialogue: Dialogue;
  /** The answer that Enter keeps when a question comes again. */
  readonly #given = new Map<string, string>();

  constructor(questions: readonly Question[], dialogue: Dialogue) {
    this.#questions = questions;
    this.#dialogue = dialogue;
  }

  /** `change`: only this question is put again, and others where its new answer makes them necessary. */
  async over(change: string | null): Promise<{ answers: Answers; problems: readonly string[] }> {
    const kept = new Set(change === null ? [] : this.#given.keys());
    if (change !== null) kept.delete(change);
    const known: Record<string, string> = {};
    const problems: string[] = [];
    const put: number[] = [];
    for (let at = 0; at < this.#questions.length; at++) {
      const question = this.#questions[at]!;
      delete known[question.id];
      if (question.asked?.(known) === false) continue;
      const answer = await this.#answer(question, known, kept.has(question.id));
      if (answer === BACK) {
        const before = put.pop();
        if (before === undefined) this.#dialogue.say('this is the first question');
        else kept.delete(this.#questions[before]!.id);
        at = (before ?? at) - 1;
        continue;
      }
      const { value, problem, wasPut } = answer;
      if (wasPut) put.push(at);
      if (problem !== undefined) problems.push(problem);
      // A refused answer still decides which questions follow.
      if (value === undefined) continue;
      known[question.id] = value;
      this.#given.set(question.id, value);
    }
    return { answers: known, problems };
  }

  async #answer(question: Question, known: Answers, isKept: boolean): Promise<Answered | typeof BACK> {
    const { standing, fixed, ...dialogue } = this.#dialogue;
    const given = this.#given.get(question.id);
    if (isKept) {
      const quiet = { ...dialogue, say: () => {}, again: false, ask: async () => given };
      const answer = await answerTo(question, known, { standing, fixed, ...quiet });
      if (answer !== BACK && answer.problem === undefined) return answer;
    }
    let wasPut = false;
    const answer = await answerTo(question, known, {
      ...this.#dialogue,
      standing: given === undefined ? standing : { ...standing, [question.id]: given },
      async ask(which, fallback) {
        wasPut = true;
        return dialogue.ask(which, fallback);
      },
    });
    return answer === BACK ? BACK : { ...answer, wasPut };
  }
}

interface Answered {
  readonly value?: string;
  readonly problem?: string;
  /** It was not fixed, and not kept. */
  readonly wasPut?: boolean;
}

async function answerTo(
  question: Question,
  known: Answers,
  { standing, fixed, found, ask, look, say, again }: Omit<Dialogue, 'review'>,
): Promise<Answered | typeof BACK> {
  const { id, read, variable } = question;
  for (;;) {
    const given = fixed[id];
    const fallback = standing[id] ?? question.default?.(known, found);
    const answer = given ?? (await ask(question, fallback));
    if (answer === BACK) return BACK;
    const text = answer?.trim();
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

/** A file of answers, and its faults besides their values; null: it cannot be read. Pure. */
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
