import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Accounts',
  lead: 'The customers of this installation: each has people, keys, domains and quotas of its own.',
  filters: 'Filters',
  search: 'Name or id',
  searchHint: 'Part of a name, or the whole id',
  status: 'State',
  anyStatus: 'Any state',
  name: 'Name',
  quotas: { certified: 'Certified per month', plain: 'Plain per month' },
  each: (price: string) => `at ${price} each`,
  pool: (name: string) => `pool ${name}`,
  created: 'Created',
  emptyTitle: 'No accounts yet',
  empty: 'A customer needs an account before anybody of theirs can sign in or send.',
  create: 'New account',
  createAction: 'Create account',
  createLead: 'It starts active. Next, make a sign-in link for its first owner.',
  done: (name: string) => `${name} was created`,
};

const spanish: Translated<typeof english> = {
  title: 'Cuentas',
  lead: 'Los clientes de esta instalación: cada uno tiene sus propias personas, claves, dominios y cuotas.',
  filters: 'Filtros',
  search: 'Nombre o id',
  searchHint: 'Parte del nombre, o el id completo',
  status: 'Estado',
  anyStatus: 'Cualquier estado',
  name: 'Nombre',
  quotas: { certified: 'Certificados al mes', plain: 'Simples al mes' },
  each: (price: string) => `a ${price} cada uno`,
  pool: (name: string) => `grupo ${name}`,
  created: 'Creada',
  emptyTitle: 'Aún no hay cuentas',
  empty: 'Un cliente necesita una cuenta para que su gente pueda iniciar sesión o enviar.',
  create: 'Nueva cuenta',
  createAction: 'Crear cuenta',
  createLead: 'Empieza activa. Después, genere un enlace de acceso para su primer propietario.',
  done: (name: string) => `Se creó ${name}`,
};

export const accountsWords: Words<typeof english> = { en: english, es: spanish };
