// Records, builders and constants of the Java library, for the emitter java.mjs.
import {
  camel,
  className,
  comment,
  constant,
  HEADER,
  isTextOrTexts,
  javaType,
  knownValues,
  MODEL,
  pascal,
  quote,
  ROOT,
  reader,
  unboxed,
} from './java-text.mjs';

/** Required fields up to this many are arguments of `builder`. */
const MAX_ARGUMENTS = 3;
/** Names that dev.acuse has already: a name of both packages is ambiguous where all of both is imported. */
const ELSEWHERE = new Set(['ErrorCode']);
/** Fields that may be printed: they hold no content and no secret. */
const SHOWN = new Set(['id', 'type', 'status', 'index', 'message_id', 'event_id', 'created_at', 'code']);

export function typeFiles(schemas) {
  const files = [];
  for (const schema of schemas.values()) {
    if (schema.kind === 'object') files.push(file(schema.name, record(schema, schemas)));
    if (schema.kind === 'enum' && !ELSEWHERE.has(schema.name))
      files.push(file(schema.name, constants(schema)));
  }
  return [...files, packageInfo()];
}

function file(name, text) {
  return { path: `${ROOT}/model/${className(name)}.java`, text };
}

function packageInfo() {
  const doc = comment('What the API takes and gives, generated from its contract');
  return { path: `${ROOT}/model/package-info.java`, text: `${HEADER}${doc}\npackage ${MODEL};\n` };
}

function constants({ name, doc, values }) {
  const said = doc || `The values of ${name} that this version knows`;
  const lines = values.map(
    (value) =>
      `  /** <code>${value}</code>. */\n  public static final String ${constant(value)} = ${quote(value)};\n`,
  );
  return `${HEADER}package ${MODEL};

${comment(`${said}\n\nA newer server may send others: they arrive as their text.`)}
public final class ${className(name)} {
${lines.join('\n')}
  private ${className(name)}() {}
}
`;
}

/** The value of a field that an older server does not have: nothing where there is a nothing. */
const EMPTY = { long: '0L', double: '0.0', boolean: 'false' };

/** A field with what Java makes of it. */
function component(field, schemas) {
  const boxed = javaType(field.type, schemas);
  const sure = field.required && !field.nullable;
  const values = knownValues(field.type, schemas);
  const known =
    values === undefined ? '' : ` One of ${values.map((each) => `\`${each}\``).join(', ')}, or another.`;
  const absent = sure ? '' : ' Null if there is none.';
  const base = field.doc || `The field \`${field.name}\``;
  const doc = `${/[.!?:]$/.test(base) ? base : `${base}.`}${known}${absent}`.replace(/\s+/g, ' ');
  return { ...field, boxed, sure, doc, java: camel(field.name), declared: sure ? unboxed(boxed) : boxed };
}

function record(schema, schemas) {
  const name = className(schema.name);
  const fields = schema.fields.map((field) => component(field, schemas));
  const text = `${HEADER}package ${MODEL};

${imports(fields)}
${comment(schema.doc || `${schema.name} of the API`, [
  ...fields.map(({ java, doc }) => [`@param ${java}`, doc]),
  ['@param extra', 'fields that this version does not know, and the response'],
])}
public record ${name}(
${fields.map(({ declared, java }) => `    ${declared} ${java},\n`).join('')}    Extra extra)
    implements JsonObject {
${reading(name, fields, schemas)}
${writing(fields)}
${printing(name, fields)}${name === 'Send' ? keyed(fields, schemas) : ''}${schema.input ? builder(name, fields, schemas) : ''}}
`;
  return text;
}

function imports(fields) {
  const types = fields.map(({ boxed }) => boxed).join(' ');
  const used = [
    'dev.acuse.Extra',
    'dev.acuse.JsonObject',
    'dev.acuse.Response',
    'dev.acuse.internal.Reader',
    'dev.acuse.internal.Writer',
    ...(types.includes('List<') ? ['java.util.List'] : []),
    'java.util.Map',
  ];
  return used.map((each) => `import ${each};\n`).join('');
}

function reading(name, fields, schemas) {
  const read = fields.map(({ name: field, type, required, nullable, essential, sure, declared, boxed }) => {
    const method = essential ? (nullable ? 'nullable' : 'need') : required ? 'usual' : 'optional';
    const otherwise =
      method !== 'usual' ? '' : !sure || declared === boxed ? ', null' : `, ${EMPTY[declared]}`;
    return `        in.${method}(${quote(field)}, ${reader(type, schemas)}${otherwise}),\n`;
  });
  return `${comment(
    'Reads it',
    [
      ['@param json', 'its fields'],
      ['@return', 'a record'],
      ['@throws IllegalArgumentException', 'for a required field that is missing, and for another type'],
    ],
    '  ',
  )}
  public static ${name} fromJson(Map<String, Object> json) {
    return fromJson(json, null);
  }

${comment(
  'Reads it as it came',
  [
    ['@param json', 'its fields'],
    ['@param response', 'what it came in, or null'],
    ['@return', 'a record'],
  ],
  '  ',
)}
  public static ${name} fromJson(Map<String, Object> json, Response response) {
    Reader in = new Reader(${quote(name)}, json, response);
    return new ${name}(
${read.join('')}        in.rest());
  }
`;
}

function writing(fields) {
  const lines = fields.map(
    ({ name, java, required, nullable }) =>
      `        .${required && nullable ? 'always' : 'given'}(${quote(name)}, ${java})\n`,
  );
  return `  @Override
  public Map<String, Object> toJson() {
    return new Writer()
${lines.join('')}        .with(extra);
  }
`;
}

/** Never content, never secrets: what a record says of itself may end in a log. */
function printing(name, fields) {
  const shown = fields.filter(({ name: field, boxed }) => SHOWN.has(field) && boxed === 'String');
  const parts = shown.map(({ name: field, java }, i) => `"${i > 0 ? ', ' : ''}${field}=" + ${java}`);
  const text = parts.length === 0 ? `"${name}{…}"` : `"${name}{" + ${parts.join(' + ')} + "}"`;
  return `  @Override
  public String toString() {
    return ${text.replace('…', '...')};
  }
`;
}

/** A send is an item of a batch but for its key. */
function keyed(fields, schemas) {
  const item = schemas.get('BatchItem').fields.map((field) => camel(field.name));
  const own = ['idempotencyKey', ...fields.map(({ java }) => java)];
  if (item.some((each) => !own.includes(each))) throw new Error('java: a BatchItem is more than a Send');
  return `
${comment(
  'An item of a batch, under a key of yours',
  [
    ['@param idempotencyKey', 'unique per message and the same whenever it is sent again'],
    ['@return', 'this send and its key'],
  ],
  '  ',
)}
  public BatchItem keyed(String idempotencyKey) {
    return new BatchItem(
${item.map((each) => `        ${each},\n`).join('')}        extra);
  }
`;
}

function builder(name, fields, schemas) {
  const required = fields.filter(({ sure }) => sure);
  const given = required.length <= MAX_ARGUMENTS ? required : [];
  const typeOf = (field) => (isTextOrTexts(field.type, schemas) ? 'String' : field.boxed);
  const parameters = given.map((field) => `${typeOf(field)} ${field.java}`).join(', ');
  const calls = given.map(({ java }) => `.${java}(${java})`).join('');
  return `
${comment(
  `Begins one`,
  [...given.map(({ java, doc }) => [`@param ${java}`, doc]), ['@return', 'a builder']],
  '  ',
)}
  public static Builder builder(${parameters}) {
    return new Builder()${calls};
  }

  /** Makes one. What is not set is not sent. */
  public static final class Builder {
    private final java.util.LinkedHashMap<String, Object> fields = new java.util.LinkedHashMap<>();

    private Builder() {}

${fields.flatMap((field) => setters(field, schemas)).join('\n')}
    private Builder given(String name, Object value) {
      return value == null ? this : set(name, value);
    }

    /**
     * Sets a field that this version does not know.
     *
     * @param name as the API has it
     * @param value as {@link dev.acuse.Json} has it
     * @return this
     */
    public Builder set(String name, Object value) {
      fields.put(name, value);
      return this;
    }

    /**
     * Makes it.
     *
     * @return a record
     * @throws dev.acuse.ConfigurationException for a required field that is not set
     */
    public ${name} build() {
      try {
        return fromJson(new Writer().all(fields));
      } catch (IllegalArgumentException missing) {
        throw new dev.acuse.ConfigurationException(missing.getMessage());
      }
    }
  }
`;
}

/** The language's own time, which a request takes too. */
export const INSTANT = 'java.time.Instant';

function setters(field, schemas) {
  const { name, java, doc, boxed, nullable } = field;
  const put = (type) => `${comment(
    `Sets <${name}>`.replace(/[<>]/g, '`'),
    [
      [`@param ${java}`, doc],
      ['@return', 'this'],
    ],
    '    ',
  )}
    public Builder ${java}(${type} ${java}) {
      return given(${quote(name)}, ${type === INSTANT ? `${java}.toString()` : java});
    }
`;
  const types = isTextOrTexts(field.type, schemas) ? ['String', 'java.util.List<String>'] : [unboxed(boxed)];
  if (field.type.format === 'date-time') types.push(INSTANT);
  const clear = `    /**
     * Sends <code>${name}</code> as null.
     *
     * @return this
     */
    public Builder clear${pascal(java)}() {
      return set(${quote(name)}, null);
    }
`;
  return [...types.map(put), ...(nullable ? [clear] : [])];
}
