import { type ApiError, apiError } from '../errors.ts';
import { createCachedRead } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Changes } from '../platform/database/changes.ts';
import { type Db, sqlState } from '../platform/database/db.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { isId, newId } from '../platform/ids.ts';
import type { Threads } from '../platform/threads/threads.ts';
import {
  countVariables,
  type Rendered,
  TEMPLATE_SOURCE_MAX_BYTES,
  TEMPLATE_VARIABLES_MAX,
  type TemplateSource,
} from './render.ts';
import { createRenderer } from './renderer.ts';
import {
  deleteTemplate,
  findTemplate,
  hasTemplates,
  insertTemplate,
  insertVersion,
  listTemplates,
  lockTemplate,
  nameIsFree,
  type TemplateRow,
  updateTemplate,
} from './store.ts';

export interface TemplatesDeps {
  db: Db;
  clock: Clock;
  changes: Changes;
  /** Where what takes long is parsed and rendered. */
  threads: Threads;
}

export interface NewTemplate extends TemplateSource {
  readonly name: string;
}

export interface RenderedTemplate extends Rendered {
  readonly templateId: string;
  readonly version: number;
}

export interface Templates {
  create(tenantId: string, template: NewTemplate): Promise<TemplateRow>;
  /** A change of content makes a new version; a change of name does not. */
  update(tenantId: string, templateId: string, change: Partial<NewTemplate>): Promise<TemplateRow>;
  remove(tenantId: string, templateId: string): Promise<void>;
  get(tenantId: string, templateId: string): Promise<TemplateRow>;
  list(tenantId: string, after: string | null, limit: number): Promise<TemplateRow[]>;
  /** For a send. Throws template_not_found, template_render_error (naming variable and place). */
  render(
    tenantId: string,
    templateId: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<RenderedTemplate>;
  /** For a preview: as render, but an unknown id is not_found. */
  preview(
    tenantId: string,
    templateId: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<RenderedTemplate>;
}

/** Templates of a tenant. */
export const TEMPLATES_MAX = 1_000;
const UNIQUE_VIOLATION = '23505';

export function createTemplates(deps: TemplatesDeps): Templates {
  const { db, clock, changes } = deps;
  // The current versions of the send path, by "tenant/template".
  const current = createCachedRead<TemplateRow>({
    clock,
    read(key) {
      const [tenantId, templateId] = key.split('/') as [string, string];
      return findTemplate(db, tenantId, templateId);
    },
  });
  changes.on('template', current.forget);
  const renderer = createRenderer(deps.threads);

  async function render(
    tenantId: string,
    templateId: string,
    variables: Readonly<Record<string, unknown>>,
    missing: ApiError,
  ): Promise<RenderedTemplate> {
    const row = isId(templateId) ? await current.get(`${tenantId}/${templateId}`) : null;
    if (row === null) throw missing;
    if (countVariables(variables, TEMPLATE_VARIABLES_MAX) > TEMPLATE_VARIABLES_MAX) {
      throw apiError(
        'template_render_error',
        `variables has more than ${TEMPLATE_VARIABLES_MAX} values: send only what the template uses.`,
      );
    }
    const rendered = await renderer.render(tenantId, row, variables);
    return { templateId, version: row.version, ...rendered };
  }

  async function checkSource(tenantId: string, source: TemplateSource): Promise<void> {
    requireCarried(source);
    await renderer.check(tenantId, source);
  }

  return {
    async create(tenantId, template) {
      requireContent(template);
      await checkSource(tenantId, template);
      return addTemplate(deps, tenantId, template);
    },

    async update(tenantId, templateId, change) {
      // Parts stand alone: those that change are checked before anything is locked.
      if (!isId(templateId) || (await findTemplate(db, tenantId, templateId)) === null)
        throw apiError('not_found');
      await checkSource(tenantId, { subject: '', text: null, html: null, ...change });
      const updated = await changeTemplate(deps, tenantId, templateId, change);
      await changes.announce('template', `${tenantId}/${templateId}`);
      return updated;
    },

    async remove(tenantId, templateId) {
      await requireById(db, tenantId, templateId, (tx) =>
        deleteTemplate(tx, tenantId, templateId, clock.now()),
      );
      await changes.announce('template', `${tenantId}/${templateId}`);
    },

    get: (tenantId, templateId) => requireById(db, tenantId, templateId, findTemplate),
    list: (tenantId, after, limit) =>
      db.asTenant(tenantId, (tx) => listTemplates(tx, tenantId, after, limit)),
    render: (tenantId, templateId, variables) =>
      render(tenantId, templateId, variables, apiError('template_not_found')),
    preview: (tenantId, templateId, variables) =>
      render(tenantId, templateId, variables, apiError('not_found')),
  };
}

async function addTemplate(
  { db, clock }: TemplatesDeps,
  tenantId: string,
  template: NewTemplate,
): Promise<TemplateRow> {
  const templateId = newId();
  const at = clock.now();
  await db.asTenant(tenantId, async (tx) => {
    if (await hasTemplates(tx, tenantId, TEMPLATES_MAX))
      throw apiError(
        'conflict',
        `Limit of ${TEMPLATES_MAX} templates per account reached: delete one first.`,
      );
    if (!(await insertTemplate(tx, tenantId, templateId, template.name, at))) throw nameTaken(template.name);
    await insertVersion(tx, tenantId, templateId, { version: 1, source: template, at });
  });
  return {
    template_id: templateId,
    name: template.name,
    version: 1,
    subject: template.subject,
    text: template.text,
    html: template.html,
    created_at: at,
    updated_at: at,
  };
}

function changeTemplate(
  { db, clock }: TemplatesDeps,
  tenantId: string,
  templateId: string,
  change: Partial<NewTemplate>,
): Promise<TemplateRow> {
  return db
    .asTenant(tenantId, async (tx) => {
      const now = await lockTemplate(tx, tenantId, templateId);
      if (now === null) throw apiError('not_found');
      const next = { ...now, ...change };
      requireContent(next);
      if (next.name !== now.name && !(await nameIsFree(tx, tenantId, templateId, next.name)))
        throw nameTaken(next.name);
      const contentChanged = next.subject !== now.subject || next.text !== now.text || next.html !== now.html;
      const at = clock.now();
      const version = contentChanged ? now.version + 1 : now.version;
      if (contentChanged) await insertVersion(tx, tenantId, templateId, { version, source: next, at });
      await updateTemplate(tx, tenantId, templateId, { name: next.name, version, at });
      return { ...next, version, updated_at: at };
    })
    .catch((error) => {
      // Two renames to one name at once: the index decides.
      throw sqlState(error) === UNIQUE_VIOLATION ? nameTaken(change.name ?? '') : error;
    });
}

function nameTaken(name: string): ApiError {
  return apiError(
    'conflict',
    `A template named ${JSON.stringify(name)} already exists: choose another name, or change that template.`,
  );
}

function requireContent({ text, html }: TemplateSource): void {
  if ((text ?? '') === '' && (html ?? '') === '')
    throw apiError('invalid_body', 'At least one of text and html is required.');
}

function requireCarried(source: TemplateSource): void {
  for (const part of ['subject', 'text', 'html'] as const) {
    const text = source[part] ?? '';
    if (text.includes('\0') || !text.isWellFormed())
      throw apiError(
        'invalid_body',
        `${part} contains characters that mail cannot carry (NUL or unpaired surrogates): remove them.`,
      );
    if (Buffer.byteLength(text) > TEMPLATE_SOURCE_MAX_BYTES)
      throw apiError('invalid_body', `${part} exceeds ${TEMPLATE_SOURCE_MAX_BYTES} bytes: shorten it.`);
  }
}
