// The schemas of a contract as TypeScript for the web applications: an interface or a type for each name in
// components.schemas, with its description. Answers only: what a schema demands beyond its shape (lengths,
// patterns) is the server's to refuse.

const HEAD = (
  name,
) => `// The schemas of contract/${name}.json as types. Written by npm run generate; npm run check fails when stale.

`;
const REF = '#/components/schemas/';
const DESCRIPTION_CHARS_MAX = 100;

/** `document`: the parsed contract. Returns the text of a module. */
export function webApiTypes(name, document) {
  const schemas = Object.entries(document.components?.schemas ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return HEAD(name) + schemas.map(([title, schema]) => declaration(title, schema)).join('\n');
}

function declaration(title, schema) {
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  const type = typeOf(schema, '');
  const head = comment(schema, '');
  return isInterface
    ? `${head}export interface ${title} ${type}\n`
    : `${head}export type ${title} = ${type};\n`;
}

function typeOf(schema, indent) {
  if (schema === true || schema === undefined) return 'unknown';
  if (schema.$ref !== undefined) return schema.$ref.slice(REF.length);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined && schema.properties === undefined)
    return either.map((each) => typeOf(each, indent)).join(' | ');
  const types = [schema.type ?? (schema.properties === undefined ? 'unknown' : 'object')].flat();
  return types.map((type) => ofType(type, schema, indent)).join(' | ');
}

function ofType(type, schema, indent) {
  if (type === 'array') return `readonly ${bracketed(typeOf(schema.items, indent))}[]`;
  if (type === 'object') return objectOf(schema, indent);
  if (type === 'integer') return 'number';
  return type;
}

/** `readonly` binds to what follows it, and a union would not be of elements. */
function bracketed(type) {
  return / \| |^readonly /.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

function objectOf(schema, indent) {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined)
    return typeof additionalProperties === 'object'
      ? `{ readonly [name: string]: ${typeOf(additionalProperties, indent)} }`
      : '{ readonly [name: string]: unknown }';
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, each]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.includes(name) ? '' : '?';
    return `${comment(each, inner)}${inner}readonly ${key}${mark}: ${typeOf(each, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function comment({ description }, indent) {
  if (description === undefined) return '';
  const line = description.split('\n', 1)[0].replaceAll('*/', '*\u200b/');
  const shown = line.length > DESCRIPTION_CHARS_MAX ? `${line.slice(0, DESCRIPTION_CHARS_MAX)}…` : line;
  return `${indent}/** ${shown} */\n`;
}
