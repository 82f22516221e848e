import type { Translated, Words } from '../words/words.ts';

/** Texts around lists: filters, periods, the export. */
const english = {
  period: 'Period (UTC)',
  periods: {
    '1': 'Today',
    '7': 'Last 7 days',
    '30': 'Last 30 days',
    '90': 'Last 90 days',
    '365': 'Last 365 days',
    all: 'All time',
    dates: 'Choose dates…',
  },
  betweenDays: (from: string | null, to: string | null) =>
    from === null ? `until ${to}` : to === null ? `since ${from}` : `${from} – ${to}`,
  fromDay: 'From',
  toDay: 'To and including',
  filtersButton: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
  moreFilters: 'More filters',
  filtersTitle: 'Filters',
  showList: 'Show the list',
  chosen: 'Chosen filters',
  remove: 'Remove',
  copyLink: 'the link to this view',
  wholeRow: 'The whole row',
  export: 'Export CSV',
  exporting: (count: string) => (count === '1' ? '1 row so far…' : `${count} rows so far…`),
  exported: (count: string) => (count === '1' ? 'Exported 1 row.' : `Exported ${count} rows.`),
  exportedFirst: (count: string) => `Exported the first ${count} rows. Narrow the filters for the others.`,
};

const spanish: Translated<typeof english> = {
  period: 'Periodo (UTC)',
  periods: {
    '1': 'Hoy',
    '7': 'Últimos 7 días',
    '30': 'Últimos 30 días',
    '90': 'Últimos 90 días',
    '365': 'Últimos 365 días',
    all: 'Todo',
    dates: 'Elegir fechas…',
  },
  betweenDays: (from: string | null, to: string | null) =>
    from === null ? `hasta el ${to}` : to === null ? `desde el ${from}` : `${from} – ${to}`,
  fromDay: 'Desde',
  toDay: 'Hasta, inclusive',
  filtersButton: (count: number) => (count === 0 ? 'Filtros' : `Filtros (${count})`),
  moreFilters: 'Más filtros',
  filtersTitle: 'Filtros',
  showList: 'Ver la lista',
  chosen: 'Filtros elegidos',
  remove: 'Quitar',
  copyLink: 'el enlace a esta vista',
  wholeRow: 'Toda la fila',
  export: 'Exportar CSV',
  exporting: (count: string) => (count === '1' ? '1 fila hasta ahora…' : `${count} filas hasta ahora…`),
  exported: (count: string) => (count === '1' ? 'Se exportó 1 fila.' : `Se exportaron ${count} filas.`),
  exportedFirst: (count: string) =>
    `Se exportaron las primeras ${count} filas. Acote los filtros para obtener las demás.`,
};

export const listWords: Words<typeof english> = { en: english, es: spanish };
