import { useQuery } from '@tanstack/react-query';
import type { Setting } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { oneOf, text } from '../../../../shared/routing/search.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded, NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { configurationQuery } from '../../parts/currency.ts';
import classes from './page.module.css';
import { configurationWords } from './words.ts';

const SHOWN = ['all', 'given'] as const;

interface Search {
  readonly q: string;
  /** given: only settings from the environment. */
  readonly show: (typeof SHOWN)[number];
}

function ConfigurationPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(configurationWords);
  const query = useQuery(configurationQuery(useApi()));
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <div className={classes['note']}>
        <Notice>{words.restart}</Notice>
      </div>
      <Filters label={words.filters}>
        <SearchField
          label={words.search}
          placeholder={words.searchHint}
          value={search.q}
          onChange={(q) => setSearch({ q }, { replace: true })}
        />
        <SelectField
          label={words.show}
          value={search.show}
          choices={SHOWN.map((value) => ({ value, label: words.shown[value] }))}
          onChange={(show) => setSearch({ show })}
        />
      </Filters>
      <Loaded query={query} rows={10}>
        {({ settings }) => (
          <Groups
            settings={settings.filter((setting) => isWanted(setting, search))}
            onClear={() => setSearch({ q: '', show: 'all' })}
          />
        )}
      </Loaded>
    </>
  );
}

function isWanted({ name, value, doc, source }: Setting, { q, show }: Search): boolean {
  if (show === 'given' && source === 'default') return false;
  const wanted = q.trim().toLowerCase();
  return [name, value ?? '', doc].some((each) => each.toLowerCase().includes(wanted));
}

function Groups({ settings, onClear }: { settings: readonly Setting[]; onClear: () => void }) {
  const words = useWords(configurationWords);
  const columns = useColumns();
  if (settings.length === 0) return <NothingMatches onClear={onClear} />;
  const groups = [...new Set(settings.map(({ group }) => group))];
  return (
    <Stack>
      {groups.map((group) => (
        <Section key={group} title={words.groups[group]}>
          <Table
            label={words.groups[group]}
            columns={columns}
            rows={settings.filter((each) => each.group === group)}
            rowKey={({ name }) => name}
          />
        </Section>
      ))}
    </Stack>
  );
}

function useColumns(): readonly Column<Setting>[] {
  const words = useWords(configurationWords);
  return [
    { id: 'name', head: words.name, main: true, cell: (setting) => <Variable setting={setting} /> },
    {
      id: 'value',
      head: words.value,
      cell: ({ value }) => (
        <div className={classes['value']}>
          {value === null ? <span className={classes['none']}>{words.none}</span> : <code>{value}</code>}
        </div>
      ),
    },
    {
      id: 'source',
      head: words.source,
      cell: ({ source }) => (
        <div className={classes['source']}>
          <span className={classes[source === 'environment' ? 'given' : 'none']}>
            {words.sources[source]}
          </span>
        </div>
      ),
    },
  ];
}

function Variable({ setting: { name, doc, expected, read } }: { setting: Setting }) {
  const words = useWords(configurationWords);
  return (
    <div className={classes['variable']}>
      <code>{name}</code>
      <span className={classes['doc']} lang="en">
        {doc} {'('}
        {expected}
        {')'}
      </span>
      {read !== 'at_start' && <span className={classes['read']}>{words.reads[read]}</span>}
    </div>
  );
}

export const page = definePage<Search>({
  path: '/configuration',
  search: { q: text(), show: oneOf(SHOWN, 'all') },
  title: (language) => configurationWords[language].title,
  queries: (api) => [configurationQuery(api)],
  Page: ConfigurationPage,
});
