// Replaces reflection for the shim and the tests of the Rust library: each schema by its name, and
// each operation as a call of its method, so that a method that is missing does not compile.
import { camel, member, snake, typeName } from './rust-words.mjs';

/** @param {import('./model.mjs').Model} model */
export function roundtripCode({ schemas }) {
  const arms = schemas.map(
    ({ name }) => `        "${name}" => through::<types::${typeName(name)}>(value),\n`,
  );
  return [
    '/// Reads a value as a schema and writes it again; None: the schema is not known.\n',
    'pub fn roundtrip(schema: &str, value: Value) -> Option<Result<Value, String>> {\n',
    `    Some(match schema {\n${arms.join('')}        _ => return None,\n    })\n}\n\n`,
    'fn through<T>(value: Value) -> Result<Value, String>\nwhere\n    T: serde::Serialize + serde::de::DeserializeOwned,\n{\n',
    '    let read: T = serde_json::from_value(value).map_err(|fault| fault.to_string())?;\n',
    '    serde_json::to_value(read).map_err(|fault| fault.to_string())\n}\n\n',
    `/// The names of all schemas.\n#[allow(dead_code)]\npub const SCHEMAS: &[&str] = &[\n`,
    ...schemas.map(({ name }) => `    "${name}",\n`),
    '];\n',
  ].join('');
}

/** @param {import('./model.mjs').Model} model */
export function dispatchCode({ operations }) {
  const paged = operations.filter(({ result }) => result.kind === 'page');
  const plain = operations.filter(({ result }) => result.kind !== 'page');
  const arm = (each, text) => `        "${nameOf(each)}" => ${text},\n`;
  const fallback = (what) => `        _ => calls::unknown(name, "${what}"),\n`;
  return [
    '/// The operations of the client, by their neutral names: each is an arm below that calls its method.\n',
    `pub const OPERATIONS: &[&str] = &[\n${operations.map((each) => `    "${nameOf(each)}",\n`).join('')}];\n\n`,
    '/// Calls an operation; a list gives its first page.\n',
    'pub fn call(client: &Acuse, name: &str, given: &Given) -> Outcome {\n    match name {\n',
    ...plain.map((each) => arm(each, callOf(each))),
    ...paged.map((each) => arm(each, `calls::first_page(${functionOf(each)}(client, given)?.pages())`)),
    `${fallback('no operation')}    }\n}\n\n`,
    '/// The items of a list.\n',
    'pub fn list(client: &Acuse, name: &str, given: &Given, take: Take) -> Outcome {\n    match name {\n',
    ...paged.map((each) => arm(each, `calls::items(${functionOf(each)}(client, given)?, take)`)),
    `${fallback('no list')}    }\n}\n\n`,
    '/// The pages of a list.\n',
    'pub fn pages(client: &Acuse, name: &str, given: &Given, take: Take) -> Outcome {\n    match name {\n',
    ...paged.map((each) => arm(each, `calls::pages(${functionOf(each)}(client, given)?.pages(), take)`)),
    `${fallback('no list')}    }\n}\n`,
    ...operations.filter(({ query }) => query.length > 0).map(queryFunction),
  ].join('');
}

const nameOf = ({ resource, method }) => `${resource}.${method}`;
const functionOf = ({ resource, method }) => `${snake(resource)}_${snake(method)}`;

function callOf(operation) {
  const { resource, method, query, result, body } = operation;
  const ends = { json: 'calls::json', bytes: 'calls::bytes', text: 'calls::text', none: 'calls::none' };
  if (query.length > 0) return `${ends[result.kind]}(${functionOf(operation)}(client, given)?.send())`;
  const values = operation.pathParams.map(({ name }) => `&given.text("${name}")?`);
  const start = `client.${snake(resource)}().${member(method)}`;
  if (operation.headers.length > 0) {
    const content = body === null ? [] : [body.type === null ? 'given.bytes()' : '&given.body()?'];
    return `calls::sent(${start}(${[...values, ...content, 'given.key()'].join(', ')}))`;
  }
  if (operation.id === 'sendBatch') return `calls::batch(client, given)`;
  if (body !== null) values.push(body.type === null ? 'given.bytes()' : '&given.body()?');
  return `${ends[result.kind]}(${start}(${values.join(', ')}))`;
}

function queryFunction(operation) {
  const { resource, method, query, pathParams } = operation;
  const values = pathParams.map(({ name }) => `&given.text("${name}")?`).join(', ');
  const lines = query.map(({ name, type }) => {
    const setter = `query = query.${member(name)}(value);`;
    const read = { integer: 'integer', boolean: 'boolean', array: 'many' }[type.kind] ?? 'maybe';
    if (read === 'many') return `    for value in given.many("${name}") {\n        ${setter}\n    }\n`;
    return `    if let Some(value) = given.${read}("${name}")? {\n        ${setter}\n    }\n`;
  });
  return [
    `\nfn ${functionOf(operation)}<'a>(client: &'a Acuse, given: &Given) -> calls::Asked<requests::${camel(operation.operationId)}<'a>> {\n`,
    `    let mut query = client.${snake(resource)}().${member(method)}(${values});\n`,
    `${lines.join('')}    Ok(query)\n}\n`,
  ].join('');
}
