// The resources of the Python library: one method for each operation, for threads and for tasks.
import { annotation, docstring, header, pythonName, quoted, resourceClass } from './python-words.mjs';

/** Resources to which methods by hand are added in _resources.py. */
const EXTENDED = new Set(['messages', 'evidence', 'log']);
/** Operations whose methods are written by hand there. */
const BY_HAND = new Set(['sendBatch', 'getLogCheckpoint']);

export function resourcesFile(model, isAsync) {
  const isObject = (name) => model.schemas.some((each) => each.name === name && each.kind === 'object');
  const resources = [...new Set(model.operations.map(({ resource }) => resource))];
  const body = [];
  const used = new Set();
  const context = { isAsync, isObject, used, how: { input: true, isObject } };
  for (const resource of resources) {
    const suffix = EXTENDED.has(resource) ? 'Base' : 'Resource';
    const name = `${isAsync ? 'Async' : ''}${resourceClass(resource)}${suffix}`;
    body.push('', '', `class ${name}(${isAsync ? 'AsyncResource' : 'Resource'}):`);
    body.push(`    """\`\`acuse.${pythonName(resource)}\`\`"""`);
    for (const operation of model.operations)
      if (operation.resource === resource && !BY_HAND.has(operation.id))
        body.push(...method(operation, context));
  }
  const names = [...used].sort();
  const models = names.filter((name) => !name.endsWith('Dict'));
  const dicts = names.filter((name) => name.endsWith('Dict'));
  const base = isAsync ? 'AsyncPager, AsyncResource' : 'Pager, Resource';
  return [
    header(`The operations of the contract, for ${isAsync ? 'tasks' : 'threads'}.`),
    'from collections.abc import Sequence',
    'from datetime import datetime',
    'from typing import Literal',
    '',
    `from ._inputs_generated import (\n${dicts.map((name) => `    ${name},`).join('\n')}\n)`,
    `from ._models_generated import (\n${models.map((name) => `    ${name},`).join('\n')}\n)`,
    `from ._codec import ResponseInfo`,
    `from ._resource import ${base}, Content, SendResult, Text, operation`,
    '',
    '_UNUSED = (Literal, Sequence, datetime)',
    ...body,
    '',
  ].join('\n');
}

function method(operation, context) {
  const { isAsync } = context;
  const parameters = ['self', ...operation.pathParams.map((each) => pathParameter(each))];
  if (operation.body) parameters.push(bodyParameter(operation, context));
  const keyed = operation.headers.some(({ name }) => name === 'Idempotency-Key');
  if (keyed) parameters.push('idempotency_key: str | None = None');
  const query = operation.query.filter(({ name }) => operation.result.kind !== 'page' || name !== 'after');
  if (query.length > 0) parameters.push('*', ...query.map((each) => queryParameter(each, context)));
  const [returned, call] = result(operation, context, keyed);
  const paging = operation.result.kind === 'page';
  const define = isAsync && !paging ? 'async def' : 'def';
  const lines = ['', `    @operation(${quoted(operation.id)})`];
  lines.push(`    ${define} ${pythonName(operation.method)}(`);
  lines.push(...parameters.map((each) => `        ${each}${each === '*' ? ',' : ','}`));
  lines.push(`    ) -> ${returned}:`, ...docstring(documentation(operation, query), '        '));
  lines.push(`        return ${isAsync && !paging ? 'await ' : ''}self.${call}(`);
  lines.push(...arguments_(operation, query, keyed).map((each) => `            ${each},`), '        )');
  return lines;
}

function pathParameter(parameter) {
  const name = typeof parameter === 'string' ? parameter : parameter.name;
  return `${pythonName(name)}: ${parameter.type?.kind === 'integer' ? 'int' : 'str'}`;
}

function bodyParameter({ body }, { used, isObject }) {
  if (body.type === null) return body.media.startsWith('text/') ? 'body: str | bytes' : 'body: bytes';
  const { name } = body.type;
  used.add(name);
  if (isObject(name)) used.add(`${name}Dict`);
  return body.required === false
    ? `body: ${name} | ${name}Dict | None = None`
    : `body: ${name} | ${name}Dict`;
}

function queryParameter({ name, type, required }, { how, used }) {
  collect(type, used);
  const many = type.kind === 'array' ? `${annotation(type.of, how)} | ` : '';
  return `${pythonName(name)}: ${many}${annotation(type, how)}${required ? '' : ' | None = None'}`;
}

function collect(type, used) {
  if (type.kind === 'ref') used.add(type.name);
  else if (type.kind === 'array' || type.kind === 'map') collect(type.of, used);
  else if (type.kind === 'union') for (const each of type.of) collect(each, used);
}

/** The return type of a method, and the helper of the resource that it calls. */
function result({ result: { kind, type, item } }, { used, isAsync }, keyed) {
  if (keyed) return ['SendResult', '_send'];
  if (kind === 'page') {
    used.add(item.name);
    return [`${isAsync ? 'AsyncPager' : 'Pager'}[${item.name}]`, '_pages'];
  }
  if (kind === 'json') {
    used.add(type.name);
    return [type.name, '_json'];
  }
  if (kind === 'none') return ['ResponseInfo', '_none'];
  return kind === 'text' ? ['Text', '_text'] : ['Content', '_bytes'];
}

function arguments_(operation, query, keyed) {
  const { result: returned } = operation;
  const given = [];
  if (!keyed && returned.kind === 'json') given.push(returned.type.name);
  if (returned.kind === 'page') given.push(returned.item.name);
  given.push(quoted(operation.id));
  if (keyed) given.push('idempotency_key');
  const path = operation.pathParams.map((each) => (typeof each === 'string' ? each : each.name));
  if (path.length > 0)
    given.push(`path={${path.map((name) => `${quoted(name)}: ${pythonName(name)}`).join(', ')}}`);
  if (query.length > 0)
    given.push(`query={${query.map(({ name }) => `${quoted(name)}: ${pythonName(name)}`).join(', ')}}`);
  if (operation.body) given.push('body=body');
  if (operation.body && operation.body.type === null) given.push(`media=${quoted(operation.body.media)}`);
  return given;
}

function documentation({ doc }, query) {
  const told = query.filter((each) => each.doc).map((each) => `${pythonName(each.name)}: ${each.doc}`);
  return told.length > 0 ? `${doc}\n\n${told.join('\n')}` : doc;
}
