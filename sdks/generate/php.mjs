// Writes the types, operations, error codes, event types and resources of the PHP library.
import { ERROR_CLASSES } from './error-classes.mjs';
import { phpOutbox } from './outbox-code.mjs';
import { errorClass, errorClasses, errors } from './php-errors.mjs';
import { comment, file, indent, quote, union, value } from './php-text.mjs';

/** @typedef {import('./model.mjs').Model} Model */
/** @typedef {import('./model.mjs').Type} Type */
/** @typedef {import('./model.mjs').Operation} Operation */

/** Methods that the library writes by hand, in a trait of the resource. */
const BY_HAND = new Set([
  'messages.send',
  'messages.sendRaw',
  'messages.sendBatch',
  'messages.resend',
  'log.checkpoint',
]);
/** Resources that have methods by hand, with their trait. */
const TRAITS = new Map([
  ['messages', 'SendsMessages'],
  ['evidence', 'KeepsEvidence'],
  ['log', 'FollowsLog'],
]);
/** Characters of a line of code that is not broken. */
const CODE_WIDTH = 100;

/**
 * @param {Model} model
 * @returns {{path: string, text: string}[]}
 */
export function emit(model) {
  const names = new Map(model.schemas.map((schema) => [schema.name, schema]));
  const objects = model.schemas.filter(({ kind }) => kind === 'object');
  const files = [
    ...objects.map((schema) => [`Types/${schema.name}`, type(schema, names)]),
    ...resources(model, names),
    ['Internal/Aliases', aliases(model)],
    ['Internal/Operations', operations(model)],
    ['Internal/Resources', allResources(model)],
    ['ErrorCode', errors(model)],
    ...ERROR_CLASSES.map((each) => [`Errors/${each.name}Error`, errorClass(each)]),
    ['Internal/ErrorClasses', errorClasses()],
    ['EventType', events(model)],
    ['Internal/OutboxSql', phpOutbox()],
  ];
  return files.map(([name, text]) => ({ path: `src/generated/${name}.php`, text }));
}

function type({ name, doc, fields, additional }, names) {
  const open =
    additional === null || fields.length > 0 ? '' : 'Each field has a name of its own: see extra().';
  const properties = fields.flatMap((field) => {
    const shown = phpDoc(field.type, names, '');
    const detail = /[<>]/.test(shown)
      ? `@var ${shown}${optional(field) || mayLack(field, names) ? '|null' : ''}`
      : '';
    const text = [field.doc, detail].filter(Boolean).join('\n');
    return [...comment(text), `public readonly ${native(field, names)} $${field.name};`];
  });
  const known = fields.map(
    (field) =>
      `${quote(field.name)} => [${value(field.type)}, ${field.required}, ${field.nullable}, ${field.essential}],`,
  );
  const setting = fields.map(
    ({ name: each, ...field }) => `$this->${each} = $values[${quote(each)}]${otherwise(field, names)};`,
  );
  return file(
    'Acuse\\Types',
    ['Acuse\\Model', 'Acuse\\ResponseInfo'],
    [
      ...comment([doc || `${name} of the contract.`, open].filter(Boolean).join('\n')),
      `final class ${name} extends Model`,
      '{',
      ...indent([
        '/** @internal name => type, required, nullable, essential */',
        ...(known.length === 0
          ? ['public const FIELDS = [];']
          : ['public const FIELDS = [', ...indent(known), '];']),
        ...(properties.length === 0 ? [] : ['', ...properties]),
        '',
        '/** @internal */',
        'public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)',
        '{',
        ...indent(['parent::__construct($values, $extra, $response);', ...setting]),
        '}',
      ]),
      '}',
    ],
  );
}

const optional = ({ required, nullable }) => !required || nullable;

/** The default of a property whose field is absent: null if it may be null. */
function otherwise(field, names) {
  if (field.essential && !field.nullable) return '';
  if (optional(field)) return ' ?? null';
  const [kind] = phpTypes(field.type, names);
  return ` ?? ${{ string: "''", int: '0', bool: 'false', array: '[]' }[kind] ?? 'null'}`;
}

/** An object that an older server does not have. */
const mayLack = (field, names) =>
  field.required && !field.essential && otherwise(field, names) === ' ?? null';

/** The type of a property, as PHP checks it. */
function native(field, names) {
  const found = new Set(phpTypes(field.type, names));
  if (found.has('mixed')) return 'mixed';
  if (optional(field) || mayLack(field, names)) found.add('null');
  const [only, second] = [...found];
  if (found.size === 2 && second === 'null') return `?${only}`;
  return [...found].join('|');
}

function phpTypes(type, names) {
  const plain = { string: 'string', integer: 'int', boolean: 'bool', json: 'mixed', null: 'null' };
  switch (type.kind) {
    case 'number':
      return ['int', 'float'];
    case 'array':
    case 'map':
      return ['array'];
    case 'union':
      return type.of.flatMap((each) => phpTypes(each, names));
    case 'ref': {
      const schema = names.get(type.name);
      if (schema.kind === 'object') return [type.name];
      return schema.of.length > 0 ? schema.of.flatMap((each) => phpTypes(each, names)) : ['string'];
    }
    default:
      return [plain[type.kind]];
  }
}

/** A type as PHPDoc writes it; `from`: the namespace of the types, where it is not this one. */
function phpDoc(type, names, from = 'Types\\') {
  if (type.kind === 'array') return `list<${phpDoc(type.of, names, from)}>`;
  if (type.kind === 'map') return `array<string, ${phpDoc(type.of, names, from)}>`;
  if (type.kind === 'union') return type.of.map((each) => phpDoc(each, names, from)).join('|');
  if (type.kind !== 'ref') return phpTypes(type, names).join('|');
  const schema = names.get(type.name);
  if (schema.kind === 'object') return from + type.name;
  return schema.of.length > 0 ? phpDoc({ kind: 'union', of: schema.of }, names, from) : 'string';
}

function aliases({ schemas }) {
  const others = schemas.filter(({ kind }) => kind !== 'object');
  return file(
    'Acuse\\Internal',
    [],
    [
      ...comment(
        'Schemas that are not objects; the values of an enumeration arrive as their text.\n@internal',
      ),
      'final class Aliases',
      '{',
      '    public const ALL = [',
      ...others.map(
        ({ name, of }) => `        ${quote(name)} => ${of.length > 0 ? union(of) : quote('string')},`,
      ),
      '    ];',
      '}',
    ],
  );
}

function operations(model) {
  const lines = model.operations.flatMap((each) => [
    `        ${quote(each.id)} => [`,
    `            'name' => ${quote(nameOf(each))}, 'http' => ${quote(each.http)}, 'path' => ${quote(each.path)},`,
    `            'retry' => ${quote(each.retry)}, 'result' => ${quote(each.result.kind)},`,
    `            'type' => ${resultType(each.result)}, 'accept' => ${orNull(each.accept)},`,
    `            'media' => ${orNull(each.body?.media)}, 'body' => ${each.body?.type ? value(each.body.type) : 'null'},`,
    `            'pathParams' => [${each.pathParams.map(({ name }) => quote(name)).join(', ')}],`,
    '        ],',
  ]);
  return file(
    'Acuse\\Internal',
    [],
    [
      '/** What the contract says of each operation, by operationId. @internal */',
      'final class Operations',
      '{',
      '    public const ALL = [',
      ...lines,
      '    ];',
      '}',
    ],
  );
}

const orNull = (text) => (text == null ? 'null' : quote(text));

function resultType(result) {
  if (result.kind === 'json') return value(result.type);
  return result.kind === 'page' ? value({ kind: 'ref', name: result.page }) : 'null';
}

function resources({ operations: all }, names) {
  return [...grouped(all)].map(([resource, list]) => {
    const trait = TRAITS.get(resource);
    const generated = list.filter((each) => !BY_HAND.has(nameOf(each)));
    const types = generated.some((each) => usesTypes(each)) ? ['Acuse\\Types'] : [];
    const lists = generated.some(({ result }) => result.kind === 'page') ? ['Acuse\\Listing'] : [];
    const text = file(
      'Acuse\\Resources',
      ['Acuse\\Errors\\AcuseError', 'Acuse\\Internal\\Resource', ...lists, ...types],
      [
        ...comment(`Operations of ${spaced(resource)}.`),
        `final class ${capital(resource)} extends Resource`,
        '{',
        ...(trait === undefined ? [] : [`    use \\Acuse\\Internal\\${trait};`, '']),
        ...indent(generated.flatMap((each) => [...method(each, names), '']).slice(0, -1)),
        '}',
      ],
    );
    return [`Resources/${capital(resource)}`, text];
  });
}

function usesTypes({ body, result }) {
  return [body?.type, result.type, result.item].some((type) => JSON.stringify(type ?? '').includes('"ref"'));
}

function grouped(all) {
  const found = new Map();
  for (const each of all) found.set(each.resource, [...(found.get(each.resource) ?? []), each]);
  return found;
}

/** @param {Operation} operation */
function method(operation, names) {
  const { pathParams, query, body, result, id } = operation;
  const [returned, detail] = resultTypes(result, names);
  const parameters = [
    ...pathParams.map(({ name }) => `string $${camel(name)}`),
    ...(body === null ? [] : [bodyParameter(body, names)]),
    ...query.map((each) => `${queryType(each, names)} $${camel(each.name)}${each.required ? '' : ' = null'}`),
  ];
  const doc = [
    operation.doc,
    ...[...pathParams, ...query].map((each) =>
      `@param ${paramDoc(each, names)} $${camel(each.name)} ${each.doc}`.trim(),
    ),
    detail === returned ? '' : `@return ${detail}`,
    '@throws AcuseError',
  ];
  const given = [
    quote(id),
    ...pairs('path', pathParams),
    ...pairs('query', query),
    ...(body === null ? [] : ['body: $body']),
  ];
  const lead = result.kind === 'none' ? '' : 'return ';
  const call = result.kind === 'page' ? '$this->listOf' : '$this->call';
  return [
    ...comment(doc.filter(Boolean).join('\n')),
    ...signature(`public function ${operation.method}(`, parameters, `): ${returned}`),
    ...indent(wrapped(`${lead}${call}(`, given, ');')),
    '}',
  ];
}

function pairs(name, parameters) {
  if (parameters.length === 0) return [];
  const each = parameters.map((parameter) => `${quote(parameter.name)} => $${camel(parameter.name)}`);
  const line = `${name}: [${each.join(', ')}]`;
  if (line.length < CODE_WIDTH - 12) return [line];
  return [`${name}: [\n${each.map((pair) => `        ${pair},`).join('\n')}\n    ]`];
}

function signature(head, parameters, tail) {
  const line = `${head}${parameters.join(', ')}${tail}`;
  if (line.length <= CODE_WIDTH) return [line, '{'];
  return [head, ...parameters.map((each) => `    ${each},`), `${tail} {`];
}

function wrapped(head, parts, tail) {
  const line = `${head}${parts.join(', ')}${tail}`;
  if (line.length <= CODE_WIDTH && !line.includes('\n')) return [line];
  return [head, ...parts.flatMap((part) => `    ${part},`.split('\n')), tail];
}

function bodyParameter({ type, required }, names) {
  const shown = type === null ? 'string' : bodyType(type, names);
  const rest = required ? '' : ' = null';
  return `#[\\SensitiveParameter] ${required ? '' : '?'}${shown} $body${rest}`.replace(
    /\?(\w+\|.*) \$/,
    '$1|null $',
  );
}

function bodyType(type, names) {
  if (type.kind === 'ref' && names.get(type.name).kind === 'object') return `array|Types\\${type.name}`;
  return 'array';
}

function queryType(each, names) {
  const found = new Set(phpTypes(each.type, names));
  if (found.has('array')) found.add('string');
  if (each.type.format === 'date-time') found.add('\\DateTimeInterface');
  if (!each.required) found.add('null');
  const list = [...found];
  return list.length === 2 && list[1] === 'null' ? `?${list[0]}` : list.join('|');
}

function paramDoc(each, names) {
  const one =
    { array: '|string', 'date-time': '|\\DateTimeInterface' }[each.type.format ?? each.type.kind] ?? '';
  return phpDoc(each.type, names) + one + (each.required === false ? '|null' : '');
}

/** The result as PHP checks it, and as PHPDoc says it. */
function resultTypes(result, names) {
  if (result.kind === 'json') {
    const found = phpTypes(result.type, names).map((each) => (names.has(each) ? `Types\\${each}` : each));
    return [found.join('|'), phpDoc(result.type, names)];
  }
  if (result.kind === 'page') {
    const page = { kind: 'ref', name: result.page };
    return ['Listing', `Listing<${phpDoc(result.item, names)}, ${phpDoc(page, names)}>`];
  }
  return result.kind === 'none' ? ['void', 'void'] : ['string', 'string'];
}

function allResources({ operations: all }) {
  const found = [...grouped(all).keys()];
  return file(
    'Acuse\\Internal',
    ['Acuse\\Resources as R'],
    [
      '/** The resources of a client. @internal */',
      'trait Resources',
      '{',
      ...indent(found.map((each) => `public readonly R\\${capital(each)} $${each};`)),
      '',
      '    private function connect(Core $core): void',
      '    {',
      ...indent(indent(found.map((each) => `$this->${each} = new R\\${capital(each)}($core);`))),
      '    }',
      '}',
    ],
  );
}

function events(model) {
  return file(
    'Acuse',
    [],
    [
      '/**',
      ' * The types of webhook events known when this library was made; others arrive with their data as',
      ' * it came.',
      ' *',
      // On one line: what reads it takes no other.
      ` * @phpstan-type Data ${[...new Set(model.events.map(({ data }) => `Types\\${data.name}`)), '\\stdClass'].join('|')}`,
      ' */',
      'final class EventType',
      '{',
      ...indent(model.events.map(({ type: each }) => `public const ${constant(each)} = ${quote(each)};`)),
      '',
      '    /** @internal type => schema of its data */',
      '    public const DATA = [',
      ...model.events.map(({ type: each, data }) => `        ${quote(each)} => ${quote(data.name)},`),
      '    ];',
      '}',
    ],
  );
}

const nameOf = ({ resource, method: name }) => `${resource}.${name}`;
const constant = (text) => text.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase();
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const camel = (name) => name.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
const spaced = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
