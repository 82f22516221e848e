import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { ErrorSchema } from '../../platform/http/api-schema.ts';
import { deprecationText } from '../../platform/http/deprecation.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import { answersOf } from './answers.ts';
import { type Access, type Audience, MACHINE } from './audiences.ts';
import { type Components, createComponents } from './components.ts';
import { contentOf } from './content.ts';
import { describeProperties } from './descriptions.ts';
import { exampleOf, type Schema } from './example.ts';
import type { Answer, OpenApiDocument, Operation, Parameter, Reference } from './openapi.ts';
import { ANSWER_HEADERS, TAGS } from './preamble.ts';
import { webhookOperations } from './webhook-operations.ts';

/** Deterministic. Throws if a route lacks operationId, summary, a known tag or, for a POST, `retry`. */
export function writeOpenApi(
  described: readonly DescribedRoute[],
  version: string,
  audience: Audience = MACHINE,
): OpenApiDocument {
  const routes = described.filter(({ door, hidden }) => door === audience.door && !hidden);
  const components = createComponents();
  components.use(ErrorSchema);
  const paths: Record<string, Record<string, Operation>> = {};
  const seen = new Set<string>();
  for (const route of [...routes].sort(byTag)) {
    const operation = operationOf(route, components, audience);
    if (seen.has(operation.operationId))
      throw new Error(`two operations are called ${operation.operationId}`);
    seen.add(operation.operationId);
    const path = pathOf(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const webhooks = audience.webhooks ? webhookOperations(components) : {};
  const named = components.all();
  return {
    openapi: '3.1.1',
    info: { ...audience.info, version },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: TAGS.filter(({ name }) => routes.some(({ schema }) => schema.tags?.[0] === name)),
    paths,
    webhooks,
    components: {
      ...named,
      schemas: describeProperties(named.schemas),
      headers: ANSWER_HEADERS,
      securitySchemes: audience.securitySchemes,
    },
  };
}

export function answerOf(document: OpenApiDocument, answer: Answer | Reference): Answer {
  if (!('$ref' in answer)) return answer;
  return document.components.responses[answer.$ref.slice(answer.$ref.lastIndexOf('/') + 1)]!;
}

export function schemaOf(document: OpenApiDocument, schema: Schema): Schema {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)]! : schema;
}

function byTag(a: DescribedRoute, b: DescribedRoute): number {
  return placeOf(a) - placeOf(b);
}

function placeOf({ method, url, schema }: DescribedRoute): number {
  const place = TAGS.findIndex(({ name }) => name === schema.tags?.[0]);
  if (place === -1) throw new Error(`${method} ${url} has no known tag`);
  return place;
}

function pathOf(url: string): string {
  return url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
}

function operationOf(route: DescribedRoute, components: Components, audience: Audience): Operation {
  const { schema, method, url, deprecation } = route;
  const ending = deprecation === undefined ? [] : [deprecationText(deprecation)];
  const access = audience.accessOf(route);
  const { operationId, summary } = schema;
  if (operationId === undefined || summary === undefined)
    throw new Error(`${method} ${url} has no operationId or summary`);
  const parameters = parametersOf(schema, components);
  const operation: Operation = {
    operationId,
    summary,
    description: [...ending, described(schema.description, access)].join('\n\n'),
    ...(deprecation !== undefined && { deprecated: true as const }),
    tags: schema.tags!,
    security: access.security,
    ...(audience.retries && { 'x-acuse-retry': retryOf(route) }),
    ...(route.stepUp && { 'x-step-up': true as const }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body !== undefined && {
      requestBody: { required: true, content: contentOf(schema.body as Schema, components, 'request') },
    }),
    responses: answersOf(route, access, components),
  };
  if (!audience.samples) return operation;
  const sample = { lang: 'Shell', source: curlOf(method, pathOf(url), operation) };
  return { ...operation, 'x-codeSamples': [sample] };
}

function retryOf({ method, url, schema }: DescribedRoute): NonNullable<Operation['x-acuse-retry']> {
  if (method === 'GET') return 'safe';
  if (method === 'PATCH' || method === 'DELETE') return 'repeatable';
  if (schema.retry === undefined) throw new Error(`${method} ${url} does not say how it may be repeated`);
  return schema.retry;
}

function described(description: string | undefined, { sentence }: Access): string {
  return description === undefined ? sentence : `${description}\n\n${sentence}`;
}

/** Works when pasted with ACUSE_URL and ACUSE_API_KEY. */
function curlOf(method: string, path: string, operation: Operation): string {
  const query = (operation.parameters ?? []).filter(
    ({ in: place, required }) => place === 'query' && required,
  );
  const filled = (operation.parameters ?? [])
    .filter(({ in: place }) => place === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodePath(String(example))), path);
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&');
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$ACUSE_URL${filled}${search === '' ? '' : `?${search}`}"`,
  ];
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $ACUSE_API_KEY"');
  for (const { name, in: place, required, example } of operation.parameters ?? [])
    if (place === 'header' && required) lines.push(`-H ${quoted(`${name}: ${String(example)}`)}`);
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined) lines.push(`-H 'Content-Type: ${type}'`);
  if (body?.example !== undefined) lines.push(`-d ${quoted(JSON.stringify(body.example, null, 2))}`);
  else if (type !== undefined) lines.push('--data-binary @request');
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Slashes of a wildcard stay. */
function encodePath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

function parametersOf(schema: FastifySchema, components: Components): Parameter[] {
  const groups = [
    ['path', schema.params],
    ['query', schema.querystring],
    ['header', schema.headers],
  ] as const;
  return groups.flatMap(([place, group]) => {
    const { properties = {}, required = [] } = (group ?? {}) as {
      properties?: Record<string, TSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, property]) =>
      parameter(place, name, required.includes(name), components.use(property), components),
    );
  });
}

function parameter(
  place: Parameter['in'],
  name: string,
  required: boolean,
  used: Schema,
  components: Components,
): Parameter {
  const { description, examples, ...schema } = used as Schema & {
    description?: string;
    examples?: readonly unknown[];
  };
  const example = examples?.[0] ?? (place === 'path' ? pathExample(schema, components) : undefined);
  return {
    name: nameOf(place, name),
    in: place,
    required: place === 'path' || required,
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** A value of an enum; otherwise an id, which most paths take. */
function pathExample(schema: Schema, { resolve }: Components): unknown {
  const isEnum = schema['$ref'] !== undefined || schema['enum'] !== undefined;
  return exampleOf(isEnum ? schema : { type: 'string', format: 'uuid' }, resolve);
}

function nameOf(place: Parameter['in'], name: string): string {
  if (place === 'header') return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  return name === '*' ? 'path' : name;
}
