import { lineOfProblem } from './json-place.ts';

/** Sample data guessed from the source; the server validates. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** Characters read of one source, so that typing stays quick. */
const READ_MAX_CHARS = 256 * 1024;
/** Longest output or tag (characters). */
const TAG_MAX_CHARS = 1_000;

const PATH = /[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*/g;
const TEXTS = /"[^"]*"|'[^']*'/g;
const WORDS = new Set([
  ...['and', 'or', 'not', 'contains', 'true', 'false', 'nil', 'null', 'empty', 'blank', 'in', 'reversed'],
  ...['limit', 'offset', 'forloop', 'tablerowloop', 'continue', 'cols', 'with', 'as'],
]);
const ASKING = new Set(['if', 'elsif', 'unless', 'case', 'when']);
const WRITING = new Set(['echo', 'cycle']);
const LOOPS = new Set(['for', 'tablerow']);
const SETTING = new Set(['assign', 'capture', 'increment', 'decrement']);
/** Ends of a path that Liquid itself answers. */
const ANSWERED = new Set(['size', 'first', 'last']);

/** Facts about a name: its fields, list or text. */
interface Shape {
  readonly fields: Map<string, Shape>;
  list: boolean;
  written: boolean;
}

const newShape = (): Shape => ({ fields: new Map(), list: false, written: false });

/** The test data that these sources need. */
export function sampleOf(sources: readonly string[]): JsonObject {
  const root = newShape();
  for (const source of sources) readSource(source.slice(0, READ_MAX_CHARS), root);
  return valueOfFields(root);
}

/** `given` with what it lacks of `sample`; what is given stays as it is. */
export function complete(given: JsonObject, sample: JsonObject): JsonObject {
  const added = Object.entries(sample).map(([name, value]) => {
    const own = Object.hasOwn(given, name) ? given[name]! : undefined;
    if (own === undefined) return [name, value];
    return [name, isObject(own) && isObject(value) ? complete(own, value) : own];
  });
  return { ...given, ...Object.fromEntries(added) };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Scope {
  /** Names that a loop gives to elements. */
  readonly elements: Map<string, Shape>;
  /** Names that the template itself sets. */
  readonly own: Set<string>;
}

function readSource(source: string, root: Shape): void {
  const scope: Scope = { elements: new Map(), own: new Set() };
  for (const { tag, inside } of tagsIn(source)) {
    const text = inside.replace(TEXTS, ' ');
    if (!tag) readPaths(text, root, scope, true);
    else readTag(text.trim(), root, scope);
  }
}

function readTag(text: string, root: Shape, scope: Scope): void {
  const [name = '', ...rest] = text.split(/\s+/);
  if (ASKING.has(name)) readPaths(rest.join(' '), root, scope, false);
  else if (WRITING.has(name)) readPaths(rest.join(' '), root, scope, true);
  else if (LOOPS.has(name)) readLoop(rest, root, scope);
  else if (SETTING.has(name)) {
    scope.own.add(rest[0] ?? '');
    if (name === 'assign') readPaths(rest.slice(2).join(' '), root, scope, true);
  }
}

/** `for item in invoice.items`: what is asked of `item` is asked of the elements. */
function readLoop([element = '', , ...list]: readonly string[], root: Shape, scope: Scope): void {
  const [path] = list.join(' ').match(PATH) ?? [];
  const shape = path === undefined ? null : shapeAt(path, root, scope);
  if (shape !== null) shape.list = true;
  scope.elements.set(element, shape ?? newShape());
}

/** Names of filters are left out: those before a colon or the next bar. */
function readPaths(text: string, root: Shape, scope: Scope, written: boolean): void {
  for (const [index, part] of text.split('|').entries()) {
    const colon = part.indexOf(':');
    const read = index === 0 ? part : colon === -1 ? '' : part.slice(colon + 1);
    for (const path of read.match(PATH) ?? []) {
      const shape = shapeAt(path, root, scope);
      if (shape !== null && written) shape.written = true;
    }
  }
}

/** Null: the path is not in the data. */
function shapeAt(path: string, root: Shape, { elements, own }: Scope): Shape | null {
  const names = path.split('.');
  const [first = ''] = names;
  if (WORDS.has(first) || own.has(first)) return null;
  let shape = elements.get(first) ?? root;
  for (const name of elements.has(first) ? names.slice(1) : names) {
    if (ANSWERED.has(name) && shape !== root) break;
    const next = shape.fields.get(name) ?? newShape();
    shape.fields.set(name, next);
    shape = next;
  }
  return shape;
}

function valueOfFields({ fields }: Shape): JsonObject {
  return Object.fromEntries([...fields].map(([name, shape]) => [name, valueNamed(name, shape)]));
}

/** A text says its own name, so that it is recognized in the preview. */
function valueNamed(name: string, shape: Shape): Json {
  const element = shape.fields.size > 0 ? valueOfFields(shape) : null;
  if (shape.list) return [element ?? name.replaceAll('_', ' ')];
  if (element !== null) return element;
  return shape.written ? name.replaceAll('_', ' ') : true;
}

function* tagsIn(source: string): Generator<{ tag: boolean; inside: string }> {
  for (let at = source.indexOf('{'); at !== -1; at = source.indexOf('{', at + 1)) {
    const sign = source[at + 1];
    if (sign !== '{' && sign !== '%') continue;
    const close = source.indexOf(sign === '{' ? '}}' : '%}', at + 2);
    if (close === -1) return;
    const inside = source.slice(at + 2, Math.min(close, at + TAG_MAX_CHARS)).replace(/^-|-$/g, '');
    yield { tag: sign === '%', inside };
    at = close + 1;
  }
}

/** `line`: of the first error. */
export type TypedData = { readonly value: JsonObject } | { readonly line: number };

export function readTyped(text: string): TypedData {
  if (text.trim() === '') return { value: {} };
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? { value } : { line: 1 };
  } catch {
    return { line: lineOfProblem(text) };
  }
}
