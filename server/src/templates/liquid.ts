import {
  Context,
  defaultOperators,
  filters as everyFilter,
  Liquid,
  type Operators,
  type Template,
} from 'liquidjs';

/**
 * The Liquid that templates are written in: what it can reach (its data, the standard filters, no files) and what it may cost.
 * Rendering is synchronous, so that nothing can interrupt it: each single step is bounded by the size of what it works on, and
 * between two steps the clock is read.
 */

/** Time that all parts of a template may take (ms): with one last step it ends within 100 ms. */
const RENDER_LIMIT_MS = 40;
/** Steps before the clock counts: an ordinary template is through by then, and a pause of this machine cannot fail it. */
const FREE_STEPS = 1_000;
/** Characters of an output, or that a filter works on, which cost as much as a step. */
const CHARS_PER_STEP = 1_024;
/** Units of allocation that Liquid counts while rendering; about one a character or element made. */
const MEMORY_LIMIT = 512 * 1024;
/** What one filter works on, through all levels. */
const FILTER_MAX_ELEMENTS = 5_000;
const FILTER_MAX_CHARS = 128 * 1024;
/** What may be looked for in a text, and a date's format: searching costs length times length at worst. */
const PATTERN_MAX_CHARS = 128;

/** The standard filters of Liquid, and json. Not those that other dialects add: some cost without bound. */
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
/** Those that cost next to nothing, however much they are given. */
const CHEAP = new Set(['append', 'default', 'prepend', 'raw']);
/** Those whose first argument is searched for, or is a format. */
const TAKES_PATTERN = new Set([
  ...['date', 'remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last', 'split'],
]);
/** Tags that would name other files, and there are none. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];

/** Made once a rendering and given to each of its parts. */
export class RenderBudget {
  private steps = 0;
  private readonly deadlineMs: number;

  constructor(nowMs: number) {
    this.deadlineMs = nowMs + RENDER_LIMIT_MS;
  }

  /** Liquid calls it at each step. */
  check(nowMs: number): void {
    this.steps++;
    this.requireTime(nowMs);
  }

  /** For steps that work on much at once. */
  spend(chars: number): void {
    this.steps += chars / CHARS_PER_STEP;
    this.requireTime(performance.now());
  }

  private requireTime(nowMs: number): void {
    if (this.steps > FREE_STEPS && nowMs > this.deadlineMs)
      throw new Error('rendering takes too long: use fewer or smaller loops and values');
  }
}

type FilterThis = { context: Context };
type FilterHandler = (this: FilterThis, value: unknown, ...args: unknown[]) => unknown;

/** `escapeText`: how the text of a value is written into the output. */
export function createEngine(escapeText: (text: string) => string): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    outputEscape: function (this: FilterThis, value: unknown) {
      const text = outputText(value);
      budgetOf(this.context).spend(text.length);
      return escapeText(text);
    } as (value: unknown) => string,
    operators: guardedOperators(),
    memoryLimit: MEMORY_LIMIT,
    // An empty set of templates in place of the file system.
    templates: {},
    timezoneOffset: 0,
  });
  for (const tag of FILE_TAGS) delete liquid.tags[tag];
  for (const name of Object.keys(liquid.filters)) delete liquid.filters[name];
  for (const name of FILTERS) liquid.registerFilter(name, guardedFilter(name));
  return liquid;
}

export function renderParsed(
  liquid: Liquid,
  parsed: Template[],
  variables: object,
  budget: RenderBudget,
): string {
  const limits = { renderLimit: budget as unknown as Context['renderLimit'], liquid };
  return String(liquid.renderSync(parsed, new Context(variables, liquid.options, { sync: true }, limits)));
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
      // A chain of filters is one step to Liquid: here each of them is one.
      let chars = 0;
      if (!CHEAP.has(name)) for (const each of [value, ...args]) chars += requireSmall(each);
      budgetOf(this.context).spend(chars);
      if (TAKES_PATTERN.has(name)) requireShortPattern(args[0]);
      return handler === undefined ? value : handler.call(this, value, ...args);
    },
  };
}

type Operator = (left: unknown, right: unknown, context: Context) => boolean;
const COMPARISONS = ['==', '!=', '<', '>', '<=', '>='];

function guardedOperators(): Operators {
  const contains = defaultOperators['contains'] as Operator;
  const comparisons = COMPARISONS.map((name): [string, Operator] => {
    const compare = defaultOperators[name] as Operator;
    return [
      name,
      (left, right, context) => {
        budgetOf(context).spend(Math.min(sizeOf(left), sizeOf(right)));
        return compare(left, right, context);
      },
    ];
  });
  return {
    ...defaultOperators,
    ...Object.fromEntries(comparisons),
    contains(left: unknown, right: unknown, context: Context) {
      budgetOf(context).spend(requireSmall(left) + requireSmall(right));
      requireShortPattern(right);
      return contains(left, right, context);
    },
  };
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : requireSmall(value);
}

function requireShortPattern(pattern: unknown): void {
  if (typeof pattern === 'string' && pattern.length > PATTERN_MAX_CHARS)
    throw new Error(`a pattern or format has more than ${PATTERN_MAX_CHARS} characters`);
}

/** Characters and elements through all levels. Throws when there are more than one filter may work on. */
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
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  requireSmall(value);
  if (Array.isArray(value)) return value.map(outputText).join('');
  throw new TypeError('the value is an object, not text: name one of its fields');
}
