import type { Liquid, Template } from 'liquidjs';
import { escapeHtml } from './escape-html.ts';
import { type Foreign, findForeign } from './foreign-syntax.ts';
import { createEngine, renderParsed } from './liquid.ts';
import { nearVariables } from './near-variables.ts';
import { LARGEST, ORDINARY, RenderBudget, type RenderLimits } from './render-budget.ts';

/**
 * `{{variables}}` in subject, text and html. An undefined variable or filter is an error with its place.
 * Values are escaped in html. Pure.
 */
export interface TemplateSource {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export type Rendered = TemplateSource;
type Part = keyof TemplateSource;

/** `problem`: variable or filter, line and column. */
export class TemplateError extends Error {
  readonly part: Part | 'variables';
  constructor(part: Part | 'variables', problem: string, cause?: unknown) {
    super(`${part}: ${problem}`, { cause });
    this.name = 'TemplateError';
    this.part = part;
  }
}

type Variables = Readonly<Record<string, unknown>>;

export interface CompiledTemplate {
  /** With the largest limits, in a thread. Throws TemplateError. */
  render(variables: Variables): Rendered;
  /** With ordinary limits; null: not enough. Throws TemplateError. */
  renderOrdinary(variables: Variables): Rendered | null;
}

export const TEMPLATE_NAME_MAX_CHARS = 200;
export const TEMPLATE_SOURCE_MAX_BYTES = 512 * 1024;
export const TEMPLATE_RENDERED_MAX_BYTES = 2 * 1024 * 1024;
export const TEMPLATE_VARIABLES_MAX = 200;
/** Parsing costs more than their sum. */
export const TEMPLATE_TAGS_MAX = 2_000;
const TEMPLATE_TAG_MAX_CHARS = 4_096;
/** Parsed and rendered on the request thread: some milliseconds. */
const ORDINARY_SOURCE_MAX_CHARS = 128 * 1024;
const ORDINARY_TAGS_MAX = 250;
const ORDINARY_TAG_MAX_CHARS = 256;
/** Escaping is one uninterruptible step. */
const HTML_VALUE_MAX_CHARS = 512 * 1024;
const PROBLEM_MAX_CHARS = 300;

/** Made for the first template, because they load the names of languages: 30 ms that no start needs. */
let engines: { readonly plain: Liquid; readonly escaped: Liquid } | null = null;

function enginesNow(): NonNullable<typeof engines> {
  engines ??= { plain: createEngine((text) => text), escaped: createEngine(escapeValue) };
  return engines;
}

function escapeValue(text: string): string {
  if (text.length > HTML_VALUE_MAX_CHARS)
    throw new Error(`a value has more than ${HTML_VALUE_MAX_CHARS} characters`);
  return escapeHtml(text);
}

function refuseMuch(variables: Variables, budget: RenderBudget): void {
  try {
    budget.make(charsGiven(variables));
  } catch (error) {
    throw new TemplateError('variables', 'there is too much text in them', error);
  }
}

export function compileTemplate(source: TemplateSource): CompiledTemplate {
  const { plain, escaped } = enginesNow();
  const subject = parse('subject', plain, source.subject);
  const text = source.text === null ? null : parse('text', plain, source.text);
  const html = source.html === null ? null : parse('html', escaped, source.html);
  function renderWithin(budget: RenderBudget, variables: Variables): Rendered {
    refuseMuch(variables, budget);
    return {
      // No header injection: line breaks become spaces.
      subject: run('subject', plain, subject, variables, budget)
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim(),
      text: text === null ? null : run('text', plain, text, variables, budget),
      html: html === null ? null : run('html', escaped, html, variables, budget),
    };
  }
  const budgetOf = (limits: RenderLimits) => new RenderBudget(limits, performance.now());
  return {
    render: (variables) => renderWithin(budgetOf(LARGEST), variables),
    renderOrdinary(variables) {
      const budget = budgetOf(ORDINARY);
      try {
        return renderWithin(budget, variables);
      } catch (error) {
        if (budget.exceeded) return null;
        throw error;
      }
    },
  };
}

export function isOrdinarySource({ subject, text, html }: TemplateSource): boolean {
  return [subject, text ?? '', html ?? ''].every((source) => {
    if (source.length > ORDINARY_SOURCE_MAX_CHARS) return false;
    const { tags, longest } = measureTags(source);
    return tags <= ORDINARY_TAGS_MAX && longest <= ORDINARY_TAG_MAX_CHARS;
  });
}

function parse(part: Part, liquid: Liquid, source: string): Template[] {
  requireFewTags(part, source);
  // First, because Liquid would take some for missing variables.
  const foreign = findForeign(source);
  if (foreign !== null) throw new TemplateError(part, foreignProblem(foreign));
  try {
    return liquid.parse(source);
  } catch (error) {
    throw new TemplateError(part, problemOf(error), error);
  }
}

function foreignProblem({ hint, line, column }: Foreign): string {
  return `${hint}, line:${line}, col:${column}`;
}

function requireFewTags(part: Part, source: string): void {
  const { tags, longest, longestAt } = measureTags(source);
  if (longest > TEMPLATE_TAG_MAX_CHARS)
    throw new TemplateError(
      part,
      `"${source.slice(longestAt, longestAt + 20)}…" does not end within ${TEMPLATE_TAG_MAX_CHARS} characters`,
    );
  if (tags > TEMPLATE_TAGS_MAX)
    throw new TemplateError(part, `there are more than ${TEMPLATE_TAGS_MAX} outputs and tags`);
}

/** Counts tags and their lengths in one pass, up to the limits. */
function measureTags(source: string): { tags: number; longest: number; longestAt: number } {
  let tags = 0;
  let longest = 0;
  let longestAt = 0;
  for (let at = nextTag(source, 0); at !== -1; at = nextTag(source, at + 2)) {
    const found = source.indexOf(source[at + 1] === '{' ? '}}' : '%}', at + 2);
    const end = found === -1 ? source.length : found;
    if (end - at > longest) {
      longest = end - at;
      longestAt = at;
    }
    if (longest > TEMPLATE_TAG_MAX_CHARS || tags > TEMPLATE_TAGS_MAX) break;
    // Each line is a tag.
    tags += 1 + lineBreaks(source, at, end);
  }
  return { tags, longest, longestAt };
}

function lineBreaks(source: string, from: number, end: number): number {
  return source.slice(from, end).split('\n').length - 1;
}

function nextTag(source: string, from: number): number {
  for (let at = source.indexOf('{', from); at !== -1; at = source.indexOf('{', at + 1)) {
    if (source[at + 1] === '{' || source[at + 1] === '%') return at;
  }
  return -1;
}

function run(
  part: Part,
  liquid: Liquid,
  parsed: Template[],
  variables: Variables,
  budget: RenderBudget,
): string {
  let text: string;
  try {
    text = renderParsed(liquid, parsed, variables, budget);
  } catch (error) {
    const problem = problemOf(error);
    throw new TemplateError(part, `${problem}${printable(nearVariables(problem, variables))}`, error);
  }
  if (text.length > TEMPLATE_RENDERED_MAX_BYTES || Buffer.byteLength(text) > TEMPLATE_RENDERED_MAX_BYTES)
    throw new TemplateError(part, `the result is larger than ${TEMPLATE_RENDERED_MAX_BYTES} bytes`);
  return text;
}

/** Partly the author's text: one printable line. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be rendered';
  return printable(error.message.split('\n', 1)[0]!) || 'cannot be rendered';
}

function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, PROBLEM_MAX_CHARS)
    .toWellFormed();
}

export function charsGiven(variables: Variables): number {
  let chars = 0;
  const open: unknown[] = [variables];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') chars += next.length;
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next));
  }
  return chars;
}

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
