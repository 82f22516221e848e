import { ErrorSchema } from '../../platform/http/api-schema.ts';
import { deprecationText } from '../../platform/http/deprecation.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import { answersOf } from './answers.ts';
import { type Access, type Audience, MACHINE } from './audiences.ts';
import { type Components, createComponents } from './components.ts';
import { contentOf } from './content.ts';
import { curlOf } from './curl.ts';
import { describeProperties } from './descriptions.ts';
import type { Schema } from './example.ts';
import type { Answer, OpenApiDocument, Operation, Reference } from './openapi.ts';
import { parametersOf } from './parameters.ts';
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

/** A wildcard becomes `{path}`. */
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
