// The neutral model that each language's emitter writes code from: contract/openapi.json, the names of
// names.json and the fixes of docs/errors.md, read once, with everything that the contract does not use left
// out. What is missing or left over in names.json is an error that says what to write.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readErrors } from './errors.mjs';
import { METHODS, namingProblems } from './names.mjs';
import { readSchema, typeOf } from './schemas.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {import('./schemas.mjs').Type} Type
 * @typedef {import('./schemas.mjs').Schema} Schema
 * @typedef {{code: string, status: number, fix: string, doc: string}} ErrorCode
 * @typedef {{name: string, type: Type, required: boolean, doc: string, example: unknown}} Parameter
 * @typedef {{kind: 'json', type: Type} | {kind: 'page', page: string, item: Type}
 *   | {kind: 'bytes' | 'text', media: string} | {kind: 'none'}} Result
 * @typedef {{type: Type | null, media: string, required: boolean, examples: unknown[]}} Body
 *   type null: bytes as the caller gives them
 * @typedef {object} Operation
 * @property {string} id unique in the model; a variant has its own
 * @property {string} operationId of the contract
 * @property {string} resource neutral camelCase: apiKeys
 * @property {string} method neutral camelCase: rotateSecret
 * @property {string} http GET, POST, PATCH, DELETE
 * @property {string} path with `{id}` in place of parameters
 * @property {(Parameter & {slashes: boolean})[]} pathParams in the order of the path; slashes: its value has
 *   slashes of its own, which stay as they are
 * @property {Parameter[]} query those of a list are joined by commas
 * @property {Parameter[]} headers Idempotency-Key, where the operation takes one
 * @property {'safe' | 'keyed' | 'repeatable' | 'once'} retry x-acuse-retry
 * @property {string[]} scopes one of them suffices; none: the operation needs no API key
 * @property {string | null} scope the first of them
 * @property {Body | null} body
 * @property {number[]} success the statuses of success
 * @property {string | null} accept the media type that is asked for; null: no content
 * @property {Result} result
 * @property {string[]} errors the codes that it can answer, in the order of docs/errors.md
 * @property {string} summary a phrase
 * @property {string} doc the summary as a sentence, then what the contract says beyond it
 * @typedef {object} Model
 * @property {string} version of the contract
 * @property {Schema[]} schemas in the order of their names
 * @property {Operation[]} operations in the order of the contract
 * @property {ErrorCode[]} errors in the order of docs/errors.md
 * @property {{type: string, data: Type, doc: string}[]} events
 * @property {{operationId: string, reason: string}[]} leftOut
 */

/** The files that the model is made of, as they are on disk. */
export function readSources() {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  return {
    openapi: read('contract/openapi.json'),
    names: read('sdks/generate/names.json'),
    errors: read('docs/errors.md'),
    essential: read('sdks/generate/essential.json'),
  };
}

/**
 * Throws an Error whose message has a line for everything that is wrong.
 * @param {Partial<ReturnType<typeof readSources>>} [sources] texts in place of those on disk
 * @returns {Model}
 */
export function readModel(sources = {}) {
  const texts = { ...readSources(), ...sources };
  const document = JSON.parse(texts.openapi);
  const names = JSON.parse(texts.names);
  const problems = namingProblems(document, names);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const errors = readErrors(texts.errors, document.components.schemas.ErrorCode.enum);
  const operations = operationsOf(document, names, errors);
  const { inputs, outputs } = directions(document, operations);
  const essential = JSON.parse(texts.essential);
  return {
    version: document.info.version,
    schemas: Object.entries(document.components.schemas)
      .map(([name, schema]) =>
        inDirection(readSchema(name, schema), inputs.has(name), outputs.has(name), essential[name] ?? []),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    operations,
    errors,
    events: Object.entries(document.webhooks).map(([type, path]) => readEvent(document, type, path.post)),
    leftOut: Object.entries(names.operations).flatMap(([operationId, { leftOut }]) =>
      leftOut === undefined ? [] : [{ operationId, reason: leftOut }],
    ),
  };
}

/** Required fields of a request are essential; of an answer those that `wanted` says. */
function inDirection(schema, input, output, wanted) {
  const fields = schema.fields.map((field) => ({
    ...field,
    essential: output ? wanted.includes(field.name) : field.required,
  }));
  for (const name of output ? wanted : [])
    if (!fields.some((field) => field.name === name && field.required))
      throw new Error(`sdks/generate/essential.json: ${schema.name} has no required field ${name}`);
  return { ...schema, fields, input, output };
}

function operationsOf(document, names, errors) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([http, operation]) => {
      if (!METHODS.includes(http)) return [];
      const name = names.operations[operation.operationId];
      if (name.leftOut !== undefined) return [];
      const shared = {
        operationId: operation.operationId,
        resource: name.resource,
        http: http.toUpperCase(),
        path,
        ...parametersOf(operation, path),
        retry: operation['x-acuse-retry'],
        ...scopesOf(operation),
        errors: codesOf(document, operation, errors),
      };
      return [{ id: operation.operationId, ...name }, ...(name.variants ?? [])].map((variant) => ({
        id: variant.id,
        ...shared,
        method: variant.method,
        body: bodyOf(operation, variant.body),
        ...resultOf(document, operation, variant.accept),
        summary: variant.summary ?? operation.summary,
        doc: docOf(variant.summary ?? operation.summary, operation.description),
      }));
    }),
  );
}

function parametersOf(operation, path) {
  const parameters = operation.parameters ?? [];
  const inPlace = (place) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required = false, description = '', schema, example = null }) => ({
        name,
        type: typeOf(schema).type,
        required,
        doc: description,
        example,
      }));
  const pathParams = inPlace('path')
    .map((parameter) => ({ ...parameter, slashes: parameter.name === 'path' }))
    .sort((a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`));
  return { pathParams, query: inPlace('query'), headers: inPlace('header') };
}

function scopesOf({ security = [] }) {
  const scopes = security.flatMap((way) => Object.values(way).flat());
  return { scopes, scope: scopes[0] ?? null };
}

/** The body of a media type, or the first of the operation. */
function bodyOf({ requestBody }, media) {
  if (requestBody === undefined) return null;
  const chosen = media ?? Object.keys(requestBody.content)[0];
  const { schema, example, examples } = requestBody.content[chosen];
  return {
    type: chosen === 'application/json' ? typeOf(schema).type : null,
    media: chosen,
    required: requestBody.required ?? false,
    examples: [
      ...(example === undefined ? [] : [example]),
      ...Object.values(examples ?? {}).map(({ value }) => value),
    ],
  };
}

/** The content of a success, in a media type or in the first of the operation. */
function resultOf(document, { responses }, media) {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const success = good.map(([status]) => Number(status));
  const content = good[0]?.[1].content;
  if (content === undefined) return { success, accept: null, result: { kind: 'none' } };
  const accept = media ?? Object.keys(content)[0];
  return { success, accept, result: contentOf(document, accept, content[accept].schema) };
}

function contentOf(document, media, schema) {
  if (media !== 'application/json') {
    return { kind: media.startsWith('text/') ? 'text' : 'bytes', media };
  }
  const { type } = typeOf(schema);
  const page = type.kind === 'ref' ? document.components.schemas[type.name] : undefined;
  if (page?.properties?.next_cursor === undefined) return { kind: 'json', type };
  return { kind: 'page', page: type.name, item: typeOf(page.properties.data.items).type };
}

/** The codes of its answers: components.responses lists them as the names of their examples. */
function codesOf(document, { responses }, errors) {
  const mentioned = new Set(
    Object.values(responses).flatMap((response) => {
      const { content } = response.$ref === undefined ? response : resolve(document, response.$ref);
      const { examples = {}, example } = content?.['application/json'] ?? {};
      return [example, ...Object.values(examples).map(({ value }) => value)].flatMap((each) =>
        each?.error?.code === undefined ? [] : [each.error.code],
      );
    }),
  );
  return errors.filter(({ code }) => mentioned.has(code)).map(({ code }) => code);
}

function resolve(document, ref) {
  return ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], document);
}

function docOf(summary, description) {
  const sentence = /[.!?:]$/.test(summary) ? summary : `${summary}.`;
  return description === undefined ? sentence : `${sentence}\n\n${description}`;
}

function readEvent(document, type, operation) {
  const { schema } = operation.requestBody.content['application/json'];
  const { properties } = resolve(document, schema.$ref);
  return { type, data: typeOf(properties.data).type, doc: docOf(operation.summary) };
}

/** Names of the schemas that requests hold, and of those that answers and events hold. */
function directions(document, operations) {
  const inputs = new Set();
  const outputs = new Set();
  for (const { body, query, result } of operations) {
    for (const { type } of query) follow(document, type, inputs);
    follow(document, body?.type ?? null, inputs);
    if (result.kind === 'json') follow(document, result.type, outputs);
    if (result.kind === 'page') follow(document, { kind: 'ref', name: result.page }, outputs);
  }
  follow(document, { kind: 'ref', name: 'Error' }, outputs);
  for (const { post } of Object.values(document.webhooks))
    follow(document, typeOf(post.requestBody.content['application/json'].schema).type, outputs);
  return { inputs, outputs };
}

function follow(document, type, found) {
  if (type === null) return;
  if (type.kind === 'array' || type.kind === 'map') follow(document, type.of, found);
  if (type.kind === 'union') for (const each of type.of) follow(document, each, found);
  if (type.kind !== 'ref' || found.has(type.name)) return;
  found.add(type.name);
  const { fields, additional, of } = readSchema(type.name, document.components.schemas[type.name]);
  for (const each of [...fields.map((field) => field.type), additional, ...of]) follow(document, each, found);
}
