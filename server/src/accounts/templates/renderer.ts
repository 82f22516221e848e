import { apiError } from '../../errors.ts';
import { ThreadLimitError } from '../../platform/threads/job.ts';
import type { JobOrder, Threads } from '../../platform/threads/threads.ts';
import {
  type CompiledTemplate,
  charsGiven,
  compileTemplate,
  isOrdinarySource,
  type Rendered,
  type TemplateSource,
} from './render.ts';
import { LARGEST } from './render-budget.ts';
import { checkJob, refuseAs, renderJob } from './render-jobs.ts';

/**
 * Ordinary templates render at once, others in a thread: the request thread spends some milliseconds at most.
 */
export interface Renderer {
  render(
    tenantId: string,
    template: RenderedSource,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<Rendered>;
  check(tenantId: string, source: TemplateSource): Promise<void>;
}

interface RenderedSource extends TemplateSource {
  readonly key: string;
  readonly version: number;
}

const COMPILED_MAX = 1_000;

/** `null`: too expensive for the request thread. */
interface Kept {
  readonly version: number;
  template: CompiledTemplate | null;
}

export function createRenderer(threads: Threads): Renderer {
  // Immutable versions: parsed once.
  const kept = new Map<string, Kept>();

  function keptOf(row: RenderedSource): Kept {
    const found = kept.get(row.key);
    if (found?.version === row.version) return found;
    const template = isOrdinarySource(row) ? compileTemplate(row) : null;
    const made: Kept = { version: row.version, template };
    kept.delete(row.key);
    if (kept.size >= COMPILED_MAX) kept.delete(kept.keys().next().value!);
    kept.set(row.key, made);
    return made;
  }

  return {
    async render(tenantId, row, variables) {
      const known = refuseAs('template_render_error', () => keptOf(row));
      const rendered = refuseAs(
        'template_render_error',
        () => known.template?.renderOrdinary(variables) ?? null,
      );
      if (rendered !== null) return rendered;
      // Skips the attempt next time.
      known.template = null;
      const { key, version, subject, text, html } = row;
      const input = { key: `${key}/${version}`, source: { subject, text, html }, variables };
      const given = charsGiven(variables);
      if (given > LARGEST.madeChars)
        throw apiError(
          'template_render_error',
          `variables has more than ${LARGEST.madeChars} characters of text: send only what the template uses.`,
        );
      const order = { tenantId, bytes: sizeOf(row) + given };
      return withinLimits('template_render_error', threads.run(renderJob, input, order));
    },

    async check(tenantId, source) {
      if (isOrdinarySource(source)) return void refuseAs('invalid_body', () => compileTemplate(source));
      const { subject, text, html } = source;
      const order: JobOrder = { tenantId, bytes: sizeOf(source) };
      await withinLimits('invalid_body', threads.run(checkJob, { subject, text, html }, order));
    },
  };
}

function sizeOf({ subject, text, html }: TemplateSource): number {
  return subject.length + (text?.length ?? 0) + (html?.length ?? 0);
}

async function withinLimits<T>(code: 'invalid_body' | 'template_render_error', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error;
    throw apiError(code, `The template takes too much ${error.limit}.`, { cause: error });
  }
}
