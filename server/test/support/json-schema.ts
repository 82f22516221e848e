import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Schema } from '../../src/surfaces/reference/example.ts';
import type { OpenApiDocument } from '../../src/surfaces/reference/openapi.ts';

/**
 * Checks values against schemas of the OpenAPI document, as somebody would who has nothing but the document.
 */
export interface DocumentSchemas {
  /** Null when the value fits, else what is wrong. */
  problem(schema: Schema, value: unknown): string | null;
}

const DOCUMENT = 'https://example.com/openapi.json';

export function documentSchemas(document: OpenApiDocument): DocumentSchemas {
  const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: true });
  (addFormats as unknown as { default: typeof addFormats.default }).default(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<Schema, ValidateFunction>();
  return {
    problem(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) {
        validate = ajv.compile(withAbsoluteRefs(schema) as object);
        compiled.set(schema, validate);
      }
      return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'value' });
    },
  };
}

function withAbsoluteRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAbsoluteRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string' ? DOCUMENT + each : withAbsoluteRefs(each),
    ]),
  );
}
