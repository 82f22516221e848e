import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Audit log of the account',
  filters: 'Filters',
  action: 'Action',
  anyAction: 'Any action',
  at: 'Time',
  who: 'Who',
  what: 'What',
  from: 'Address',
  kinds: { user: 'Person', key: 'API key', operator: 'Operator', system: 'By itself' },
  emptyTitle: 'Nothing was changed yet',
  empty:
    'Changes that people, keys and operators make in this account are listed here. Its owners see the same.',
};

const spanish: Translated<typeof english> = {
  title: 'Bitácora de la cuenta',
  filters: 'Filtros',
  action: 'Acción',
  anyAction: 'Cualquier acción',
  at: 'Hora',
  who: 'Quién',
  what: 'Qué',
  from: 'Dirección',
  kinds: { user: 'Persona', key: 'Clave de API', operator: 'Operador', system: 'Automático' },
  emptyTitle: 'Aún no hay cambios',
  empty:
    'Aquí aparecen los cambios que las personas, las claves y los operadores hacen en esta cuenta. Sus propietarios ven lo mismo.',
};

export const auditWords: Words<typeof english> = { en: english, es: spanish };
