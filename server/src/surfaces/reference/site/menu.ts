/** The menu: first for people who send, then operators, then design. */

export type Language = 'en' | 'es';

interface Group {
  readonly title: string;
  /** Pages of docs/ without their ending, in order. The API's pages follow in the group `API`. */
  readonly pages: readonly string[];
}

export const ENGLISH: readonly Group[] = [
  {
    title: 'Start',
    pages: ['quick-start', 'guides/frameworks', 'guides/smtp', 'guides/test-addresses', 'clients', 'agents'],
  },
  {
    title: 'Send',
    pages: [
      'guides/templates',
      'guides/attachments',
      'guides/batch',
      'guides/scheduling',
      'guides/acknowledgement',
      'guides/idempotency',
      'guides/suppressions',
      'submitted-messages',
      'guides/migrating',
    ],
  },
  { title: 'Follow', pages: ['webhooks', 'guides/portal', 'guides/troubleshooting'] },
  { title: 'Domains', pages: ['guides/dns', 'guides/deliverability'] },
  { title: 'Evidence', pages: ['guides/court-expert', 'guides/choosing-a-psc'] },
  { title: 'API', pages: [] },
  { title: 'Reference', pages: ['limits', 'changelog', 'versioning'] },
  {
    title: 'Operators',
    pages: [
      'guides/first-certified-email',
      'packages',
      'settings',
      'operating',
      'runbooks',
      'guides/upgrading',
      'recovery',
      'guides/restore',
      'guides/failover',
      'guides/master-key',
      'capacity',
      'performance',
    ],
  },
  { title: 'Design', pages: ['evidence-format', 'archive-format', 'threats'] },
];

export const SPANISH: readonly Group[] = [
  { title: 'Empezar', pages: ['guides/es/inicio-rapido', 'guides/es/primer-correo-certificado'] },
  {
    title: 'Enviar',
    pages: ['guides/es/acuse', 'guides/es/webhooks', 'guides/es/errores', 'guides/es/migrar'],
  },
  { title: 'Dominios', pages: ['guides/es/dns', 'guides/es/entregabilidad'] },
  { title: 'Evidencia', pages: ['guides/es/perito'] },
  { title: 'Operar', pages: ['guides/es/salir-a-produccion'] },
];

/** The same page in Spanish. */
export const IN_SPANISH: Readonly<Record<string, string>> = {
  '/docs': '/docs/es',
  '/docs/quick-start': '/docs/guides/es/inicio-rapido',
  '/docs/webhooks': '/docs/guides/es/webhooks',
  '/docs/guides/acknowledgement': '/docs/guides/es/acuse',
  '/docs/errors': '/docs/guides/es/errores',
  '/docs/guides/dns': '/docs/guides/es/dns',
  '/docs/guides/deliverability': '/docs/guides/es/entregabilidad',
  '/docs/guides/migrating': '/docs/guides/es/migrar',
  '/docs/guides/court-expert': '/docs/guides/es/perito',
  '/docs/guides/first-certified-email': '/docs/guides/es/salir-a-produccion',
};

/** Texts of the frame in each language. */
export const FRAME_WORDS = {
  en: {
    skip: 'Skip to the content',
    menu: 'Menu',
    docs: 'docs',
    search: 'Search',
    verify: 'Verify',
    elsewhere: 'Elsewhere',
    documentation: 'Documentation',
    other: 'Español',
    previous: 'Previous',
    next: 'Next',
    neighbours: 'Neighbouring pages',
  },
  es: {
    skip: 'Ir al contenido',
    menu: 'Menú',
    docs: 'documentación',
    search: 'Buscar',
    verify: 'Verificar',
    elsewhere: 'Otros sitios',
    documentation: 'Documentación',
    other: 'English',
    previous: 'Anterior',
    next: 'Siguiente',
    neighbours: 'Páginas vecinas',
  },
} as const;
