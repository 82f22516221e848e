import { sends } from './a-sends.mjs';
import { lost } from './b-lost-answers.mjs';
import { answers } from './c-answers.mjs';

/** All of them, `{number, letter, title, run(t)}`. */
export const scenarios = Object.entries({ A: sends, B: lost, C: answers }).flatMap(([letter, list]) =>
  list.map((scenario) => ({ letter, ...scenario })),
);
