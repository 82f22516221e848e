import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Domains',
  lead: 'Mail is sent from your own domains. Each proves by a DNS record that it is yours.',
  add: 'Add domain',
  name: 'Domain',
  status: 'Status',
  anyStatus: 'Any status',
  filters: 'Filters',
  records: 'Records',
  recordsFound: (found: string, all: string) => `${found} of ${all} found`,
  checked: 'Last check',
  never: 'never',
  vouched: 'by the operator',
  created: 'Added',
  emptyTitle: 'No domains yet',
  empty:
    'Add the domain that your mail comes from. You then publish a few DNS records, which are checked as you go.',
  addHint: 'The part after the @ of your addresses: example.com, or a subdomain of its own for this mail.',
  takesHost: (host: string) =>
    host.startsWith('www.') ? `Adds ${host}. Mail is usually sent from ${host.slice(4)}.` : `Adds ${host}.`,
  needsName: 'Enter a domain: example.com.',
  looksLikeAddress: 'This is an address. Enter only what follows the @.',
  addNext: 'Nothing is sent or changed yet: the next page shows the DNS records to publish.',
};

const spanish: Translated<typeof english> = {
  title: 'Dominios',
  lead: 'El correo se envía desde sus propios dominios. Cada uno demuestra con un registro DNS que es suyo.',
  add: 'Agregar dominio',
  name: 'Dominio',
  status: 'Estado',
  anyStatus: 'Cualquier estado',
  filters: 'Filtros',
  records: 'Registros',
  recordsFound: (found: string, all: string) => `${found} de ${all} encontrados`,
  checked: 'Última revisión',
  never: 'nunca',
  vouched: 'por el operador',
  created: 'Agregado',
  emptyTitle: 'Aún no hay dominios',
  empty:
    'Agregue el dominio desde el que envía su correo. Después publica algunos registros DNS, que se revisan sobre la marcha.',
  addHint:
    'Lo que va después de la @ en sus direcciones: example.com, o un subdominio propio para este correo.',
  takesHost: (host: string) =>
    host.startsWith('www.')
      ? `Se agrega ${host}. El correo suele enviarse desde ${host.slice(4)}.`
      : `Se agrega ${host}.`,
  needsName: 'Escriba un dominio: example.com.',
  looksLikeAddress: 'Esto es una dirección. Escriba solo lo que sigue a la @.',
  addNext: 'Aún no se envía ni cambia nada: la página siguiente muestra los registros DNS que debe publicar.',
};

export const domainsWords: Words<typeof english> = { en: english, es: spanish };
