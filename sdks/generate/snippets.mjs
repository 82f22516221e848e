// Each operation as a call in the client libraries, with the values of the contract's examples: for /docs.
import { readFileSync } from 'node:fs';
import { callOf, LANGUAGES, setupOf, snippetOf } from './snippets/index.mjs';
import { tableOf } from './snippets/table.mjs';

const { languages: PACKAGES } = JSON.parse(readFileSync(new URL('../names.json', import.meta.url), 'utf8'));

/** The first request of /docs, which works in a new installation. */
const FIRST = {
  from: 'Billing <billing@sandbox.test>',
  to: 'delivered@sandbox.test',
  subject: 'Invoice 1',
  text: 'Hello.',
};
const FIRST_KEY = 'first-1';

/**
 * @typedef {Record<string, string>} ByLanguage
 * @param {import('./model.mjs').Model} model
 * @returns {{names: ByLanguage, install: ByLanguage, setup: ByLanguage, first: ByLanguage,
 *   calls: Record<string, ByLanguage>}}
 *   calls: by operationId; variants are left out
 */
export function snippetsOf(model) {
  const table = tableOf(model);
  const first = callOf({ method: 'POST', path: '/v1/messages', body: FIRST, key: FIRST_KEY }, table);
  return {
    names: Object.fromEntries(LANGUAGES.map(({ id, name }) => [id, name])),
    install: Object.fromEntries(LANGUAGES.map(({ id }) => [id, PACKAGES[id].install])),
    setup: Object.fromEntries(LANGUAGES.map((language) => [language.id, setupOf(language)])),
    first: inEach(first, table),
    calls: Object.fromEntries(
      exampleCalls(model, table)
        .filter(({ operation: { id, operationId } }) => id === operationId)
        .map((call) => [call.operation.operationId, inEach(call, table)]),
    ),
  };
}

function inEach(call, table) {
  return Object.fromEntries(
    LANGUAGES.map((language) => {
      const snippet = snippetOf(language, call, table);
      if (snippet === null)
        throw new Error(`${call.operation.id}: its example cannot be written in ${language.name}`);
      return [language.id, snippet];
    }),
  );
}

/**
 * Every operation with the values of its examples, variants too.
 * @param {import('./model.mjs').Model} model
 */
export function exampleCalls(model, table = tableOf(model)) {
  return model.operations.map(({ id, pathParams, query, headers, body }) => ({
    operation: table.operations.find((each) => each.id === id),
    params: pathParams.map(({ example }) => String(example)),
    query: Object.fromEntries(
      query.filter(({ required }) => required).map(({ name, example }) => [name, example]),
    ),
    body: body?.examples[0],
    file: false,
    key: headers.find(({ name }) => name === 'Idempotency-Key')?.example ?? null,
  }));
}
