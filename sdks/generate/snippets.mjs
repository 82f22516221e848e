// Each operation as a call in the client libraries, for /docs: one source for all of them. A language comes
// in with a writer here and a test that its calls are the library's own.

/** `log` is written by hand in each library: checkpoints need a pinned key there. */
const BY_HAND = new Set(['log']);
const LINE_MAX_CHARS = 72;

/**
 * @param {import('./model.mjs').Model} model
 * @returns {Record<string, {lang: string, source: string}[]>} by operationId; variants are left out
 */
export function snippetsOf(model) {
  return Object.fromEntries(
    model.operations
      .filter(({ id, operationId, resource }) => id === operationId && !BY_HAND.has(resource))
      .map((operation) => [
        operation.operationId,
        Object.entries(WRITERS).map(([lang, write]) => ({ lang, source: write(callOf(operation)) })),
      ]),
  );
}

/** An operation with the values of the contract's examples, in the order of a call's arguments. */
function callOf(operation) {
  const { id, resource, method, pathParams, headers, body, result } = operation;
  const example = body?.examples[0];
  return {
    resource,
    method,
    params: pathParams.map((parameter) => parameter.example),
    // A batch is its list of messages.
    bodies: body === null ? [] : [id === 'sendBatch' ? example.messages : example],
    key: headers.find(({ name }) => name === 'Idempotency-Key')?.example ?? null,
    isBatch: id === 'sendBatch',
    result: result.kind,
  };
}

const WRITERS = { TypeScript: typescript, Python: python };

function typescript({ resource, method, params, bodies, key, isBatch, result }) {
  const values = [...params, ...bodies, ...(key === null ? [] : [key])].map((each) =>
    literal(each, TYPESCRIPT),
  );
  const call = `acuse.${resource}.${method}(${values.join(', ')})`;
  if (result === 'page') return `for await (const item of ${call}) {\n  console.log(item);\n}`;
  if (isBatch) return `for (const item of await ${call}) {\n  console.log(item.status);\n}`;
  if (result === 'none') return `await ${call};`;
  return key === null ? `const result = await ${call};` : `const { message, replayed } = await ${call};`;
}

function python({ resource, method, params, bodies, key, isBatch, result }) {
  const values = [...params, ...bodies, ...(key === null ? [] : [key])].map((each) => literal(each, PYTHON));
  const call = `acuse.${snake(resource)}.${snake(method)}(${values.join(', ')})`;
  if (result === 'page') return `for item in ${call}:\n    print(item)`;
  if (isBatch) return `for item in ${call}:\n    print(item.status)`;
  return result === 'none' ? call : `result = ${call}`;
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const TYPESCRIPT = {
  indent: '  ',
  name: (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : singleQuoted(key)),
  text: singleQuoted,
  words: { true: 'true', false: 'false', null: 'null' },
  spaced: true,
};
const PYTHON = {
  indent: '    ',
  name: (key) => JSON.stringify(key),
  text: (value) => JSON.stringify(value),
  words: { true: 'True', false: 'False', null: 'None' },
  spaced: false,
};

function singleQuoted(text) {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A JSON value in a language's own form: on one line while it is short. */
function literal(value, language, indent = '') {
  if (typeof value === 'string') return language.text(value);
  if (typeof value !== 'object' || value === null) return language.words[String(value)] ?? String(value);
  const inner = `${indent}${language.indent}`;
  const isList = Array.isArray(value);
  const parts = (of) =>
    isList
      ? value.map((each) => literal(each, language, of))
      : Object.entries(value).map(([key, each]) => `${language.name(key)}: ${literal(each, language, of)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const space = !isList && language.spaced ? ' ' : '';
  const line = `${open}${space}${parts(inner).join(', ')}${space}${close}`;
  if (line.length <= LINE_MAX_CHARS && !line.includes('\n')) return line;
  return `${open}\n${parts(inner)
    .map((part) => `${inner}${part},\n`)
    .join('')}${indent}${close}`;
}
