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
  suspended: 'This account is suspended: it sends nothing. Ask the operator.',
  deactivated: 'This account is deactivated. Ask the operator.',
  ownPage: 'Profile and sign-in',
  factorTitle: 'Set up a second factor',
  factorMissing: (account: string) =>
    `${account} demands a second factor of its people: a code of an app, after the password. Set one up to continue.`,
  roles: { owner: 'Owner', developer: 'Developer', viewer: 'Viewer' },
  kinds: {
    message: 'Message',
    sender: 'Sender',
    suppression: 'Suppression',
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
    mailbox: 'Buzón de pruebas',
    rates: 'Tasas',
    usage: 'Uso',
    people: 'Personas',
    audit: 'Bitácora',
    settings: 'Configuración',
    you: 'Usted',
  },
  account: 'Cuenta',
  suspended: 'Esta cuenta está suspendida: no envía nada. Consulte al operador.',
  deactivated: 'Esta cuenta está desactivada. Consulte al operador.',
  ownPage: 'Perfil e inicio de sesión',
  factorTitle: 'Configure un segundo factor',
  factorMissing: (account: string) =>
    `${account} exige a sus personas un segundo factor: un código de una aplicación, después de la contraseña. Configure uno para continuar.`,
  roles: { owner: 'Propietario', developer: 'Desarrollador', viewer: 'Lector' },
  kinds: {
    message: 'Mensaje',
    sender: 'Remitente',
    suppression: 'Supresión',
    domain: 'Dominio',
    template: 'Plantilla',
    webhook: 'Webhook',
    other: 'Encontrado',
  },
};

export const portalWords: Words<typeof english> = { en: english, es: spanish };
