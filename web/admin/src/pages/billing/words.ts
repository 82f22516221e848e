import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Billing',
  lead: 'The amount that every account owes: messages accepted × prices. Sandbox accounts are left out.',
  month: 'Month',
  utc: 'Counted in UTC.',
  prices: 'Current prices apply to past months too: bill a month before you change them.',
  csv: 'Download CSV',
  json: 'Download JSON',
  total: 'Total',
  account: 'Account',
  certified: 'Certified',
  plain: 'Plain',
  each: (price: string) => `at ${price}`,
  amount: 'Amount',
  cost: 'Sealing cost',
  costHint: 'What authorities charged you',
  margin: 'Amount less sealing cost',
  accounts: (count: number, shown: string) => (count === 1 ? '1 account' : `${shown} accounts`),
  emptyTitle: 'Nothing to bill',
  empty: 'There are no accounts besides those of the sandbox.',
  toAccounts: 'Go to the accounts',
};

const spanish: Translated<typeof english> = {
  title: 'Facturación',
  lead: 'Lo que debe cada cuenta: mensajes aceptados × precios. Se omiten las cuentas del sandbox.',
  month: 'Mes',
  utc: 'Contado en UTC.',
  prices: 'Los precios son los actuales, también para meses pasados: facture un mes antes de cambiarlos.',
  csv: 'Descargar CSV',
  json: 'Descargar JSON',
  total: 'Total',
  account: 'Cuenta',
  certified: 'Certificados',
  plain: 'Simples',
  each: (price: string) => `a ${price}`,
  amount: 'Importe',
  cost: 'Costo de sellado',
  costHint: 'Lo que le cobraron las autoridades',
  margin: 'Importe menos costo de sellado',
  accounts: (count: number, shown: string) => (count === 1 ? '1 cuenta' : `${shown} cuentas`),
  emptyTitle: 'Nada que facturar',
  empty: 'No hay más cuentas que las del sandbox.',
  toAccounts: 'Ir a las cuentas',
};

export const billingWords: Words<typeof english> = { en: english, es: spanish };
