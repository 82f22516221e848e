// The codes of errors as Go code: constants, their statuses, what to do.
import { ERROR_CLASSES, toldBy } from './error-classes.mjs';
import { exported } from './go-names.mjs';

/** @param {import('./model.mjs').Model} model */
export function errorsCode({ errors }) {
  const rows = errors.map(({ code }) => `\tCode${exported(code)} = "${code}"\n`);
  const width = Math.max(...errors.map(({ code }) => `Code${exported(code)}`.length));
  const lines = rows.map((row) => row.replace(/^\t(\S+) /, (_, name) => `\t${name.padEnd(width)} `));
  const fixes = errors.map(
    ({ code, fix }) => `\tcase Code${exported(code)}:\n\t\treturn ${pieces(fix.trim())}\n`,
  );
  return [
    '// The codes of refusals that are known today; docs/errors.md describes them.\n',
    `const (\n${lines.join('')})\n\n`,
    '// statusOf is the status that a code always has; 422, a refusal, for one that is not known.\n',
    `func statusOf(code string) int {\n\tswitch code {\n${statusCases(errors)}\tdefault:\n\t\treturn 422\n\t}\n}\n\n`,
    '// fixOf says for each code what to do.\n',
    `func fixOf(code string) string {\n\tswitch code {\n${fixes.join('')}\tdefault:\n\t\treturn ""\n\t}\n}\n`,
    ...ERROR_CLASSES.map(classCode),
    kindCode(),
  ].join('');
}

function classCode(each) {
  const { name, doc } = each;
  return [
    `\n// ${name}Error is ${toldBy(each)}: ${doc[0].toLowerCase()}${doc.slice(1)}.\n`,
    `type ${name}Error struct{ *APIError }\n\n`,
    '// Unwrap returns the APIError.\n',
    `func (e *${name}Error) Unwrap() error { return e.APIError }\n`,
  ].join('');
}

function kindCode() {
  const cases = ERROR_CLASSES.map(({ name, statuses, code }) => {
    const is =
      statuses.length === 0 ? 'e.Status >= 500' : statuses.map((each) => `e.Status == ${each}`).join(' || ');
    const told = code === undefined ? is : `${is} && e.Code == ${JSON.stringify(code)}`;
    return `\tcase ${told}:\n\t\treturn &${name}Error{e}\n`;
  });
  return [
    '\n// kindOf gives a refusal its kind: by its status, and 429 by its code.\n',
    `func kindOf(e *APIError) error {\n\tswitch {\n${cases.join('')}\tdefault:\n\t\treturn e\n\t}\n}\n`,
  ].join('');
}

function statusCases(errors) {
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return statuses
    .map((status) => {
      const codes = errors
        .filter((each) => each.status === status)
        .map(({ code }) => `Code${exported(code)}`);
      return `\tcase ${codes.join(',\n\t\t')}:\n\t\treturn ${status}\n`;
    })
    .join('');
}

/** A text as Go strings on lines of at most 110 characters. */
function pieces(text) {
  const lines = [''];
  for (const word of text.split(/(?<= )/)) {
    if (lines.at(-1).length + word.length > 85) lines.push('');
    lines[lines.length - 1] += word;
  }
  return lines.map((line) => JSON.stringify(line)).join(' +\n\t\t\t');
}
