export interface Schema {
  readonly [keyword: string]: unknown;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11',
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  uri: 'https://example.com/limits',
};
const DEPTH_MAX = 12;

/** The schema's first example, or one made from its parts. Optional fields only if they have examples. */
export function exampleOf(schema: Schema, resolve: (ref: string) => Schema, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  const given = (schema['examples'] as unknown[] | undefined)?.[0];
  if (given !== undefined) return given;
  if (typeof schema['$ref'] === 'string') return exampleOf(resolve(schema['$ref']), resolve, depth + 1);
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(schema['anyOf']) && schema['properties'] === undefined)
    return exampleOf(schema['anyOf'][0] as Schema, resolve, depth + 1);
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'object':
      return exampleObject(schema, resolve, depth);
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as Schema, resolve, depth + 1)];
    case 'string':
      return BY_FORMAT[String(schema['format'])] ?? 'text';
    case 'integer':
    case 'number':
      return schema['default'] ?? schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function exampleObject(schema: Schema, resolve: (ref: string) => Schema, depth: number): unknown {
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.has(name) || property['examples'] !== undefined,
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, resolve, depth + 1)]));
}
