import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { accountActionWords } from '../../../../shared/audit/account-words.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { countFilters, NO_FILTERS, type Search } from './filters.ts';
import { actorsQuery } from './queries.ts';
import { auditWords } from './words.ts';

type Props = Pick<PageProps<Search>, 'search' | 'setSearch'>;

export function FilterBar({ search, setSearch }: Props) {
  const words = useWords(auditWords);
  const actions = Object.entries(useWords(accountActionWords).actions).map(([value, label]) => ({
    value,
    label,
  }));
  return (
    <Filters
      label={words.filters}
      active={countFilters(search)}
      onClear={() => setSearch({ ...NO_FILTERS, days: '30', target: search.target })}
    >
      <SearchField
        label={words.target}
        placeholder={words.targetHint}
        value={search.target}
        onChange={(target) => setSearch({ target }, { replace: true })}
      />
      <SelectField
        label={words.action}
        value={search.action}
        choices={[{ value: '', label: words.anyAction }, ...actions]}
        onChange={(action) => setSearch({ action })}
      />
      <Actor value={search.actor} onChange={(actor) => setSearch({ actor })} />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}

/** The people of the account; of a key or somebody who has left, the address may hold the id. */
function Actor({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const words = useWords(auditWords);
  const people = useQuery(actorsQuery(useApi())).data?.data ?? [];
  const choices = people.map(({ id, name, email }) => ({ value: id, label: name ?? email }));
  const isOther = value !== '' && !choices.some((each) => each.value === value);
  return (
    <SelectField
      label={words.actor}
      value={value}
      choices={[
        { value: '', label: words.anyActor },
        ...choices,
        ...(isOther ? [{ value, label: words.otherActor }] : []),
      ]}
      onChange={onChange}
    />
  );
}
