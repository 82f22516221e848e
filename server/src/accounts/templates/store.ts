import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { TemplateSource } from './render.ts';

interface VariedSource extends TemplateSource {
  readonly variants: Readonly<Record<string, TemplateSource>>;
}

export interface TemplateRow {
  template_id: string;
  name: string;
  version: number;
  subject: string;
  text: string | null;
  html: string | null;
  /** By canonical tag. */
  variants: Readonly<Record<string, TemplateSource>>;
  created_at: Date;
  updated_at: Date;
}

const CURRENT = `select t.template_id, t.name, t.version, v.subject, v."text", v.html, v.variants, t.created_at,
  t.updated_at
       from templates t join template_versions v on v.tenant_id = t.tenant_id and v.template_id =
         t.template_id and v.version = t.version
      where t.tenant_id = $1 and t.deleted_at is null`;

export function findTemplate(
  db: Queryable,
  tenantId: string,
  templateId: string,
): Promise<TemplateRow | null> {
  return first<TemplateRow>(db, `${CURRENT} and t.template_id = $2`, [tenantId, templateId], 'find_template');
}

export function listTemplates(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<TemplateRow[]> {
  return db.query<TemplateRow>(
    `${CURRENT} and ($2::uuid is null or t.template_id < $2) order by t.template_id desc limit $3`,
    [tenantId, after, limit],
  );
}

export interface VersionRow extends VariedSource {
  readonly version: number;
  readonly created_at: Date;
}

export function listVersions(
  db: Queryable,
  tenantId: string,
  templateId: string,
  before: number | null,
  limit: number,
): Promise<VersionRow[]> {
  return db.query<VersionRow>(
    `select version, subject, "text", html, variants, created_at from template_versions
      where tenant_id = $1 and template_id = $2 and ($3::integer is null or version < $3)
      order by version desc limit $4`,
    [tenantId, templateId, before, limit],
  );
}

export async function hasTemplates(tx: Tx, tenantId: string, limit: number): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from templates where tenant_id = $1 and deleted_at is null offset $2 limit 1',
    [tenantId, limit - 1],
  );
  return rows.length > 0;
}

export function insertTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
  name: string,
  at: Date,
): Promise<boolean> {
  return changed(
    tx,
    `insert into templates (tenant_id, template_id, name, version, created_at, updated_at) values ($1, $2, $3,
      1, $4, $4)
     on conflict (tenant_id, name) where deleted_at is null do nothing`,
    [tenantId, templateId, name, at.toISOString()],
  );
}

export async function insertVersion(
  tx: Tx,
  tenantId: string,
  templateId: string,
  { version, source, at }: { readonly version: number; readonly source: VariedSource; readonly at: Date },
): Promise<void> {
  await tx.execute(
    'insert into template_versions (tenant_id, template_id, version, subject, "text", html, created_at, variants) values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [
      tenantId,
      templateId,
      version,
      source.subject,
      source.text,
      source.html,
      at.toISOString(),
      JSON.stringify(source.variants),
    ],
  );
}

/** Read after the lock: a join would show the old version. */
export async function lockTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
): Promise<TemplateRow | null> {
  await tx.query('select 1 from templates where tenant_id = $1 and template_id = $2 for update', [
    tenantId,
    templateId,
  ]);
  return findTemplate(tx, tenantId, templateId);
}

/** False when another template has the name. */
export async function nameIsFree(
  tx: Tx,
  tenantId: string,
  templateId: string,
  name: string,
): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from templates where tenant_id = $1 and name = $2 and deleted_at is null and template_id <> $3',
    [tenantId, name, templateId],
  );
  return rows.length === 0;
}

export async function updateTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
  { name, version, at }: { readonly name: string; readonly version: number; readonly at: Date },
): Promise<void> {
  await tx.execute(
    'update templates set name = $3, version = $4, updated_at = $5 where tenant_id = $1 and template_id = $2',
    [tenantId, templateId, name, version, at.toISOString()],
  );
}

export function deleteTemplate(tx: Tx, tenantId: string, templateId: string, at: Date): Promise<boolean> {
  return changed(
    tx,
    'update templates set deleted_at = $3, updated_at = $3 where tenant_id = $1 and template_id = $2 and deleted_at is null',
    [tenantId, templateId, at.toISOString()],
  );
}

export function findTemplateId(
  db: Queryable,
  tenantId: string,
  name: string,
): Promise<{ template_id: string } | null> {
  return first<{ template_id: string }>(
    db,
    'select template_id from templates where tenant_id = $1 and name = $2 and deleted_at is null',
    [tenantId, name],
    'find_template_id',
  );
}

export async function listTemplateNames(db: Queryable, tenantId: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select name from templates where tenant_id = $1 and deleted_at is null',
    [tenantId],
  );
  return rows.map(({ name }) => name);
}
