import type { Translated, Words } from '../../../shared/words/words.ts';

/** Texts around every page of the console. */
const english = {
  name: 'Acuse admin',
  ownPage: 'Profile and sign-in',
  groups: { customers: 'Customers', installation: 'Installation' },
  kinds: { account: 'Account', message: 'Message' },
  pages: {
    overview: 'Overview',
    queue: 'Queue',
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
  kinds: { account: 'Cuenta', message: 'Mensaje' },
  pages: {
    overview: 'Resumen',
    queue: 'Cola',
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
