import { schemaOf } from '../document.ts';
import type { Schema } from '../example.ts';
import { type Html, html, inline } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { schemaHref } from './page.ts';

/** Marks of fields: required in requests, optional in answers. */
type Marking = 'request' | 'answer';

export interface Tree {
  readonly marking: Marking;
  readonly document: OpenApiDocument;
}

export function schemaTree(schema: Schema, tree: Tree): Html {
  const properties = propertiesOf(schema);
  if (properties === null) return html`<p class="type">${typeOf(schema)}</p>`;
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  return html`<ul class="fields">${Object.entries(properties).map(([name, property]) => field(name, property, required.has(name), tree))}</ul>`;
}

function field(name: string, given: Schema, required: boolean, tree: Tree): Html {
  // Explained once under conventions.
  const schema = tree.marking === 'request' && !required ? exceptNull(given) : given;
  const inner = innerOf(schema);
  const description = given['description'] ?? schemaOf(tree.document, schema)['description'];
  return html`<li><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${markOf(required, tree.marking)}${limitsOf(schema)}
${typeof description === 'string' ? html`<div class="note">${inline(description)}</div>` : ''}${inner === null ? '' : schemaTree(inner, tree)}</li>
`;
}

function exceptNull(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(type) && type.includes('null')) return withoutNull(schema, type);
  if (!Array.isArray(anyOf)) return schema;
  const variants = (anyOf as Schema[]).filter((variant) => variant['type'] !== 'null');
  return variants.length === 1 ? { ...rest, ...variants[0] } : { ...rest, anyOf: variants };
}

function markOf(required: boolean, marking: Marking): Html {
  if (marking === 'request') return html`${required ? html` <span class="required">required</span>` : ''}`;
  return html`${required ? '' : html` <span class="limits">may be absent</span>`}`;
}

function propertiesOf(schema: Schema): Record<string, Schema> | null {
  const properties = schema['properties'] as Record<string, Schema> | undefined;
  return properties === undefined || Object.keys(properties).length === 0 ? null : properties;
}

/** The object to expand: itself, items, or the non-null alternative. */
function innerOf(schema: Schema): Schema | null {
  if (propertiesOf(schema) !== null) return schema;
  if (schema['type'] === 'array') return innerOf((schema['items'] ?? {}) as Schema);
  const variants = variantsOf(schema);
  return variants === null ? null : (variants.map(innerOf).find((inner) => inner !== null) ?? null);
}

function variantsOf(schema: Schema): Schema[] | null {
  return Array.isArray(schema['anyOf']) && schema['properties'] === undefined
    ? (schema['anyOf'] as Schema[])
    : null;
}

export function typeOf(schema: Schema): Html {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const name = ref.slice(ref.lastIndexOf('/') + 1);
    return html`<a href="${schemaHref(name)}">${name}</a>`;
  }
  const variants = variantsOf(schema);
  if (variants !== null)
    return html`${variants.map((variant, at) => html`${at > 0 ? ' or ' : ''}${typeOf(variant)}`)}`;
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  const types = schema['type'];
  if (Array.isArray(types) && types.length > 1) return html`${typeOf(withoutNull(schema, types))} or null`;
  if (Array.isArray(schema['enum']))
    return html`${schema['enum'].map((value, at) => html`${at > 0 ? ' | ' : ''}<code>${value}</code>`)}`;
  if (schema['type'] === 'array') return html`array of ${typeOf((schema['items'] ?? {}) as Schema)}`;
  if (typeof schema['format'] === 'string') return html`${schema['type'] as string} (${schema['format']})`;
  return html`${(schema['type'] as string | undefined) ?? 'any value'}`;
}

function withoutNull(schema: Schema, types: readonly unknown[]): Schema {
  const { enum: values, ...rest } = schema;
  return {
    ...rest,
    type: types.find((type) => type !== 'null'),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
  };
}

const LIMITS: Readonly<Record<string, (value: unknown) => string>> = {
  default: (value) => `default ${value}`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  minLength: (value) => `at least ${value} ${value === 1 ? 'character' : 'characters'}`,
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value}`,
  maxItems: (value) => `at most ${value}`,
};

function limitsOf(schema: Schema): Html {
  const limits = Object.entries(LIMITS).flatMap(([keyword, say]) =>
    schema[keyword] === undefined ? [] : [say(schema[keyword])],
  );
  return html`${limits.length > 0 ? html` <span class="limits">${limits.join(', ')}</span>` : ''}`;
}
