// The types of the Python library: frozen dataclasses for all schemas, typed dictionaries for what goes into
// requests.
import { annotation, docstring, header, literal, pythonName, quoted, typeValue } from './python-words.mjs';

/** Names that every model has. */
const OWN = new Set(['extra', 'response', 'schema_fields', 'from_dict', 'to_dict']);

function finder(model) {
  const objects = new Set(model.schemas.filter(({ kind }) => kind === 'object').map(({ name }) => name));
  return (name) => objects.has(name);
}

export function modelsFile(model) {
  const isObject = finder(model);
  const lines = [
    header("The contract's types."),
    'import os',
    'from collections.abc import Mapping, Sequence',
    'from dataclasses import dataclass, field as _field',
    'from datetime import datetime',
    'from typing import ClassVar, Literal, TypeAlias',
    '',
    'from ._codec import (',
    ...'ALIASES MODELS UNSET ArrayOf Field Json MapOf Model OneOf Ref ResponseInfo Scalar Unset'
      .split(' ')
      .map((name) => `    ${name},`),
    ')',
    '',
    ...all(model.schemas.map(({ name }) => name)),
  ];
  for (const schema of model.schemas) if (schema.kind !== 'object') lines.push(...alias(schema, isObject));
  for (const schema of model.schemas)
    if (schema.kind === 'object') lines.push(...dataclass(schema, isObject));
  lines.push('', 'MODELS.update(', '    {');
  for (const { kind, name } of model.schemas)
    if (kind === 'object') lines.push(`        ${quoted(name)}: ${name},`);
  lines.push('    }', ')', 'ALIASES.update(', '    {');
  for (const schema of model.schemas) {
    if (schema.kind === 'object') continue;
    const type = schema.kind === 'enum' ? { kind: 'string' } : { kind: 'union', of: schema.of };
    lines.push(`        ${quoted(schema.name)}: ${typeValue(type)},`);
  }
  lines.push('    }', ')', '');
  return lines.join('\n');
}

function all(names) {
  return ['__all__ = [', ...names.map((name) => `    ${quoted(name)},`), ']', ''];
}

/** Methods by hand of single models. */
const METHODS = {
  Attachment: [
    '',
    '    @classmethod',
    '    def from_file(',
    '        cls,',
    '        path: str | os.PathLike[str],',
    '        content_type: str | None = None,',
    '        content_id: str | None = None,',
    '    ) -> Attachment:',
    '        """',
    '        A file of this machine. Its media type is read from its name unless given. Raises',
    '        ConfigurationError when it cannot be read.',
    '        """',
    '        from ._files import attachment_from_file',
    '',
    '        return attachment_from_file(path, content_type, content_id)',
  ],
};

function alias({ kind, name, values, of, doc }, isObject) {
  const text =
    kind === 'enum' ? literal(values) : annotation({ kind: 'union', of }, { input: true, isObject });
  return [`${name}: TypeAlias = ${quoted(text).replaceAll('\\"', "'")}`, ...docstring(doc, ''), ''];
}

function dataclass(schema, isObject) {
  const how = { input: schema.input === true && schema.output !== true, isObject };
  const lines = ['', '@dataclass(frozen=True, repr=False, kw_only=True)', `class ${schema.name}(Model):`];
  lines.push(...docstring(schema.doc || `${schema.name} of the contract.`, '    '), '');
  for (const field of schema.fields) {
    const name = pythonName(field.name);
    if (OWN.has(name)) throw new Error(`${schema.name}.${name} would hide what every model has`);
    lines.push(`    ${name}: ${fieldType(field, how)}`, ...docstring(field.doc, '    '));
  }
  lines.push(
    '    extra: Mapping[str, Json] = _field(default_factory=dict)',
    '    """Fields that came after this library."""',
    '    response: ResponseInfo | None = _field(default=None, compare=False)',
    '    """Of the answer that this is: status, headers, request id."""',
    '',
    '    schema_fields: ClassVar[tuple[Field, ...]] = (',
  );
  for (const { name, type, required, nullable, essential } of schema.fields) {
    const flags = [required, nullable, essential].map(bool).join(', ');
    lines.push(`        Field(${quoted(name)}, ${quoted(pythonName(name))}, ${typeValue(type)}, ${flags}),`);
  }
  lines.push('    )', ...(METHODS[schema.name] ?? []), '');
  return lines;
}

function bool(value) {
  return value ? 'True' : 'False';
}

function fieldType({ type, required, nullable }, how) {
  const text = annotation(type, how);
  if (required) return nullable ? `${text} | None` : text;
  return nullable ? `${text} | None | Unset = UNSET` : `${text} | None = None`;
}

export function typedDictsFile(model) {
  const isObject = finder(model);
  const inputs = model.schemas.filter(({ kind, input }) => kind === 'object' && input);
  const how = { input: true, dicts: true, isObject };
  const lines = [
    header('What goes into requests, as plain dictionaries.'),
    'from collections.abc import Mapping, Sequence',
    'from datetime import datetime',
    'from typing import TYPE_CHECKING, Literal, TypedDict',
    '',
    'from ._codec import Json',
    '',
    'if TYPE_CHECKING:',
    '    from ._models_generated import (',
    ...importedNames(model).map((name) => `        ${name},`),
    '    )',
    '',
    '_UNUSED = (Mapping, Sequence, datetime, Literal, Json)',
    ...all(inputs.map(({ name }) => `${name}Dict`)),
  ];
  for (const schema of inputs) lines.push(...typedDict(schema, how));
  return `${lines.join('\n')}\n`;
}

function importedNames(model) {
  return model.schemas
    .filter(({ input }) => input)
    .map(({ name }) => name)
    .sort();
}

function typedDict({ name, doc, fields }, how) {
  const required = fields.filter((field) => field.required);
  const optional = fields.filter((field) => !field.required);
  const base = `_${name}Required`;
  const lines = ['', ...dictionary(base, required, how)];
  const rest = optional.some((field) => pythonName(field.name) !== field.name)
    ? (() => {
        throw new Error(`${name}: an optional field has a reserved name`);
      })()
    : optional;
  lines.push('', '', `class ${name}Dict(${base}, total=False):`);
  lines.push(...docstring(doc || `${name} of the contract.`, '    '));
  for (const field of rest)
    lines.push('', `    ${field.name}: ${entry(field, how)}`, ...docstring(field.doc, '    '));
  lines.push('');
  return lines;
}

function dictionary(name, fields, how) {
  if (fields.some((field) => pythonName(field.name) !== field.name)) {
    const entries = fields.map((field) => `    {${quoted(field.name)}: ${quoted(entry(field, how))}}`);
    return [
      `${name} = TypedDict(`,
      `    ${quoted(name)},`,
      `    {${entries.map((text) => text.trim().slice(1, -1)).join(', ')}},`,
      ')',
    ];
  }
  const lines = [`class ${name}(TypedDict):`, `    """Fields that ${name.slice(1, -8)} must have."""`];
  for (const field of fields)
    lines.push('', `    ${field.name}: ${entry(field, how)}`, ...docstring(field.doc, '    '));
  return lines;
}

function entry({ type, nullable }, how) {
  const text = annotation(type, how);
  return nullable ? `${text} | None` : text;
}
