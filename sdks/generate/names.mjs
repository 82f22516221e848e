// names.json: what each operation of the contract is called in the libraries, or why they leave it out.

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const PLACE = 'sdks/generate/names.json';
const NEUTRAL = /^[a-z][a-zA-Z0-9]*$/;

/**
 * Faults in the names, as lines.
 * @param {object} document openapi.json
 * @param {object} names names.json
 */
export function namingProblems(document, names) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((http) => item[http] !== undefined).map((http) => ({ ...item[http], http, path })),
  );
  const known = new Set(operations.map(({ operationId }) => operationId));
  return [
    ...operations.flatMap((operation) =>
      names.operations[operation.operationId] === undefined
        ? [missing(operation)]
        : wrong(operation, names.operations[operation.operationId]),
    ),
    ...Object.keys(names.operations)
      .filter((id) => !known.has(id))
      .map((id) => `${PLACE}: names ${id}, which contract/openapi.json does not have: remove the line`),
    ...twice(names),
  ];
}

function missing({ operationId, http, path }) {
  const [resource, method] = guess(operationId, path);
  const line = `"${operationId}": { "resource": "${resource}", "method": "${method}" }`;
  return `${PLACE}: ${http.toUpperCase()} ${path} (${operationId}) has no name: add ${line}`;
}

/** `listPeople` of /v1/people → people.list; what a person would write at first. */
function guess(operationId, path) {
  const segment = path.split('/').find((each) => each !== '' && each !== 'v1' && !each.startsWith('{'));
  const resource = (segment ?? 'service').replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const [verb] = /^[a-z]+/.exec(operationId) ?? [operationId];
  return [resource, verb];
}

function wrong(operation, name) {
  const where = `${PLACE}: ${operation.operationId}`;
  if (name.leftOut !== undefined)
    return name.leftOut.length > 10 ? [] : [`${where}: say in leftOut why the libraries leave it out`];
  const retry = operation['x-acuse-retry'];
  return [
    ...[name.resource, name.method, ...(name.variants ?? []).map(({ method }) => method)]
      .filter((each) => !NEUTRAL.test(each ?? ''))
      .map((each) => `${where}: ${JSON.stringify(each)} is not in camelCase: rotateSecret`),
    ...(['safe', 'keyed', 'repeatable', 'once'].includes(retry)
      ? []
      : [`${where}: the route has no x-acuse-retry: give it one (retry in its schema)`]),
    ...mediaProblems(operation, name, where),
  ];
}

/** Each media type of a body and of an answer is asked for by the operation or by one of its variants. */
function mediaProblems(operation, name, where) {
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const variants = name.variants ?? [];
  const offered = { body: operation.requestBody?.content, accept: answer?.content };
  return Object.entries(offered).flatMap(([key, content]) => {
    const [first, ...others] = Object.keys(content ?? {});
    const asked = variants.flatMap((variant) => (variant[key] === undefined ? [] : [variant[key]]));
    const unasked = others.filter((media) => !asked.includes(media) && name[key] !== media);
    const unknown = asked.filter((media) => media !== first && !others.includes(media));
    return [
      ...unasked.map(
        (media) =>
          `${where}: ${media} has no name: add { "id": …, "method": …, "${key}": "${media}" } to its variants`,
      ),
      ...unknown.map((media) => `${where}: a variant has ${media}, which the contract does not: remove it`),
    ];
  });
}

function twice(names) {
  const places = new Map();
  for (const [operationId, { leftOut, resource, method, variants = [] }] of Object.entries(
    names.operations,
  )) {
    if (leftOut !== undefined) continue;
    for (const each of [method, ...variants.map((variant) => variant.method)]) {
      const name = `${resource}.${each}`;
      places.set(name, [...(places.get(name) ?? []), operationId]);
    }
  }
  return [...places]
    .filter(([, ids]) => ids.length > 1)
    .map(([name, ids]) => `${PLACE}: ${name} is the name of ${ids.join(' and ')}: give each its own`);
}
