import { apiError } from '../../errors.ts';
import type { Job } from '../../platform/threads/job.ts';
import {
  type CompiledTemplate,
  compileTemplate,
  type Rendered,
  TemplateError,
  type TemplateSource,
} from './render.ts';

const JOB_LIMIT_MS = 2_000;
const COMPILED_MAX = 100;
const compiled = new Map<string, CompiledTemplate>();

interface RenderInput {
  readonly key: string;
  readonly source: TemplateSource;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const renderJob: Job<RenderInput, Rendered> = {
  name: 'template-render',
  limitMs: JOB_LIMIT_MS,
  run: ({ key, source, variables }) =>
    refuseAs('template_render_error', () => compiledOf(key, source).render(variables)),
};

export const checkJob: Job<TemplateSource, null> = {
  name: 'template-check',
  limitMs: JOB_LIMIT_MS,
  run(source) {
    refuseAs('invalid_body', () => compileTemplate(source));
    return null;
  },
};

function compiledOf(key: string, source: TemplateSource): CompiledTemplate {
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = compileTemplate(source);
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value!);
  compiled.set(key, made);
  return made;
}

export function refuseAs<T>(code: 'invalid_body' | 'template_render_error', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) throw apiError(code, error.message, { cause: error });
    throw error;
  }
}
