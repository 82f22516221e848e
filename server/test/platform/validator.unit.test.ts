import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { createChecker } from '../../src/platform/http/validator.ts';

const check = createChecker(
  Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 4, pattern: '^[a-z]*$' })),
      code: Type.Optional(Type.String({ minLength: 2 })),
      variables: Type.Optional(Type.Object({}, { maxProperties: 1, additionalProperties: true })),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
      list: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })),
    },
    { additionalProperties: false },
  ),
);

test.each([
  [{ name: 'abcde' }, 'name may have at most 4 characters.'],
  [{ name: '' }, 'name must not be empty.'],
  [{ name: 'A' }, 'name has a character that is not allowed, or not the form that is.'],
  [{ code: 'a' }, 'code must have at least 2 characters.'],
  [{ variables: { a: 1, b: 2 } }, 'variables may have at most 1 field.'],
  [{ count: 0 }, 'count must be 1 or more.'],
  [{ count: 10 }, 'count must be 9 or less.'],
  [{ list: [] }, 'list must not be empty.'],
  [{ list: ['a', 'b', 'c'] }, 'list may have at most 2 items.'],
  [{ list: ['a', 'a'] }, 'list must not have the same item twice.'],
  [{ domain: 'a' }, 'domain is not a field of this request: did you mean name?'],
  [{ data: {} }, 'data is not a field of this request: did you mean variables?'],
  [{ params: {} }, 'params is not a field of this request: did you mean variables?'],
  [{ cuont: 1 }, 'cuont is not a field of this request: remove it or correct its spelling.'],
  [{ variable: {} }, 'variable is not a field of this request: did you mean variables?'],
  [{ toString: 1 }, 'toString is not a field of this request: remove it or correct its spelling.'],
])('%j: %s', (value, problem) => {
  expect(check(value)).toStrictEqual({ ok: false, problem });
});
