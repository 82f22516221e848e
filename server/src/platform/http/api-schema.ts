import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts';

/** Schemas that routes share. Route schemas are the only source of the OpenAPI document. */

export const ID_EXAMPLE = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
export const HASH_EXAMPLE = '5b1d2f0a7c3e4d5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7';

export const Id = Type.String({
  format: 'uuid',
  description: 'UUIDv7.',
  examples: [ID_EXAMPLE],
});
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds.',
  examples: ['2026-11-20T09:30:00.000Z'],
});

export function nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An object without a name, such as a query, that has no other fields. */
export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** An object of a body or an answer, under its name in the document and in the client libraries. */
export function named<P extends TProperties>($id: string, properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, $id, ...options });
}

/** The same of an answer that may have more fields one day. */
export function openNamed<P extends TProperties>($id: string, properties: P, options: object = {}) {
  return Type.Object(properties, { $id, ...options });
}

/** A map with any keys. `Type.Record` would not check keys with a line break. */
export function mapOf<T extends TSchema>(values: T, options: object = {}) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: values,
    ...options,
  });
}

/** No control characters; the pattern means the same in every engine. */
export const NO_CONTROLS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

/** One line of visible text: no control characters (PostgreSQL takes no NUL), not only spaces. */
export function line(maxLength: number, options: { description?: string; examples?: string[] } = {}) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: '^ *[^ \\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$',
    ...options,
  });
}

/** Plain text, so that a malformed id answers the same 404 as an unknown one. */
export const ID_PARAMS = Type.Object({
  id: Type.String({ description: 'An id that is unknown or of another account answers 404.' }),
});

export const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256, lower-case hex.',
  examples: [HASH_EXAMPLE],
});

export const LOCATION = {
  Location: Type.String({
    description: 'Path of the created resource.',
    examples: [`/v1/messages/${ID_EXAMPLE}`],
  }),
};

/** An answer that is not JSON. */
export function otherContent(mediaType: string, description: string, example?: string) {
  return {
    description,
    content: {
      [mediaType]: {
        schema: Type.Unsafe<never>({ type: 'string', ...(example !== undefined && { examples: [example] }) }),
      },
    },
  };
}

export const KEYED_ERRORS = [
  'invalid_parameter',
  'unauthorized',
  'insufficient_scope',
  'tenant_suspended',
  'tenant_deactivated',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const satisfies readonly ApiErrorCode[];
/** Errors of every method but GET, with or without a body. */
export const BODY_ERRORS = [
  'invalid_body',
  'request_timeout',
  'unsupported_media_type',
  'payload_too_large',
] as const satisfies readonly ApiErrorCode[];

/** Why a request, or an item of a batch, was refused. */
export const ErrorDetail = named('ErrorDetail', {
  code: Type.Enum(Object.keys(API_ERRORS) as ApiErrorCode[], {
    description: 'Each has one HTTP status; see docs/errors.md.',
    $id: 'ErrorCode',
  }),
  message: Type.String({
    description: 'For people: what is wrong and how to fix it.',
    examples: [API_ERRORS.invalid_body.message],
  }),
});

export const ErrorSchema = named(
  'Error',
  { error: ErrorDetail },
  { title: 'Error answer', description: 'Every error answer.' },
);

/** Error answers for a route's `response`: one schema per status. */
export function errorAnswers(...codes: readonly ApiErrorCode[]): Record<string, ReturnType<typeof envelope>> {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of codes) {
    const { status } = API_ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, each]) => [String(status), envelope(each)]));
}

/** By status. */
export type Answers = Readonly<Record<string, unknown>>;

/** A route's answers, with refusals of its door in front of its own. */
export function withRefusals(answers: Answers, codes: readonly ApiErrorCode[]): Answers {
  const own = Object.entries(answers).filter(([status]) => Number(status) >= 400);
  const named = own.flatMap(([, refusal]) => codesOf(refusal as ReturnType<typeof envelope>));
  return { ...answers, ...errorAnswers(...new Set([...codes, ...named])) };
}

function codesOf({ properties }: ReturnType<typeof envelope>): ApiErrorCode[] {
  return (properties.error.properties.code as unknown as { enum: ApiErrorCode[] }).enum;
}

function envelope(codes: readonly ApiErrorCode[]) {
  return Type.Object(
    {
      error: Type.Object(
        {
          code: Type.String({ enum: [...codes] }),
          message: Type.String({ description: 'For people: what is wrong and how to fix it.' }),
        },
        { additionalProperties: false },
      ),
    },
    {
      additionalProperties: false,
      description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].message}`).join(' '),
    },
  );
}

export const NoContent = Type.Null({ description: 'Success; no content.' });

export const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [12] });
