// Resources, their asynchronous forms, queries and tables of the Java library, for the emitter java.mjs.
import {
  camel,
  className,
  comment,
  constant,
  HEADER,
  javaType,
  MODEL,
  pascal,
  quote,
  ROOT,
  unboxed,
} from './java-text.mjs';
import { INSTANT } from './java-types.mjs';

/** Resources that have methods written by hand, in a class that extends the generated one. */
const BY_HAND = new Set(['messages', 'evidence', 'log', 'webhooks']);
/** Classes whose name a record has too. */
const RENAMED = { account: 'AccountApi', evidence: 'EvidenceApi', health: 'HealthApi', rates: 'RatesApi' };
/** Operations that only the class by hand offers. */
const HIDDEN = new Set(['sendBatch']);

export function operationFiles({ operations, errors, events }, schemas) {
  const resources = new Map();
  for (const operation of operations)
    resources.set(operation.resource, [...(resources.get(operation.resource) ?? []), operation]);
  const files = [table(operations), errorCodes(errors), eventData(events, schemas)];
  for (const [resource, list] of resources) {
    const described = list.map((operation) => describe(operation, schemas));
    files.push(resourceFile(resource, described), asyncFile(resource, described));
    for (const each of described) if (each.queryClass !== null) files.push(queryFile(each, schemas));
  }
  return [...files, accessors([...resources.keys()])];
}

const java = (name, text) => ({
  path: `${ROOT}/${name}.java`,
  text: `${HEADER}package dev.acuse;\n\n${text}`,
});
const classOf = (resource) => RENAMED[resource] ?? pascal(resource);
const fileOf = (resource) => (BY_HAND.has(resource) ? `${pascal(resource)}Operations` : classOf(resource));

/** An operation in Java. `arguments`: [type, name, doc] in order. */
function describe(operation, schemas) {
  const { id, resource, method, pathParams, query, headers, body, result, http } = operation;
  const isPage = result.kind === 'page';
  const queryClass = query.length > 0 ? `${pascal(resource)}${pascal(method)}Query` : null;
  const given = pathParams.map(({ name, doc }) => ['String', camel(name), doc || `The ${name}`]);
  if (body !== null)
    given.push(
      body.type === null
        ? ['byte[]', 'content', `The body, as ${body.media}`]
        : [javaType(body.type, schemas), 'body', 'What to send'],
    );
  const keyed = headers.some(({ name }) => name === 'Idempotency-Key');
  if (keyed) given.push(['String', 'idempotencyKey', KEY_DOC]);
  const type = { json: () => javaType(result.type, schemas), text: () => 'String', bytes: () => 'byte[]' };
  const plain = isPage ? javaType(result.item, schemas) : (type[result.kind]?.() ?? 'void');
  return { ...operation, isPage, queryClass, given, keyed, plain, hidden: HIDDEN.has(id), http };
}

const KEY_DOC =
  'Unique per message and the same whenever it is sent again; null makes one for this call alone';

/** `new Call(…)…` for an operation. */
function call({ id, pathParams, body, keyed, queryClass, isPage }) {
  const lines = [`new Call(Operations.${constant(id)})`];
  for (const { name, slashes } of pathParams)
    lines.push(`.${slashes ? 'segments' : 'path'}(${quote(name)}, ${camel(name)})`);
  if (body !== null)
    lines.push(body.type === null ? `.body(content, ${quote(body.media)})` : '.json(body.toJson())');
  if (keyed) lines.push('.key(idempotencyKey)');
  if (queryClass !== null) lines.push(`.query(${isPage ? 'asked' : `${queryClass}.of(query)`})`);
  return lines.join('\n            ');
}

function returned({ keyed, isPage, plain }) {
  if (isPage) return `Pages<${plain}>`;
  return keyed ? `Sent<${plain}>` : plain;
}

function body(each) {
  const { isPage, keyed, result, plain, queryClass } = each;
  // Filled once: what it sets from the clock must be the same for every page.
  const asked = queryClass === null ? '' : `    Map<String, Object> asked = ${queryClass}.of(query);\n`;
  if (isPage)
    return `${asked}    return new Pages<>(\n        engine,\n        () ->\n            ${call(each)},\n        ${plain}::fromJson);`;
  const made = call(each);
  if (keyed) return `    return engine.sent(\n        ${made},\n        ${plain}::fromJson);`;
  if (result.kind === 'json')
    return `    return engine.json(\n        ${made},\n        ${plain}::fromJson);`;
  if (result.kind === 'none') return `    engine.none(\n        ${made});`;
  return `    return engine.${result.kind}(\n        ${made});`;
}

const QUERY = (name) => [`Consumer<${name}>`, 'query', 'Sets what to ask for'];
const signature = (given) => given.map(([type, name]) => `${type} ${name}`).join(', ');
const tags = (given) => given.map(([, name, doc]) => [`@param ${name}`, doc]);

function result({ isPage, keyed, result: { kind } }) {
  if (kind === 'none') return [];
  if (isPage) return [['@return', 'items, asked for page by page']];
  return [['@return', keyed ? 'the message, and whether it was made before' : 'what the service answered']];
}

function method(each) {
  const { id, method: name, doc, given, queryClass, isPage, hidden } = each;
  const all = queryClass === null ? given : [...given, QUERY(queryClass)];
  const whole = `${comment(doc, [...tags(all), ...result(each)], '  ')}
  @OperationId(${quote(id)})
  ${hidden ? '' : 'public '}${returned(each)} ${camel(name)}${hidden ? 'Once' : ''}(${signature(all)}) {
${body(each)}
  }
`;
  if (queryClass === null) return whole;
  const passed = [...given.map(([, argument]) => argument), 'query -> {}'].join(', ');
  return `${whole}
${comment(`${isPage ? 'All of them' : 'The same without a query'}: {@link #${camel(name)}`.split(':')[0], [...tags(given), ...result(each)], '  ')}
  public ${returned(each)} ${camel(name)}(${signature(given)}) {
    return ${camel(name)}(${passed});
  }
`;
}

const imports = (list, text) =>
  list
    .filter((each) => new RegExp(`\\b${each.split('.').pop()}\\b`).test(text))
    .map((each) => `import ${each};\n`)
    .join('');

function modelImports(described) {
  const names = described.flatMap(({ plain, given }) => [plain, ...given.map(([type]) => type)]);
  const known = names.filter((name) => /^[A-Z]/.test(name) && name !== 'String');
  return [...new Set(known)].sort().map((name) => `${MODEL}.${name}`);
}

function resourceFile(resource, described) {
  const name = fileOf(resource);
  const extended = BY_HAND.has(resource);
  const text = `${comment(`The operations on ${resource}`)}
public ${extended ? 'abstract' : 'final'} class ${name} {
  final Engine engine;

  ${name}(Engine engine) {
    this.engine = engine;
  }

${described.map(method).join('\n')}}
`;
  const used = [...modelImports(described), 'java.util.Map', 'java.util.function.Consumer'];
  return java(name, `${imports(used, text)}\n${text}`);
}

/** Each returns at once; a list gives one page. */
function asyncFile(resource, described) {
  const name = `Async${fileOf(resource)}`;
  const extended = BY_HAND.has(resource);
  const shown = described.filter(({ hidden }) => !hidden);
  const text = `${comment(`The operations on ${resource}, as futures. Cancelling one ends its call`)}
public ${extended ? 'abstract' : 'final'} class ${name} {
  final ${classOf(resource)} blocking;
  final Futures futures;

  ${name}(${classOf(resource)} blocking, Futures futures) {
    this.blocking = blocking;
    this.futures = futures;
  }

${shown.map(asyncMethod).join('\n')}}
`;
  const used = [
    ...modelImports(shown),
    'java.util.concurrent.CompletableFuture',
    'java.util.function.Consumer',
  ];
  return java(name, `${imports(used, text)}\n${text}`);
}

function asyncMethod(each) {
  const { id, method: name, doc, given, queryClass, isPage, plain } = each;
  const all = queryClass === null ? given : [...given, QUERY(queryClass)];
  const type = isPage ? `Page<${plain}>` : returned(each) === 'void' ? 'Void' : returned(each);
  const called = `blocking.${camel(name)}(${all.map(([, argument]) => argument).join(', ')})`;
  const made = isPage ? `${called}.first()` : called;
  const run =
    type === 'Void' ? `() -> {\n          ${made};\n          return null;\n        }` : `() -> ${made}`;
  return `${comment(doc, [...tags(all), ['@return', isPage ? 'one page; ask for the next after its cursor' : 'a future']], '  ')}
  @OperationId(${quote(id)})
  public CompletableFuture<${type}> ${camel(name)}(${signature(all)}) {
    return futures.run(
        ${run});
  }
`;
}

function queryFile({ queryClass, query, summary }, schemas) {
  const setter = ({ name, doc }, of, value) => `${comment(
    `Sets \`${name}\``,
    [
      [`@param ${camel(name)}`, doc || `The ${name}`],
      ['@return', 'this'],
    ],
    '  ',
  )}
  public ${queryClass} ${camel(name)}(${of} ${camel(name)}) {
    return set(${quote(name)}, ${value});
  }
`;
  const setters = query.flatMap((each) => {
    const { name, type } = each;
    if (type.kind === 'array') return [setter(each, 'String...', `java.util.List.of(${camel(name)})`)];
    const own = setter(each, unboxed(javaType(type, schemas)), camel(name));
    return type.format === 'date-time' ? [own, setter(each, INSTANT, `${camel(name)}.toString()`)] : [own];
  });
  return java(
    queryClass,
    `import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

${comment(`What can be asked for: ${summary}`)}
public final class ${queryClass} {
  private final Map<String, Object> values = new LinkedHashMap<>();

  private ${queryClass}() {}

  static Map<String, Object> of(Consumer<${queryClass}> fill) {
    ${queryClass} query = new ${queryClass}();
    fill.accept(query);
    return query.values;
  }

${setters.join('\n')}
  /**
   * Sets a parameter that this version does not know.
   *
   * @param name as the API has it
   * @param value a text, a number, true, false or a list
   * @return this
   */
  public ${queryClass} set(String name, Object value) {
    values.put(name, value);
    return this;
  }
}
`,
  );
}

function table(operations) {
  const rows = operations.map(({ id, resource, method: name, http, path, retry, accept, summary }) => {
    const values = [id, `${resource}.${name}`, http, path, retry].map(quote).join(', ');
    return `${comment(summary, [], '  ')}
  public static final Operation ${constant(id)} =
      new Operation(${values}, ${accept === null ? 'null' : quote(accept)});
`;
  });
  const all = operations.map(({ id }) => `          ${constant(id)}`).join(',\n');
  return java(
    'Operations',
    `import java.util.List;

/** Every operation of the API. */
public final class Operations {
${rows.join('\n')}
  private static final List<Operation> ALL =
      List.of(
${all});

  private Operations() {}

  /**
   * All of them.
   *
   * @return in the order of the contract
   */
  public static List<Operation> all() {
    return ALL;
  }
}
`,
  );
}

function errorCodes(errors) {
  const rows = errors.map(
    ({ code, doc }) =>
      `${comment(doc, [], '  ')}\n  public static final String ${constant(code)} = ${quote(code)};\n`,
  );
  const fixes = errors.map(({ code, fix }) => `          Map.entry(${quote(code)}, ${quote(fix)})`);
  const statuses = errors.map(({ code, status }) => `          Map.entry(${quote(code)}, ${status})`);
  return java(
    'ErrorCode',
    `import java.util.Map;

/** The error codes that this version knows; a newer server may have others. */
public final class ErrorCode {
${rows.join('\n')}
  private static final Map<String, String> FIXES =
      Map.ofEntries(
${fixes.join(',\n')});

  private static final Map<String, Integer> STATUSES =
      Map.ofEntries(
${statuses.join(',\n')});

  private ErrorCode() {}

  /**
   * How to fix it.
   *
   * @param code of an error
   * @return a sentence, or null for an unknown code
   */
  public static String fix(String code) {
    return FIXES.get(code);
  }

  /** The status that a code always has; 500 for an unknown one. */
  static int status(String code) {
    return STATUSES.getOrDefault(code, 422);
  }
}
`,
  );
}

function eventData(events, schemas) {
  const cases = events.map(
    ({ type, data }) => `      case ${quote(type)} -> ${javaType(data, schemas)}.fromJson(data);`,
  );
  const used = [...new Set(events.map(({ data }) => `${MODEL}.${className(data.name)}`))].sort();
  return java(
    'EventData',
    `${used.map((each) => `import ${each};\n`).join('')}import java.util.Map;

/** The data of webhook events by type. */
final class EventData {
  private EventData() {}

  /** A record, or null for a type that this version does not know. */
  static JsonObject read(String type, Map<String, Object> data) {
    return switch (type) {
${cases.join('\n')}
      default -> null;
    };
  }
}
`,
  );
}

function accessors(resources) {
  const fields = (prefix) =>
    resources
      .map((resource) => `  private final ${prefix}${classOf(resource)} ${camel(resource)};`)
      .join('\n');
  const methods = (prefix) =>
    resources
      .map(
        (resource) => `${comment(`Operations on ${resource}`, [['@return', 'them']], '  ')}
  public ${prefix}${classOf(resource)} ${camel(resource)}() {
    return ${camel(resource)};
  }
`,
      )
      .join('\n');
  const sets = (make) =>
    resources.map((resource) => `    this.${camel(resource)} = ${make(resource)};`).join('\n');
  return java(
    'Resources',
    `/** What a client and its asynchronous form offer. */
public abstract sealed class Resources permits Acuse {
${fields('')}

  Resources(Engine engine) {
${sets((resource) => `new ${classOf(resource)}(engine)`)}
  }

${methods('')}
  /** The same, as futures. */
  public abstract static sealed class Async permits AsyncAcuse {
${fields('Async').replace(/^/gm, '  ')}

    Async(Acuse blocking, Futures futures) {
${sets((resource) => `new Async${classOf(resource)}(blocking.${camel(resource)}(), futures)`).replace(/^/gm, '  ')}
    }

${methods('Async').replace(/^(?=.)/gm, '  ')}  }
}
`,
  );
}
