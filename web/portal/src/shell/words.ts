import type { Translated, Words } from '../../../shared/words/words.ts';

/** Texts around every page of the portal. */
const english = {
  name: 'Acuse',
  groups: { sending: 'Sending', connecting: 'Connecting', account: 'Account' },
  pages: {
    home: 'Home',
    messages: 'Messages',
    verify: 'Verify',
    domains: 'Domains',
    senders: 'Senders',
    templates: 'Templates',
    suppressions: 'Suppressions',
    webhooks: 'Webhooks',
    keys: 'API keys',
    mailbox: 'Test mailbox',
    rates: 'Rates',
    usage: 'Usage',
    people: 'People',
    audit: 'Audit log',
    settings: 'Settings',
    you: 'You',
  },
  account: 'Account',
  roles: { owner: 'Owner', developer: 'Developer', viewer: 'Viewer' },
  kinds: {
    message: 'Message',
    batch: 'Batch',
    address: 'Address',
    domain: 'Domain',
    template: 'Template',
    webhook: 'Webhook',
    other: 'Found',
  },
};

const spanish: Translated<typeof english> = {
  name: 'Acuse',
  groups: { sending: 'Envío', connecting: 'Conexión', account: 'Cuenta' },
  pages: {
    home: 'Inicio',
    messages: 'Mensajes',
    verify: 'Verificar',
    domains: 'Dominios',
    senders: 'Remitentes',
    templates: 'Plantillas',
    suppressions: 'Supresiones',
    webhooks: 'Webhooks',
    keys: 'Claves de API',
    mailbox: 'Buzón de prueba',
    rates: 'Tasas',
    usage: 'Uso',
    people: 'Personas',
    audit: 'Bitácora',
    settings: 'Configuración',
    you: 'Usted',
  },
  account: 'Cuenta',
  roles: { owner: 'Propietario', developer: 'Desarrollador', viewer: 'Lector' },
  kinds: {
    message: 'Mensaje',
    batch: 'Lote',
    address: 'Dirección',
    domain: 'Dominio',
    template: 'Plantilla',
    webhook: 'Webhook',
    other: 'Encontrado',
  },
};

export const portalWords: Words<typeof english> = { en: english, es: spanish };
