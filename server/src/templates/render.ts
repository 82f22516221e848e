import { Liquid, type Template } from 'liquidjs';

/**
 * `{{variables}}` in subject, text and html (Liquid). Strict: an undefined variable or filter is an error that names it and its place.
 * A template reaches nothing but its data: no files, no includes, own properties only; time, memory and sizes are bounded.
 */
export interface TemplateSource {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export type Rendered = TemplateSource;

/** Which part failed and why; `problem` names the variable or filter, line and column. */
export class TemplateError extends Error {
  readonly part: keyof TemplateSource;
  constructor(part: keyof TemplateSource, problem: string, cause: unknown) {
    super(`${part}: ${problem}`, { cause });
    this.name = 'TemplateError';
    this.part = part;
  }
}

export interface CompiledTemplate {
  /** Throws TemplateError. */
  render(variables: Readonly<Record<string, unknown>>): Rendered;
}

/** Source of one part (bytes of UTF-8, contract.md "Limits"). */
export const TEMPLATE_SOURCE_MAX_BYTES = 512 * 1024;
/** One rendered part (bytes of UTF-8). */
export const TEMPLATE_RENDERED_MAX_BYTES = 2 * 1024 * 1024;
/** Variables of a send, counted through all levels. */
export const TEMPLATE_VARIABLES_MAX = 200;
/** Time that one part may take (ms): a bomb ends long before a neighbour notices. */
const RENDER_LIMIT_MS = 50;
/** Units of allocation that Liquid counts while rendering; about one a character made. */
const MEMORY_LIMIT = 8 * 1024 * 1024;

const plain = engine((value) => outputText(value));
const escaped = engine((value) => outputText(value).replace(/[&<>"']/g, (char) => ENTITIES[char]!));
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function engine(outputEscape: (value: unknown) => string): Liquid {
  const made = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    outputEscape,
    parseLimit: TEMPLATE_SOURCE_MAX_BYTES,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
    // An empty set of templates in place of the file system.
    templates: {},
    timezoneOffset: 0,
  });
  // Includes would name other files, and there are none.
  for (const tag of ['include', 'render', 'layout', 'block']) delete made.tags[tag];
  return made;
}

function outputText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(outputText).join('');
  if (typeof value === 'object')
    throw new TypeError('the value is an object, not text: name one of its fields');
  return String(value);
}

/** Parses all parts; throws TemplateError for the first that is not Liquid. */
export function compileTemplate(source: TemplateSource): CompiledTemplate {
  const subject = parse('subject', plain, source.subject);
  const text = source.text === null ? null : parse('text', plain, source.text);
  const html = source.html === null ? null : parse('html', escaped, source.html);
  return {
    render: (variables) => ({
      // A value with a line break must never make a header: what a subject cannot hold becomes a space.
      subject: run('subject', plain, subject, variables)
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim(),
      text: text === null ? null : run('text', plain, text, variables),
      html: html === null ? null : run('html', escaped, html, variables),
    }),
  };
}

function parse(part: keyof TemplateSource, liquid: Liquid, source: string): Template[] {
  try {
    return liquid.parse(source);
  } catch (error) {
    throw new TemplateError(part, problemOf(error), error);
  }
}

function run(
  part: keyof TemplateSource,
  liquid: Liquid,
  parsed: Template[],
  variables: Readonly<Record<string, unknown>>,
): string {
  let text: string;
  try {
    text = liquid.renderSync(parsed, variables as object) as string;
  } catch (error) {
    throw new TemplateError(part, problemOf(error), error);
  }
  if (Buffer.byteLength(text) > TEMPLATE_RENDERED_MAX_BYTES) {
    throw new TemplateError(part, `the result is larger than ${TEMPLATE_RENDERED_MAX_BYTES} bytes`, null);
  }
  return text;
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n', 1)[0]!.slice(0, 300) : 'cannot be rendered';
}

/** How many values the data holds, counted through all levels; stops counting past `limit`. */
export function countVariables(value: unknown, limit: number): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && count <= limit) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children = Object.values(next);
    count += children.length;
    open.push(...children.slice(0, limit + 1));
  }
  return count;
}
