import type { Translated, Words } from '../../../shared/words/words.ts';

/** Texts about accounts that several pages use. */
const english = {
  statuses: { active: 'Active', suspended: 'Suspended', deactivated: 'Closed' },
  sandbox: 'Sandbox',
  fields: {
    name: 'Name',
    status: 'State',
    default_certified: 'If a send does not say',
    quota_messages_month: 'Certified per month',
    quota_plain_messages_month: 'Plain per month',
    price_per_message_cents: 'Price, certified',
    price_per_plain_message_cents: 'Price, plain',
    source_pool: 'Source pool',
    require_ready_domains: 'Domains that may send',
    plain_record_days: 'Days that plain records are kept',
  },
  anyVerified: 'All that are verified',
  onlyReady: 'Only those that are ready',
  certified: 'Certified',
  plain: 'Plain',
  units: (code = 'an amount') => `Messages per UTC month, and ${code} per message with at most two decimals.`,
  asInstallation: 'As the installation',
  recordDaysHint: 'Empty: as the installation. Never fewer than the days of the content.',
  needsDays: 'Enter a whole number from 1 to 36500, or nothing.',
  needsName: 'Enter a name.',
  needsQuota: 'Enter a whole number, such as 10000.',
  needsPrice: 'Enter an amount with at most two decimals, such as 0.05.',
};

const spanish: Translated<typeof english> = {
  statuses: { active: 'Activa', suspended: 'Suspendida', deactivated: 'Cerrada' },
  sandbox: 'Sandbox',
  fields: {
    name: 'Nombre',
    status: 'Estado',
    default_certified: 'Si el envío no lo indica',
    quota_messages_month: 'Certificados al mes',
    quota_plain_messages_month: 'Simples al mes',
    price_per_message_cents: 'Precio, certificado',
    price_per_plain_message_cents: 'Precio, simple',
    source_pool: 'Grupo de origen',
    require_ready_domains: 'Dominios que pueden enviar',
    plain_record_days: 'Días que se conservan los registros simples',
  },
  anyVerified: 'Todos los verificados',
  onlyReady: 'Solo los que están listos',
  certified: 'Certificado',
  plain: 'Simple',
  units: (code = 'un importe') =>
    `Mensajes por mes en UTC, y ${code} por mensaje con dos decimales como máximo.`,
  asInstallation: 'Como la instalación',
  recordDaysHint: 'Vacío: como la instalación. Nunca menos días que los del contenido.',
  needsDays: 'Escriba un número entero de 1 a 36500, o nada.',
  needsName: 'Escriba un nombre.',
  needsQuota: 'Escriba un número entero, como 10000.',
  needsPrice: 'Escriba un importe con dos decimales como máximo, como 0.05.',
};

export const tenantWords: Words<typeof english> = { en: english, es: spanish };
