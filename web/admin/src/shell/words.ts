import type { Translated, Words } from '../../../shared/words/words.ts';

/** Texts around every page of the console. */
const english = {
  name: 'Acuse admin',
  ownPage: 'Profile and sign-in',
  groups: { customers: 'Customers', installation: 'Installation' },
  kinds: { account: 'Account', message: 'Message', messages: 'Search in messages' },
  pages: {
    overview: 'Overview',
    queue: 'Queue',
    messages: 'Messages',
    sealing: 'Sealing',
    tenants: 'Accounts',
    billing: 'Billing',
    suppressions: 'Suppressions',
    roleMail: 'Role mailbox',
    retention: 'Retention',
    operators: 'Operators',
    audit: 'Audit log',
    configuration: 'Configuration',
    you: 'You',
  },
};

const spanish: Translated<typeof english> = {
  name: 'Acuse, consola',
  ownPage: 'Perfil e inicio de sesión',
  groups: { customers: 'Clientes', installation: 'Instalación' },
  kinds: { account: 'Cuenta', message: 'Mensaje', messages: 'Buscar en los mensajes' },
  pages: {
    overview: 'Resumen',
    queue: 'Cola',
    messages: 'Mensajes',
    sealing: 'Sellado',
    tenants: 'Cuentas',
    billing: 'Facturación',
    suppressions: 'Supresiones',
    roleMail: 'Buzón del operador',
    retention: 'Conservación',
    operators: 'Operadores',
    audit: 'Bitácora',
    configuration: 'Configuración',
    you: 'Usted',
  },
};

export const adminWords: Words<typeof english> = { en: english, es: spanish };
