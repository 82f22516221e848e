// The fields of the last release's answers. A library is often newer than the server that it talks to: a
// field that came after that release is missing in the answers of older servers, and so the contract may not
// require it. `node sdks/generate/released.mjs` writes released.json anew; a release does that, and nothing
// else.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readModel } from './model.mjs';

const FILE = new URL('released.json', import.meta.url);

/** The required fields of each answer: `{version, required: {schema: [field…]}}`. */
function requiredOf({ version, schemas }) {
  const answers = schemas.filter(({ output, kind }) => output && kind === 'object');
  const required = answers.map(({ name, fields }) => [
    name,
    fields.filter((field) => field.required).map((field) => field.name),
  ]);
  return { version, required: Object.fromEntries(required) };
}

/** Faults in the model, a line each. A schema that is new may require what it likes. */
export function newlyRequired(model, released = JSON.parse(readFileSync(FILE, 'utf8'))) {
  return Object.entries(requiredOf(model).required).flatMap(([schema, fields]) =>
    fields
      .filter((field) => released.required[schema]?.includes(field) === false)
      .map(
        (field) =>
          `${schema}.${field} is required in answers, and servers of ${released.version} do not have it: leave it out of \`required\`, and say in its description what its absence means`,
      ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(FILE, `${JSON.stringify(requiredOf(readModel()), null, 1)}\n`);
