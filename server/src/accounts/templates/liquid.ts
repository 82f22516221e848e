import {
  Context,
  defaultOperators,
  filters as everyFilter,
  Liquid,
  type Operators,
  type Template,
} from 'liquidjs';
import type { RenderBudget } from './render-budget.ts';

/**
 * Liquid for templates: data and standard filters, no files. Rendering is synchronous, so that it is bounded
 * by counting: input per step, output in total, and the clock between steps.
 */

const FILTER_MAX_ELEMENTS = 5_000;
const FILTER_MAX_CHARS = 128 * 1024;
/** Searching costs length × length at worst. */
const PATTERN_MAX_CHARS = 128;
const PATTERN_CHARS_AT_ONCE = 8;
/** A formatter takes some 50 µs to build. */
const DATE_FORMAT_COST_CHARS = 2_048;

/** Standard Liquid filters and json; other dialects' may be unbounded. */
const FILTERS = [
  ...[
    'abs',
    'at_least',
    'at_most',
    'ceil',
    'divided_by',
    'floor',
    'minus',
    'modulo',
    'plus',
    'round',
    'times',
  ],
  ...[
    'append',
    'capitalize',
    'downcase',
    'escape',
    'escape_once',
    'lstrip',
    'newline_to_br',
    'prepend',
    'raw',
  ],
  ...['remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last', 'rstrip', 'slice'],
  ...['split', 'strip', 'strip_html', 'strip_newlines', 'truncate', 'truncatewords', 'upcase'],
  ...['base64_decode', 'base64_encode', 'url_decode', 'url_encode', 'json', 'default', 'date'],
  ...['compact', 'concat', 'find', 'find_index', 'first', 'has', 'join', 'last', 'map', 'reject', 'reverse'],
  ...['size', 'sort', 'sort_natural', 'sum', 'uniq', 'where'],
];
/** Constant cost. */
const CHEAP = new Set(['append', 'default', 'prepend', 'raw']);
/** Their first argument is a pattern or format. */
const TAKES_PATTERN = new Set([
  ...['date', 'remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last', 'split'],
]);
/** Two steps per element. */
const READS_FIELDS = new Set([
  'find',
  'find_index',
  'has',
  'map',
  'reject',
  'sort',
  'sort_natural',
  'sum',
  'where',
]);
const FIELD_COST_CHARS = 2_048;
/** About half a step. */
const OPERAND_COST_CHARS = 512;
/** Tags that would include files. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];

type FilterThis = { context: Context };
type FilterHandler = (this: FilterThis, value: unknown, ...args: unknown[]) => unknown;

const ESCAPE_COST = 16;

export function createEngine(escapeText: (text: string) => string): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    outputEscape: function (this: FilterThis, value: unknown) {
      const text = outputText(value);
      const written = escapeText(text);
      // Escaping costs far more than copying.
      budgetOf(this.context).spend(text.length + ESCAPE_COST * (written.length - text.length));
      return written;
    } as (value: unknown) => string,
    operators: guardedOperators(),
    templates: {},
    timezoneOffset: 0,
  });
  for (const tag of FILE_TAGS) delete liquid.tags[tag];
  for (const name of Object.keys(liquid.filters)) delete liquid.filters[name];
  for (const name of FILTERS) liquid.registerFilter(name, guardedFilter(name));
  countWhatIsWritten(liquid);
  return liquid;
}

/** The only places where text grows, besides filters. */
function countWhatIsWritten({ renderer }: Liquid): void {
  const given = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter = new CountedText(budgetOf(context))) =>
    given(templates, context, emitter);
}

class CountedText {
  buffer = '';
  private readonly budget: RenderBudget;

  constructor(budget: RenderBudget) {
    this.budget = budget;
  }

  write(value: unknown): void {
    const text = outputText(value);
    this.budget.make(text.length);
    this.buffer += text;
  }
}

export function renderParsed(
  liquid: Liquid,
  parsed: Template[],
  variables: object,
  budget: RenderBudget,
): string {
  const counted = budget as unknown as Context['renderLimit'];
  const limits = { renderLimit: counted, memoryLimit: counted, liquid };
  // `increment` and `decrement` write into it.
  const scope = { ...variables };
  return String(liquid.renderSync(parsed, new Context(scope, liquid.options, { sync: true }, limits)));
}

function budgetOf(context: Context): RenderBudget {
  return context.renderLimit as unknown as RenderBudget;
}

function guardedFilter(name: string): { raw: boolean; handler: FilterHandler } {
  const given = everyFilter[name as keyof typeof everyFilter] as unknown;
  const { handler, raw } =
    typeof given === 'function'
      ? { handler: given as FilterHandler, raw: false }
      : (given as { handler?: FilterHandler; raw?: boolean });
  return {
    raw: raw === true,
    handler(value, ...args) {
      // Each filter of a chain is a step.
      let chars = 0;
      // Lists are converted to text first.
      for (const each of [value, ...args])
        if (!CHEAP.has(name) || typeof each === 'object') chars += requireSmall(each);
      const budget = budgetOf(this.context);
      budget.spend(costOf(name, chars, args[0]) + args.length * OPERAND_COST_CHARS);
      if (READS_FIELDS.has(name) && Array.isArray(value)) budget.spend(value.length * FIELD_COST_CHARS);
      if (handler === undefined) return value;
      const made = handler.call(this, value, ...args);
      // Generator filters pick existing elements.
      budget.make(typeof made === 'string' ? made.length : Array.isArray(made) ? made.length : 0);
      return made;
    },
  };
}

/** Throws if the pattern is too long. */
function costOf(name: string, chars: number, pattern: unknown): number {
  if (!TAKES_PATTERN.has(name)) return chars;
  const { length } = requirePattern(pattern);
  if (name === 'date') return chars + length * DATE_FORMAT_COST_CHARS;
  return chars * (1 + length / PATTERN_CHARS_AT_ONCE);
}

type Operator = (left: unknown, right: unknown, context: Context) => boolean;
const COMPARISONS = ['==', '!=', '<', '>', '<=', '>='];
const CONNECTIVES = ['and', 'or'];

function guardedOperators(): Operators {
  const contains = defaultOperators['contains'] as Operator;
  const connectives = CONNECTIVES.map((name): [string, Operator] => {
    const connect = defaultOperators[name] as Operator;
    return [
      name,
      (left, right, context) => {
        budgetOf(context).spend(OPERAND_COST_CHARS);
        return connect(left, right, context);
      },
    ];
  });
  const comparisons = COMPARISONS.map((name): [string, Operator] => {
    const compare = defaultOperators[name] as Operator;
    return [
      name,
      (left, right, context) => {
        budgetOf(context).spend(OPERAND_COST_CHARS + Math.min(sizeOf(left), sizeOf(right)));
        return compare(left, right, context);
      },
    ];
  });
  return {
    ...defaultOperators,
    ...Object.fromEntries([...connectives, ...comparisons]),
    contains(left: unknown, right: unknown, context: Context) {
      const chars = requireSmall(left) + requireSmall(right);
      const { length } = typeof left === 'string' ? requirePattern(right) : { length: 0 };
      budgetOf(context).spend(chars * (1 + length / PATTERN_CHARS_AT_ONCE));
      return contains(left, right, context);
    },
  };
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : requireSmall(value);
}

/** A list would become a longer text. */
function requirePattern(pattern: unknown): string {
  if (typeof pattern === 'object' && pattern !== null)
    throw new Error('the search text or format must be a string');
  const text = String(pattern ?? '');
  if (text.length > PATTERN_MAX_CHARS)
    throw new Error(`a pattern or format has more than ${PATTERN_MAX_CHARS} characters`);
  return text;
}

function requireSmall(value: unknown): number {
  let chars = 0;
  let elements = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    elements++;
    if (typeof next === 'string') chars += next.length;
    else if (Array.isArray(next)) {
      if (next.length > FILTER_MAX_ELEMENTS) elements += next.length;
      else open.push(...next);
    } else if (typeof next === 'object' && next !== null) open.push(...Object.values(next));
    if (elements + open.length > FILTER_MAX_ELEMENTS)
      throw new Error(`a filter takes at most ${FILTER_MAX_ELEMENTS} values`);
    if (chars > FILTER_MAX_CHARS) throw new Error(`a filter takes at most ${FILTER_MAX_CHARS} characters`);
  }
  return chars + elements;
}

function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  requireSmall(value);
  if (Array.isArray(value)) return value.map(outputText).join('');
  throw new TypeError('the value is an object, not text: name one of its fields');
}
