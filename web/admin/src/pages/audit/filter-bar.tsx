import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { ALL_TIME } from '../../../../shared/routing/period.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { countFilters, namesQuery, type Search } from './queries.ts';
import { auditWords } from './words.ts';

/** Filters by operator, action and time; the address holds them. */
export function FilterBar({ search, setSearch }: Pick<PageProps<Search>, 'search' | 'setSearch'>) {
  const words = useWords(auditWords);
  const { data } = useInfiniteQuery(namesQuery(useApi()));
  const people = data?.pages.flatMap((page) => page.data) ?? [];
  // Somebody who was removed can still be asked for by the address.
  const isListed = search.operator === '' || people.some(({ id }) => id === search.operator);
  return (
    <Filters
      label={words.filters}
      active={countFilters(search)}
      onClear={() => setSearch({ action: '', operator: '', ...ALL_TIME, days: '30' })}
    >
      <SearchField
        label={words.tenant}
        placeholder={words.tenantHint}
        value={search.tenant}
        onChange={(tenant) => setSearch({ tenant: tenant.trim() }, { replace: true })}
      />
      <SelectField
        label={words.action}
        value={search.action}
        choices={[
          { value: '', label: words.anyAction },
          ...Object.entries(words.actions).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(action) => setSearch({ action })}
      />
      <SelectField
        label={words.operator}
        value={search.operator}
        choices={[
          { value: '', label: words.anybody },
          ...people.map(({ id, name, email }) => ({ value: id, label: name ?? email })),
          ...(isListed ? [] : [{ value: search.operator, label: search.operator }]),
        ]}
        onChange={(operator) => setSearch({ operator })}
      />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}
