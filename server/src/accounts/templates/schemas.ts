import { Type } from 'typebox';
import { Id, line, mapOf, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { LOCALE_PATTERN } from './locales.ts';
import { TEMPLATE_NAME_MAX_CHARS } from './render.ts';

const Subject = Type.String({
  description: 'With {{variables}} (Liquid); line breaks in a value become spaces.',
  examples: ['Invoice {{ number }}'],
});
const Text = nullable(
  Type.String({ examples: ['Hello {{ name }}, the total is {{ total }}.'] }),
  'Plain body, with {{variables}} (Liquid).',
);
const Html = nullable(
  Type.String({ examples: ['<p>Hello {{ name }}, the total is <b>{{ total }}</b>.</p>'] }),
  'HTML body, with {{variables}} (Liquid); values are escaped.',
);

const Variant = named('NewTemplateVariant', {
  subject: Subject,
  text: Type.Optional(Text),
  html: Type.Optional(Html),
});
const VariantRecord = named('TemplateVariant', { subject: Subject, text: Text, html: Html });
const VARIANTS_NOTE =
  'By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template itself.';
const VARIANTS_EXAMPLE = { es: { subject: 'Factura {{ number }}', text: 'Hola {{ name }}: {{ total }}.' } };
const Locale = Type.String({
  pattern: LOCALE_PATTERN,
  description: 'Language tag: chooses a variant of the template.',
  examples: ['es-MX'],
});

export const TemplateRecord = named('Template', {
  id: Id,
  name: Type.String({ examples: ['invoice'] }),
  version: Type.Integer({
    minimum: 1,
    description: 'Grows by one with each change of content; a message keeps the version it used.',
  }),
  subject: Subject,
  text: Text,
  html: Html,
  variants: mapOf(VariantRecord, { description: VARIANTS_NOTE }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const VersionRecord = named('TemplateVersion', {
  version: Type.Integer({ minimum: 1 }),
  subject: Subject,
  text: Text,
  html: Html,
  variants: mapOf(VariantRecord, { description: VARIANTS_NOTE }),
  created_at: Timestamp,
});

const Name = line(TEMPLATE_NAME_MAX_CHARS, {
  description: 'Name of the template, unique in the account.',
  examples: ['invoice'],
});
export const CreateBody = named(
  'NewTemplate',
  {
    name: Name,
    subject: Subject,
    text: Type.Optional(Text),
    html: Type.Optional(Html),
    variants: Type.Optional(mapOf(Variant, { description: VARIANTS_NOTE, examples: [VARIANTS_EXAMPLE] })),
  },
  {
    documented: { not: { properties: { text: { maxLength: 0 }, html: { maxLength: 0 } } } },
    description: 'At least one of text and html is required.',
    examples: [
      {
        name: 'invoice',
        subject: 'Invoice {{ number }}',
        text: 'Hello {{ name }}, the total is {{ total }}.',
        html: '<p>Hello {{ name }}, the total is <b>{{ total }}</b>.</p>',
      },
    ],
  },
);
export const PatchBody = named(
  'TemplateChange',
  {
    name: Type.Optional(Name),
    subject: Type.Optional(Subject),
    text: Type.Optional(Text),
    html: Type.Optional(Html),
    variants: Type.Optional(mapOf(nullable(Variant), { description: VARIANTS_NOTE })),
  },
  { examples: [{ subject: 'Your invoice {{ number }}' }] },
);
export const RenderBody = named('RenderRequest', {
  variables: Type.Optional(
    mapOf(Type.Unknown(), {
      description: "The template's data.",
      examples: [{ name: 'Ana', number: '2026-0001', total: '120.00' }],
    }),
  ),
  locale: Type.Optional(Locale),
});
export const RenderedRecord = named('RenderedTemplate', {
  template_id: Id,
  version: Type.Integer({ minimum: 1 }),
  locale: nullable(
    Type.String({ examples: ['es'] }),
    "The variant that was rendered; null: the template's own content.",
  ),
  subject: Type.String({ examples: ['Invoice 2026-0001'] }),
  text: nullable(Type.String({ examples: ['Hello Ana, the total is 120.00.'] })),
  html: nullable(Type.String({ examples: ['<p>Hello Ana, the total is <b>120.00</b>.</p>'] })),
});

export const DraftBody = named(
  'TemplateDraft',
  {
    subject: Subject,
    text: Type.Optional(Text),
    html: Type.Optional(Html),
    variables: RenderBody.properties.variables,
  },
  {
    documented: { not: { properties: { text: { maxLength: 0 }, html: { maxLength: 0 } } } },
    description: 'At least one of text and html is required.',
    examples: [
      { subject: 'Invoice {{ number }}', text: 'Hello {{ name }}', variables: { number: '7', name: 'Ana' } },
    ],
  },
);
export const RenderedDraft = named('RenderedDraft', {
  subject: Type.String({ examples: ['Invoice 7'] }),
  text: nullable(Type.String({ examples: ['Hello Ana'] })),
  html: nullable(Type.String({ examples: [null] })),
});
