// The Python library's generated files: types, what goes into requests, operations, resources for threads and
// for tasks, error codes, events.

import { ACCEPTED, outboxStatements, REFUSED } from './outbox.mjs';
import { resourcesFile } from './python-resources.mjs';
import { modelsFile, typedDictsFile } from './python-types.mjs';
import { docstring, header, pythonName, quoted, typeValue } from './python-words.mjs';

const FOLDER = 'src/acuse';

/** @param {import('./model.mjs').Model} model */
export function emit(model) {
  const files = {
    _models_generated: modelsFile(model),
    _inputs_generated: typedDictsFile(model),
    _operations_generated: operationsFile(model),
    _errors_generated: errorsFile(model),
    _outbox_generated: outboxFile(),
    _events_generated: eventsFile(model),
    _resources_generated: resourcesFile(model, false),
    _resources_async_generated: resourcesFile(model, true),
  };
  return Object.entries(files).map(([name, text]) => ({ path: `${FOLDER}/${name}.py`, text }));
}

function outboxFile() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements(() => '%s');
  const text = (name, sql) => `${name} = """\\\n${sql}"""\n`;
  return [
    header('The statements of the outbox, which libraries in all languages share.'),
    ...[text('TABLE', TABLE), text('ADD', ADD), text('CLAIM', CLAIM), text('RECORD', RECORD)],
    `REFUSED = frozenset({${REFUSED.join(', ')}})`,
    '"""Statuses that end a message, with a code of the API."""',
    `ACCEPTED = ${quoted(ACCEPTED)}`,
    '"""The code of a message that was accepted before."""',
    '',
  ].join('\n');
}

function operationsFile(model) {
  const lines = [
    header('What the contract says of each operation.'),
    'from ._codec import ArrayOf, MapOf, OneOf, Ref, Scalar',
    'from ._engine import Operation',
    '',
    '__all__ = ["OPERATIONS"]',
    '_UNUSED = (ArrayOf, MapOf, OneOf, Ref, Scalar)',
    '',
    'OPERATIONS: dict[str, Operation] = {',
  ];
  for (const each of model.operations) {
    const { result } = each;
    const type = result.kind === 'page' ? { kind: 'ref', name: result.page } : result.type;
    const name = `${pythonName(each.resource)}.${pythonName(each.method)}`;
    const parts = [each.id, name, each.http, each.path, each.retry, result.kind].map(quoted);
    parts.push(type ? typeValue(type) : 'None', each.accept ? quoted(each.accept) : 'None');
    lines.push(`    ${quoted(each.id)}: Operation(`, ...parts.map((part) => `        ${part},`), '    ),');
  }
  lines.push('}', '"""By operationId."""', '');
  return lines.join('\n');
}

function errorsFile(model) {
  const lines = [
    header('The codes of errors, and what to do about each.'),
    'from typing import Final',
    '',
    '',
    'class ErrorCodes:',
    '    """The codes known when this library was made; others may come."""',
    '',
  ];
  for (const { code, doc } of model.errors) {
    lines.push(`    ${code.toUpperCase()}: Final = ${quoted(code)}`);
    lines.push(`    ${quoted(doc)}`);
  }
  lines.push('', '', 'FIXES: dict[str, tuple[int, str]] = {');
  for (const { code, status, fix } of model.errors)
    lines.push(`    ${quoted(code)}: (${status}, ${quoted(fix)}),`);
  lines.push('}', '"""HTTP status and fix of each code."""', '');
  return lines.join('\n');
}

/** `email.bounced` to `EmailBouncedEvent`. */
const eventClass = (type) =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase())}Event`;

function eventsFile(model) {
  const names = [...new Set(model.events.map(({ data }) => data.name))].sort();
  const classes = model.events.map(({ type }) => eventClass(type));
  const lines = [
    header('The types of webhook events, each with a class.'),
    'from collections.abc import Callable',
    'from dataclasses import dataclass',
    'from typing import Final, Literal, TypeAlias',
    '',
    'from ._codec import Model',
    'from ._event import WebhookEvent',
    `from ._models_generated import (\n${names.map((name) => `    ${name},`).join('\n')}\n)`,
    '',
    ...[
      '__all__ = [',
      ...[...classes, 'KnownWebhookEvent', 'OtherWebhookEvent'].map((name) => `    "${name}",`),
      ']',
    ],
    '',
    '',
    'class EventTypes:',
    '    """The types known when this library was made; others arrive with their data as it came."""',
    '',
  ];
  for (const { type, doc } of model.events) {
    lines.push(
      `    ${type
        .replace(/^email\./, '')
        .replaceAll('.', '_')
        .toUpperCase()}: Final = ${quoted(type)}`,
    );
    lines.push(`    ${quoted(doc)}`);
  }
  for (const { type, data, doc } of model.events)
    lines.push(
      ...['', '', '@dataclass(frozen=True, repr=False)', `class ${eventClass(type)}(WebhookEvent):`],
      ...docstring(doc, '    '),
      ...['', `    type: Literal[${quoted(type)}]`, `    data: ${data.name}`],
    );
  lines.push(
    ...['', '', '@dataclass(frozen=True, repr=False)', 'class OtherWebhookEvent(WebhookEvent):'],
    '    """Of a type that came after this library, or with data that does not fit: they are as they came."""',
    ...['', '', `KnownWebhookEvent: TypeAlias = "${classes.join(' | ')}"`],
    '"""Of a type that this library knows."""',
    '',
    'EVENTS: dict[str, tuple[Callable[..., KnownWebhookEvent], type[Model]]] = {',
    ...model.events.map(({ type, data }) => `    ${quoted(type)}: (${eventClass(type)}, ${data.name}),`),
    '}',
    '"""The class of each type, and the model of its data."""',
    '',
  );
  return lines.join('\n');
}
