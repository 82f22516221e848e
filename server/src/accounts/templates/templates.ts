import { isDeepStrictEqual } from 'node:util';
import { type ApiError, type ApiErrorCode, apiError } from '../../errors.ts';
import { createCachedRead } from '../../platform/cache.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { sqlState } from '../../platform/database/failures.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { aboutVariant, chooseVariant, type GivenVariants, mergeVariants, type Variants } from './locales.ts';
import { noTemplateNamed } from './names.ts';
import {
  countVariables,
  type Rendered,
  TEMPLATE_SOURCE_MAX_BYTES,
  TEMPLATE_VARIABLES_MAX,
  type TemplateSource,
} from './render.ts';
import { createRenderer, type Renderer } from './renderer.ts';
import {
  deleteTemplate,
  findTemplate,
  findTemplateId,
  hasTemplates,
  insertTemplate,
  insertVersion,
  listTemplateNames,
  listTemplates,
  listVersions,
  lockTemplate,
  nameIsFree,
  type TemplateRow,
  updateTemplate,
  type VersionRow,
} from './store.ts';

interface TemplatesDeps extends DbAndClock {
  changes: Changes;
  threads: Threads;
}

export interface NewTemplate extends TemplateSource {
  readonly name: string;
  readonly variants?: GivenVariants | undefined;
}

/** The template and its language: es-MX, else es, else the template's own content. */
export interface TemplateChoice {
  readonly by: 'id' | 'name';
  readonly value: string;
  readonly locale: string | null;
}

export type TemplatePart = keyof TemplateSource;

export interface RenderedTemplate extends Rendered {
  readonly templateId: string;
  readonly version: number;
  /** The variant that was rendered; null: the template's own content. */
  readonly locale: string | null;
}

export interface Templates {
  create(tenantId: string, template: NewTemplate): Promise<TemplateRow>;
  /** A change of content makes a new version; a change of name does not. */
  update(tenantId: string, templateId: string, change: Partial<NewTemplate>): Promise<TemplateRow>;
  remove(tenantId: string, templateId: string): Promise<void>;
  get(tenantId: string, templateId: string): Promise<TemplateRow>;
  list(tenantId: string, after: string | null, limit: number): Promise<TemplateRow[]>;
  /** Its versions, newest first. `before`: the last version of the page before. Throws not_found. */
  versions(tenantId: string, templateId: string, before: number | null, limit: number): Promise<VersionRow[]>;
  /**
   * Renders for a send. `leftOut`: parts that the send has itself; they stay empty. Throws
   * template_not_found, template_render_error (naming variable and place).
   */
  render(
    tenantId: string,
    choice: TemplateChoice,
    variables: Readonly<Record<string, unknown>>,
    leftOut: readonly TemplatePart[],
  ): Promise<RenderedTemplate>;
  renderDraft(
    tenantId: string,
    source: TemplateSource,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<Rendered>;
  preview(
    tenantId: string,
    choice: TemplateChoice,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<RenderedTemplate>;
}

export const TEMPLATES_MAX = 1_000;
const UNIQUE_VIOLATION = '23505';

export function createTemplates(deps: TemplatesDeps): Templates {
  const { db, clock, changes } = deps;
  const renderer = createRenderer(deps.threads);
  const render = createRender(deps, renderer);
  let drafts = 0;

  async function checkSource(tenantId: string, source: TemplateSource): Promise<void> {
    requireCarried(source);
    await renderer.check(tenantId, source);
  }

  async function checkVariants(tenantId: string, variants: Variants): Promise<void> {
    for (const [tag, source] of Object.entries(variants))
      await aboutVariant(tag, async () => {
        requireContent(source);
        await checkSource(tenantId, source);
      });
  }

  return {
    async create(tenantId, template) {
      requireContent(template);
      await checkSource(tenantId, template);
      const variants = mergeVariants({}, template.variants ?? {});
      await checkVariants(tenantId, variants);
      return addTemplate(deps, tenantId, { ...template, variants });
    },

    async update(tenantId, templateId, change) {
      // Parts are independent: changed ones are checked before anything is locked.
      if (!isId(templateId) || (await findTemplate(db, tenantId, templateId)) === null)
        throw apiError('not_found');
      const { subject = '', text = null, html = null, variants = {} } = change;
      await checkSource(tenantId, { subject, text, html });
      await checkVariants(tenantId, mergeVariants({}, variants));
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
    versions: (tenantId, templateId, before, limit) =>
      requireById(db, tenantId, templateId, async (tx) =>
        (await findTemplate(tx, tenantId, templateId)) === null
          ? null
          : listVersions(tx, tenantId, templateId, before, limit),
      ),
    async renderDraft(tenantId, source, variables) {
      requireContent(source);
      await checkSource(tenantId, source);
      requireFewVariables(variables);
      // Each is another version of the one draft that is kept of an account.
      drafts++;
      return renderer.render(tenantId, { key: `${tenantId}/draft`, version: drafts, ...source }, variables);
    },
    render: (tenantId, choice, variables, leftOut) =>
      render(tenantId, choice, { variables, leftOut, missing: 'template_not_found' }),
    preview: (tenantId, choice, variables) =>
      render(tenantId, choice, { variables, leftOut: [], missing: 'not_found' }),
  };
}

interface RenderOrder {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly TemplatePart[];
  readonly missing: ApiErrorCode;
}

function createRender({ db, clock, changes }: TemplatesDeps, renderer: Renderer) {
  // The current versions of the send path, by "tenant/template".
  const current = createCachedRead<TemplateRow>({
    clock,
    read(key) {
      const [tenantId, templateId] = key.split('/') as [string, string];
      return findTemplate(db, tenantId, templateId);
    },
  });
  // Their ids by "tenant/name"; a changed name is a changed template.
  const ids = createCachedRead<{ template_id: string }>({
    clock,
    read(key) {
      const at = key.indexOf('/');
      return findTemplateId(db, key.slice(0, at), key.slice(at + 1));
    },
  });
  changes.on('template', (key) => {
    current.forget(key);
    ids.forgetPrefix(key.slice(0, key.indexOf('/') + 1));
  });

  async function render(
    tenantId: string,
    choice: TemplateChoice,
    { variables, leftOut, missing }: RenderOrder,
  ): Promise<RenderedTemplate> {
    const templateId = choice.by === 'id' ? choice.value : await idOf(tenantId, choice.value);
    const row = isId(templateId) ? await current.get(`${tenantId}/${templateId}`) : null;
    if (row === null) throw apiError(missing);
    requireFewVariables(variables);
    const { version } = row;
    const locale = chooseVariant(row.variants, choice.locale);
    const { subject, text, html } = locale === null ? row : row.variants[locale]!;
    const empty = Object.fromEntries(leftOut.map((part) => [part, part === 'subject' ? '' : null]));
    const key = [templateId, locale ?? '', ...leftOut].join('/');
    const source = { key, version, subject, text, html, ...empty };
    const rendered = await aboutVariant(locale, () => renderer.render(tenantId, source, variables));
    return { templateId, version, locale, ...rendered };
  }

  /** Throws template_not_found, which says the names that come near. */
  async function idOf(tenantId: string, name: string): Promise<string> {
    const found = await ids.get(`${tenantId}/${name}`);
    if (found !== null) return found.template_id;
    throw noTemplateNamed(name, await db.asTenant(tenantId, (tx) => listTemplateNames(tx, tenantId)));
  }

  return render;
}

function requireFewVariables(variables: Readonly<Record<string, unknown>>): void {
  if (countVariables(variables, TEMPLATE_VARIABLES_MAX) <= TEMPLATE_VARIABLES_MAX) return;
  throw apiError(
    'template_render_error',
    `variables has more than ${TEMPLATE_VARIABLES_MAX} values: send only what the template uses.`,
  );
}

async function addTemplate(
  { db, clock }: TemplatesDeps,
  tenantId: string,
  template: NewTemplate & { readonly variants: Variants },
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
    variants: template.variants,
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
      const next = { ...now, ...change, variants: mergeVariants(now.variants, change.variants ?? {}) };
      requireContent(next);
      if (next.name !== now.name && !(await nameIsFree(tx, tenantId, templateId, next.name)))
        throw nameTaken(next.name);
      const contentChanged = !isDeepStrictEqual(contentOf(next), contentOf(now));
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

function contentOf({ subject, text, html, variants }: TemplateSource & { readonly variants: Variants }) {
  return { subject, text, html, variants };
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
