// The types of the Ruby library in RBS, for Steep and for editors: sig/generated.rbs. What is written by hand
// has its types in sig/acuse.rbs.

/** Readers that are called otherwise, because every object or model has a method of the name. */
const TAKEN = new Set(
  'class clone display dup extra extend fields freeze hash inspect itself method methods object_id response send tap then'.split(
    ' ',
  ),
);
const SCALARS = {
  string: 'String',
  integer: 'Integer',
  number: 'Numeric',
  boolean: 'bool',
  null: 'nil',
  json: 'untyped',
};

/** @param {import('./model.mjs').Model} model */
export function signatures(model, { byHand, snake, methodOf }) {
  const schemas = new Map(model.schemas.map((schema) => [schema.name, schema]));
  const rbs = (type) => rbsType(type, schemas);
  const lines = [
    'module Acuse',
    '  module Types',
    ...model.schemas.filter(({ kind }) => kind === 'object').flatMap((schema) => modelSig(schema, rbs)),
    '    ALIASES: Hash[String, untyped]',
    '  end',
    '',
    '  # What an event says: `case event.data when Acuse::Types::EmailBouncedData` tells which.',
    `  type event_data = ${[...new Set(model.events.map(({ data }) => rbs(data)))].join(' | ')} | Hash[String, untyped]`,
    '  EVENT_DATA: Hash[String, String]',
    '',
    '  module ErrorCodes',
    ...model.errors.map(({ code }) => `    ${code.toUpperCase()}: String`),
    '  end',
    '',
    '  FIXES: Hash[String, [Integer, String]]',
    '',
    '  module Resources',
    ...resourceSigs(model, { rbs, byHand, snake, methodOf }),
    '    ALL: Hash[Symbol, untyped]',
    '  end',
    '',
    '  class Client',
    ...[...new Set(model.operations.map(({ resource }) => resource))].map(
      (resource) => `    attr_reader ${snake(resource)}: Resources::${capital(resource)}`,
    ),
    '  end',
    'end',
  ];
  return `# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.\n${lines.join('\n')}\n`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function modelSig({ name, fields }, rbs) {
  const readers = fields.map((field) => {
    const reader = TAKEN.has(field.name) ? `${field.name}_value` : field.name;
    return `      def ${reader}: () -> ${orNil(rbs(field.type), field.nullable || !field.required)}`;
  });
  return [`    class ${name} < Model`, ...readers, '    end', ''];
}

function orNil(type, isNil) {
  const one = / \| /.test(type) ? `(${type})` : type;
  return isNil && type !== 'untyped' ? `${one}?` : one;
}

function rbsType(type, schemas) {
  if (type.kind === 'array') return `Array[${rbsType(type.of, schemas)}]`;
  if (type.kind === 'map') return `Hash[String, ${rbsType(type.of, schemas)}]`;
  if (type.kind === 'union') return type.of.map((each) => rbsType(each, schemas)).join(' | ');
  if (type.kind !== 'ref') return SCALARS[type.kind];
  const { kind, of } = schemas.get(type.name);
  if (kind === 'object') return `Types::${type.name}`;
  return of.length > 0 ? rbsType({ kind: 'union', of }, schemas) : 'String';
}

function resourceSigs({ operations }, { rbs, byHand, snake, methodOf }) {
  const names = [...new Set(operations.map(({ resource }) => resource))];
  return names.flatMap((resource) => [
    `    class ${capital(resource)} < Resource`,
    ...operations
      .filter((each) => each.resource === resource && !byHand.has(`${each.resource}.${each.method}`))
      .map(
        (each) =>
          `      def ${methodOf(each)}: (${argumentsOf(each, rbs, snake)}) -> ${resultOf(each.result, rbs)}`,
      ),
    '    end',
    '',
  ]);
}

function argumentsOf({ pathParams, query, body }, rbs, snake) {
  const bodyType =
    body === null || body.type === null ? 'String' : `${rbs(body.type)} | Hash[untyped, untyped]`;
  return [
    ...pathParams.map(({ name }) => `String ${snake(name)}`),
    ...(body === null ? [] : [body.required ? `(${bodyType}) body` : `?(${bodyType})? body`]),
    ...query.map(({ name, type, required }) => {
      const one = type.kind === 'array' ? `${rbs(type)} | ${rbs(type.of)}` : rbs(type);
      return required ? `${snake(name)}: ${one}` : `?${snake(name)}: ${orNil(one, true)}`;
    }),
  ].join(', ');
}

function resultOf(result, rbs) {
  if (result.kind === 'json') return /\|/.test(rbs(result.type)) ? `(${rbs(result.type)})` : rbs(result.type);
  if (result.kind === 'page') return `List[${rbs(result.item)}]`;
  return result.kind === 'none' ? 'nil' : 'String';
}
