// The part of the contract that the writers of calls need, small enough for a browser.

/**
 * @param {import('../model.mjs').Model} model
 * @returns {import('./index.d.mts').Table}
 */
export function tableOf(model) {
  const schemas = new Map(model.schemas.map((schema) => [schema.name, schema]));
  const used = new Set();
  for (const { body, query } of model.operations) {
    follow(body?.type ?? null, schemas, used);
    for (const { type } of query) follow(type, schemas, used);
  }
  return {
    operations: model.operations.map(operationOf),
    schemas: Object.fromEntries([...used].sort().map((name) => [name, schemaOf(schemas.get(name))])),
  };
}

function operationOf({
  id,
  operationId,
  resource,
  method,
  http,
  path,
  query,
  headers,
  body,
  result,
  pathParams,
}) {
  return {
    ...{ id, operationId, resource, method, http, path },
    query: query.map(({ name, type }) => ({ name, type: typeOf(type) })),
    result: result.kind,
    ...(pathParams.some(({ slashes }) => slashes) ? { slashes: true } : {}),
    ...(headers.some(({ name }) => name === 'Idempotency-Key') ? { keyed: true } : {}),
    ...(body === null ? {} : { bodyType: body.type === null ? null : typeOf(body.type), media: body.media }),
    // The same request with another Accept.
    ...(id !== operationId && body?.media === undefined ? { accepts: false } : {}),
    ...(id !== operationId && result.kind === 'json' && !headers.length ? { accepts: false } : {}),
  };
}

function schemaOf({ name, kind, fields, of }) {
  if (kind === 'enum') return { name, kind };
  if (kind === 'union') return { name, kind, of: of.map(typeOf) };
  return {
    ...{ name, kind },
    fields: fields.map((field) => ({
      name: field.name,
      type: typeOf(field.type),
      ...(field.required ? { required: true } : {}),
      ...(field.nullable ? { nullable: true } : {}),
    })),
  };
}

/** Without the values that are known today. */
function typeOf(type) {
  if (type.kind === 'ref') return { kind: 'ref', name: type.name };
  if (type.kind === 'array' || type.kind === 'map') return { kind: type.kind, of: typeOf(type.of) };
  if (type.kind === 'union') return { kind: 'union', of: type.of.map(typeOf) };
  return type.format === 'date-time' ? { kind: type.kind, format: type.format } : { kind: type.kind };
}

function follow(type, schemas, used) {
  if (type === null) return;
  if (type.kind === 'array' || type.kind === 'map') follow(type.of, schemas, used);
  if (type.kind === 'union') for (const each of type.of) follow(each, schemas, used);
  if (type.kind !== 'ref' || used.has(type.name)) return;
  used.add(type.name);
  const { fields, of, additional } = schemas.get(type.name);
  for (const each of [...fields.map((field) => field.type), ...of, additional]) follow(each, schemas, used);
}
