import type { FastifySchema } from 'fastify';
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts';
import { ErrorSchema, errorAnswers } from '../../platform/http/api-schema.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import type { Access } from './audiences.ts';
import type { Components } from './components.ts';
import { contentOf } from './content.ts';
import type { Schema } from './example.ts';
import type { Answer, Reference } from './openapi.ts';
import type { ANSWER_HEADERS } from './preamble.ts';

export function answersOf(
  { schema }: DescribedRoute,
  access: Access,
  components: Components,
): Record<string, Answer | Reference> {
  const given = withRefusals((schema.response ?? {}) as Record<string, Schema>, access.refusals);
  const limited = access.security.length > 0;
  return Object.fromEntries(
    Object.entries(given)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([status, answer]) => {
        const codes = codesOf(answer);
        return codes === null
          ? [status, success(status, answer, schema, limited, components)]
          : [status, refusal(codes, components)];
      }),
  );
}

function withRefusals(
  given: Readonly<Record<string, Schema>>,
  more: readonly ApiErrorCode[],
): Readonly<Record<string, Schema>> {
  const own = Object.values(given).flatMap((answer) => codesOf(answer) ?? []);
  if (more.length === 0) return given;
  return { ...given, ...(errorAnswers(...new Set([...own, ...more])) as unknown as Record<string, Schema>) };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work continues in the background.',
  204: 'Success; no content.',
};

function success(
  status: string,
  answer: Schema,
  schema: FastifySchema,
  limited: boolean,
  components: Components,
): Answer {
  const said = schema.answers?.[Number(status)];
  const description =
    said?.description ?? (answer['description'] as string | undefined) ?? DESCRIPTIONS[status] ?? 'Done.';
  const own = Object.entries(said?.headers ?? {}).map(([name, header]) => {
    const { description: about, ...rest } = components.use(header);
    return [name, { ...(about !== undefined && { description: about }), schema: rest }];
  });
  return {
    description,
    headers: {
      ...headers('Request-Id', ...(limited ? RATE : [])),
      ...Object.fromEntries(own),
    },
    ...(answer['type'] !== 'null' && { content: contentOf(answer, components) }),
  };
}

/** Null: not made by errorAnswers. */
function codesOf(answer: Schema): ApiErrorCode[] | null {
  const properties = answer['properties'] as
    | { error?: { properties?: { code?: { enum?: ApiErrorCode[] } } } }
    | undefined;
  return properties?.error?.properties?.code?.enum ?? null;
}

function refusal(codes: readonly ApiErrorCode[], components: Components): Reference {
  const sorted = [...codes].sort();
  return components.answer(sorted.map(inPascalCase).join('Or'), () => {
    const examples = sorted.map((code) => [
      code,
      { value: { error: { code, message: API_ERRORS[code].message } } },
    ]);
    return {
      description: sorted.map((code) => `\`${code}\`: ${API_ERRORS[code].message}`).join('\n\n'),
      headers: headers('Request-Id', 'Link', ...refusalHeaders(sorted)),
      content: {
        'application/json': { schema: components.use(ErrorSchema), examples: Object.fromEntries(examples) },
      },
    };
  });
}

function inPascalCase(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type HeaderName = keyof typeof ANSWER_HEADERS;
const RATE: readonly HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

function refusalHeaders(codes: readonly ApiErrorCode[]): HeaderName[] {
  if (codes.includes('unauthorized')) return ['WWW-Authenticate'];
  if (codes.includes('rate_limited')) return ['Retry-After', ...RATE];
  return codes.includes('unavailable') ? ['Retry-After'] : [];
}

function headers(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
