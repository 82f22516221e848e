import type { NewTemplate, Template, TemplateChange } from '../../../../shared/api/portal-types.ts';

/** Empty parts are absent. */
export interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The name of the template's own content among its languages. */
export const OWN = '';

/** A template as somebody edits it. `contents`: by language tag, its own content under OWN. */
export interface Draft {
  readonly name: string;
  readonly contents: Readonly<Record<string, Content>>;
}

export const NO_CONTENT: Content = { subject: '', text: '', html: '' };
export const NEW_DRAFT: Draft = { name: '', contents: { [OWN]: NO_CONTENT } };

type Said = Pick<Template, 'subject' | 'text' | 'html' | 'variants'>;

/** Contents of a template, or of one of its versions. */
export function contentsOf({ variants, ...own }: Said): Draft['contents'] {
  const entries = Object.entries({ [OWN]: own, ...variants });
  return Object.fromEntries(
    entries.map(([tag, { subject, text, html }]) => [tag, { subject, text: text ?? '', html: html ?? '' }]),
  );
}

export function draftOf(template: Template): Draft {
  return { name: template.name, contents: contentsOf(template) };
}

/** Its languages: the tags of its variants, in their order. */
export function tagsOf({ contents }: Pick<Draft, 'contents'>): string[] {
  return Object.keys(contents)
    .filter((tag) => tag !== OWN)
    .sort();
}

export function isSame(one: Draft, other: Draft): boolean {
  const written = ({ name, contents }: Draft) =>
    JSON.stringify([
      name,
      ...[OWN, ...tagsOf({ contents })].map((tag) => {
        const { subject, text, html } = contents[tag]!;
        return [tag, subject, text, html];
      }),
    ]);
  return written(one) === written(other);
}

/** As it is made. */
export function toNew({ name, contents }: Draft): NewTemplate {
  const variants = tagsOf({ contents }).map((tag) => [tag, partsOf(contents[tag]!)] as const);
  return {
    name: name.trim(),
    ...partsOf(contents[OWN]!),
    ...(variants.length > 0 && { variants: Object.fromEntries(variants) }),
  };
}

/** Removed languages become null. */
export function toChange(draft: Draft, before: Pick<Template, 'variants'>): TemplateChange {
  const gone = Object.keys(before.variants).filter((tag) => draft.contents[tag] === undefined);
  const made = toNew(draft);
  return {
    ...made,
    variants: { ...made.variants, ...Object.fromEntries(gone.map((tag) => [tag, null])) },
  };
}

function partsOf({ subject, text, html }: Content) {
  return { subject, text: text === '' ? null : text, html: html === '' ? null : html };
}
