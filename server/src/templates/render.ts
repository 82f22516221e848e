import type { Liquid, Template } from 'liquidjs';
import { createEngine, RenderBudget, renderParsed } from './liquid.ts';

/**
 * `{{variables}}` in subject, text and html. Strict: an undefined variable or filter is an error that names it and its place.
 * Values are escaped in html; time, memory and sizes are bounded. Pure.
 */
export interface TemplateSource {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export type Rendered = TemplateSource;
type Part = keyof TemplateSource;

/** Which part failed and why; `problem` names the variable or filter, line and column. */
export class TemplateError extends Error {
  readonly part: Part;
  constructor(part: Part, problem: string, cause?: unknown) {
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
/** Outputs and tags of one part, and characters of each: parsing costs more than their sum. */
export const TEMPLATE_TAGS_MAX = 2_000;
export const TEMPLATE_TAG_MAX_CHARS = 4_096;
/** One value to be escaped: that is one step, which nothing can interrupt. */
const HTML_VALUE_MAX_CHARS = 512 * 1024;
const PROBLEM_MAX_CHARS = 300;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const plain = createEngine((text) => text);
const escaped = createEngine(escapeHtml);

function escapeHtml(text: string): string {
  if (text.length > HTML_VALUE_MAX_CHARS)
    throw new Error(`a value has more than ${HTML_VALUE_MAX_CHARS} characters`);
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

/** Parses all parts; throws TemplateError for the first that is not Liquid, or too much of it. */
export function compileTemplate(source: TemplateSource): CompiledTemplate {
  const subject = parse('subject', plain, source.subject);
  const text = source.text === null ? null : parse('text', plain, source.text);
  const html = source.html === null ? null : parse('html', escaped, source.html);
  return {
    render(variables) {
      const budget = new RenderBudget(performance.now());
      return {
        // A value with a line break must never make a header: what a subject cannot hold becomes a space.
        subject: run('subject', plain, subject, variables, budget)
          .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
          .trim(),
        text: text === null ? null : run('text', plain, text, variables, budget),
        html: html === null ? null : run('html', escaped, html, variables, budget),
      };
    },
  };
}

function parse(part: Part, liquid: Liquid, source: string): Template[] {
  requireFewTags(part, source);
  try {
    return liquid.parse(source);
  } catch (error) {
    throw new TemplateError(part, problemOf(error), error);
  }
}

/** In one pass, before the parser sees it: how many `{{` and `{%` there are, and how far each is from its end. */
function requireFewTags(part: Part, source: string): void {
  let tags = 0;
  for (let at = nextTag(source, 0); at !== -1; at = nextTag(source, at + 2)) {
    if (++tags > TEMPLATE_TAGS_MAX)
      throw new TemplateError(part, `there are more than ${TEMPLATE_TAGS_MAX} outputs and tags`);
    const end = source.indexOf(source[at + 1] === '{' ? '}}' : '%}', at + 2);
    if ((end === -1 ? source.length : end) - at > TEMPLATE_TAG_MAX_CHARS)
      throw new TemplateError(
        part,
        `"${source.slice(at, at + 20)}…" does not end within ${TEMPLATE_TAG_MAX_CHARS} characters`,
      );
  }
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
  variables: Readonly<Record<string, unknown>>,
  budget: RenderBudget,
): string {
  let text: string;
  try {
    text = renderParsed(liquid, parsed, variables, budget);
  } catch (error) {
    throw new TemplateError(part, problemOf(error), error);
  }
  if (text.length > TEMPLATE_RENDERED_MAX_BYTES || Buffer.byteLength(text) > TEMPLATE_RENDERED_MAX_BYTES)
    throw new TemplateError(part, `the result is larger than ${TEMPLATE_RENDERED_MAX_BYTES} bytes`);
  return text;
}

/** A template's author has a say in these words: one printable line. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be rendered';
  const line = error.message
    .split('\n', 1)[0]!
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, PROBLEM_MAX_CHARS);
  return line.toWellFormed() || 'cannot be rendered';
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
