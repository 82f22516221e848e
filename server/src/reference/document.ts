import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { API_ERRORS, type ApiErrorCode } from '../errors.ts';
import type { DescribedRoute } from '../platform/route-list.ts';
import { curlOf } from './curl.ts';
import { exampleOf, type Schema } from './example.ts';
import { ANSWER_HEADERS, ERROR_SCHEMA, INFO, SECURITY_SCHEMES, TAGS } from './preamble.ts';
import { type Components, createComponents } from './schemas.ts';
import { webhookOperations } from './webhook-operations.ts';

/** The OpenAPI 3.1 document, made of the routes' own schemas. Pure: the same routes give the same bytes. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> } & Readonly<
    Record<string, object>
  >;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** Writes the document. Throws for a route that lacks operationId, summary, tag or a known tag. */
export function writeOpenApi(routes: readonly DescribedRoute[], version: string): OpenApiDocument {
  const components = createComponents();
  components.add('Error', ERROR_SCHEMA);
  const paths: Record<string, Record<string, Operation>> = {};
  const seen = new Set<string>();
  for (const route of [...routes].sort(byTag)) {
    const operation = operationOf(route, components);
    if (seen.has(operation.operationId))
      throw new Error(`two operations are called ${operation.operationId}`);
    seen.add(operation.operationId);
    const path = pathOf(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const used = TAGS.filter(({ name }) => routes.some(({ schema }) => schema.tags?.[0] === name));
  return {
    openapi: '3.1.1',
    info: { ...INFO, version },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: used,
    paths,
    webhooks: webhookOperations(components),
    components: {
      schemas: components.all(),
      headers: ANSWER_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function byTag(a: DescribedRoute, b: DescribedRoute): number {
  return placeOf(a) - placeOf(b);
}

function placeOf({ method, url, schema }: DescribedRoute): number {
  const place = TAGS.findIndex(({ name }) => name === schema.tags?.[0]);
  if (place === -1) throw new Error(`${method} ${url} has no known tag`);
  return place;
}

/** `/v1/messages/:id` → `/v1/messages/{id}`; a wildcard becomes `{path}`. */
export function pathOf(url: string): string {
  return url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
}

function operationOf(route: DescribedRoute, components: Components): Operation {
  const { schema, scopes, method, url } = route;
  const { operationId, summary } = schema;
  if (operationId === undefined || summary === undefined)
    throw new Error(`${method} ${url} has no operationId or summary`);
  const parameters = parametersOf(schema, components);
  const body = schema.body === undefined ? undefined : requestBodyOf(schema.body as TSchema, components);
  const operation: Operation = {
    operationId,
    summary,
    ...described(schema.description, scopes),
    tags: schema.tags!,
    security: (scopes ?? []).map((scope) => ({ apiKey: [scope] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: responsesOf(route, components),
  };
  return {
    ...operation,
    'x-codeSamples': [{ lang: 'Shell', source: curlOf(method, pathOf(url), operation) }],
  };
}

function described(
  description: string | undefined,
  scopes: DescribedRoute['scopes'],
): { description?: string } {
  const scope =
    scopes === undefined ? 'No key needed.' : `Scope: ${scopes.map((it) => `\`${it}\``).join(' or ')}.`;
  return { description: description === undefined ? scope : `${description}\n\n${scope}` };
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
    return Object.entries(properties).map(([name, property]) => {
      const { description, examples, ...rest } = components.use(property) as Schema & {
        description?: string;
        examples?: unknown[];
      };
      return {
        name: nameOf(place, name),
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description !== undefined && { description }),
        schema: rest,
        ...parameterExample(place, examples),
      };
    });
  });
}

const ID_EXAMPLE = exampleOf({ type: 'string', format: 'uuid' }, () => ({}));

function parameterExample(
  place: Parameter['in'],
  examples: readonly unknown[] | undefined,
): { example?: unknown } {
  if (examples !== undefined) return { example: examples[0] };
  return place === 'path' ? { example: ID_EXAMPLE } : {};
}

function nameOf(place: Parameter['in'], name: string): string {
  if (place === 'header') return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  return name === '*' ? 'path' : name;
}

function requestBodyOf(body: TSchema, components: Components): NonNullable<Operation['requestBody']> {
  return { required: true, content: contentOf(body as Schema, components) };
}

/** A schema alone is JSON; `{content: {<media type>: {schema}}}` says which types there are. */
function contentOf(given: Schema, components: Components): Record<string, MediaType> {
  const content = (given['content'] ?? { 'application/json': { schema: given } }) as Record<
    string,
    { schema: TSchema }
  >;
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => {
      const used = components.use(schema);
      const example =
        isText(type) || used['examples'] !== undefined ? exampleOf(used, components.resolve) : undefined;
      return [type, { schema: used, ...(example !== undefined && example !== 'text' && { example }) }];
    }),
  );
}

function isText(mediaType: string): boolean {
  return mediaType === 'application/json';
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Taken; the work goes on.',
  204: 'Done; nothing to say.',
};

function responsesOf({ schema, scopes }: DescribedRoute, components: Components): Record<string, Answer> {
  const given = (schema.response ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(given)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([status, answer]) => {
        const headers = headersOf(Number(status), codesOf(answer), schema, scopes !== undefined, components);
        return [status, { ...answerOf(status, answer, components), headers }];
      }),
  );
}

function answerOf(status: string, answer: Schema, components: Components): Omit<Answer, 'headers'> {
  const codes = codesOf(answer);
  if (codes !== null) return errorAnswer(answer, codes, components);
  const description = (answer['description'] as string | undefined) ?? DESCRIPTIONS[status] ?? 'Done.';
  return answer['type'] === 'null'
    ? { description }
    : { description, content: contentOf(answer, components) };
}

/** The error codes of an answer made by errorAnswers, or null. */
function codesOf(answer: Schema): ApiErrorCode[] | null {
  const properties = answer['properties'] as
    | { error?: { properties?: { code?: { enum?: ApiErrorCode[] } } } }
    | undefined;
  return properties?.error?.properties?.code?.enum ?? null;
}

function errorAnswer(
  answer: Schema,
  codes: readonly ApiErrorCode[],
  components: Components,
): Omit<Answer, 'headers'> {
  const { description: _, ...schema } = components.use(answer as TSchema);
  const examples = codes.map((code) => [
    code,
    { value: { error: { code, message: API_ERRORS[code].message } } },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].message}`).join('\n\n'),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  };
}

function headersOf(
  status: number,
  codes: readonly ApiErrorCode[] | null,
  schema: FastifySchema,
  keyed: boolean,
  components: Components,
): Record<string, object> {
  const names: (keyof typeof ANSWER_HEADERS)[] = ['Request-Id'];
  if (keyed && ![401, 403].includes(status))
    names.push('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset');
  if (status === 401) names.push('WWW-Authenticate');
  if (codes?.some((code) => code === 'rate_limited' || code === 'unavailable')) names.push('Retry-After');
  const own = Object.entries(schema.answerHeaders?.[status] ?? {}).map(([name, header]) => {
    const { description, ...rest } = components.use(header);
    return [name, { ...(description !== undefined && { description }), schema: rest }];
  });
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...Object.fromEntries(own),
  };
}
