import { sends } from './a-sends.mjs';
import { lost } from './b-lost-answers.mjs';
import { answers, foreign, olderServer } from './c-answers.mjs';
import { endlessAnswers, network } from './d-network.mjs';
import { many, refusedBatch } from './e-many.mjs';
import { rotated, webhooks } from './f-webhooks.mjs';
import { evidence, singleBits } from './g-evidence.mjs';
import { everySecondLost, manners, noLeak } from './h-manners.mjs';

/** By their letter; the last are no scenarios of the design but measured like them. */
const LETTERS = {
  A: sends,
  B: lost,
  C: answers,
  D: network,
  E: many,
  F: webhooks,
  G: evidence,
  H: manners,
  I: [singleBits, everySecondLost, noLeak, rotated, olderServer, endlessAnswers, foreign, refusedBatch],
};

/** All of them, `{number, letter, title, run(t)}`. */
export const scenarios = Object.entries(LETTERS).flatMap(([letter, list]) =>
  list.map((scenario) => ({ letter, ...scenario })),
);
