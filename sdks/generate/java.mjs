// The emitter of the Java library: records with builders, resources, their asynchronous forms and tables.
// Java names a file after the class in it, so the files are in a folder `generated`.
import { ERROR_CLASSES, toldBy } from './error-classes.mjs';
import { operationFiles } from './java-operations.mjs';
import { HEADER, quote, ROOT } from './java-text.mjs';
import { typeFiles } from './java-types.mjs';
import { ACCEPTED, outboxStatements, REFUSED } from './outbox.mjs';

/** @param {import('./model.mjs').Model} model */
export function emit(model) {
  const schemas = new Map(model.schemas.map((schema) => [schema.name, schema]));
  return [...typeFiles(schemas), ...operationFiles(model, schemas), outboxFile(), ...errorFiles()];
}

function outboxFile() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements(() => '?');
  const statement = (name, sql) => {
    const lines = sql
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `      ${line}`));
    return `  static final String ${name} =\n      """\n${lines.join('\n')}\n      """;\n`;
  };
  const text = `${HEADER}package dev.acuse;

import java.util.Set;

/** The statements of the outbox, which libraries in all languages share. */
final class OutboxSql {
${[statement('TABLE', TABLE), statement('ADD', ADD), statement('CLAIM', CLAIM), statement('RECORD', RECORD)].join('\n')}
  /** Statuses that end a message, with a code of the API. */
  static final Set<Integer> REFUSED = Set.of(${REFUSED.join(', ')});

  /** The code of a message that was accepted before. */
  static final String ACCEPTED = ${quote(ACCEPTED)};

  private OutboxSql() {}
}
`;
  return { path: `${ROOT}/OutboxSql.java`, text };
}

function errorFiles() {
  const classes = ERROR_CLASSES.map((each) => {
    const { name, doc, parent = 'Api' } = each;
    const text = `${HEADER}package dev.acuse;

/** ${doc}: ${toldBy(each)}. */
public class ${name}Exception extends ${parent}Exception {
  private static final long serialVersionUID = 1L;

  ${name}Exception(Answer answer, Failure failure) {
    super(answer, failure);
  }
}
`;
    return { path: `${ROOT}/${name}Exception.java`, text };
  });
  const cases = ERROR_CLASSES.map(({ name, statuses, code }) => {
    const is = [
      ...(statuses.length === 0 ? ['status >= 500'] : []),
      ...(statuses.length > 0 ? [`List.of(${statuses.join(', ')}).contains(status)`] : []),
      ...(code === undefined ? [] : [`${quote(code)}.equals(answer.code())`]),
    ].join(' && ');
    return `    if (${is}) {\n      return new ${name}Exception(answer, failure);\n    }\n`;
  });
  const text = `${HEADER}package dev.acuse;

import java.util.List;

/** The classes of refusals. */
final class ErrorClasses {
  private ErrorClasses() {}

  /** The class for a status and code. */
  static ApiException of(ApiException.Answer answer, CallException.Failure failure) {
    int status = answer.status();
${cases.join('')}    return new ApiException(answer, failure);
  }
}
`;
  return [...classes, { path: `${ROOT}/ErrorClasses.java`, text }];
}
