import { mailWords } from '../../../../shared/mail/words.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { ANSWERS, countFilters, NO_FILTERS, SEALS, type Search, STATUSES } from './filters.ts';
import { messagesWords } from './words.ts';

interface FilterBarProps {
  readonly search: Search;
  setSearch(change: Partial<Search>, options?: { replace?: boolean }): void;
}

export function FilterBar({ search, setSearch }: FilterBarProps) {
  const words = useWords(messagesWords);
  const names = useWords(mailWords);
  return (
    <Filters
      label={words.filters}
      active={countFilters(search)}
      onClear={() => setSearch({ ...NO_FILTERS, q: search.q, to: search.to })}
    >
      <SearchField
        label={words.search}
        placeholder={words.searchHint}
        value={search.to === '' ? search.q : `to:${search.to} ${search.q}`.trim()}
        onChange={(q) => setSearch({ q, to: '' }, { replace: true })}
      />
      <SelectField
        label={words.status}
        value={search.status}
        choices={[
          { value: '', label: words.anyStatus },
          ...STATUSES.map((value) => ({ value, label: names.statuses[value] })),
        ]}
        onChange={(status) => setSearch({ status })}
      />
      <SelectField
        label={words.seal}
        value={search.seal}
        choices={SEALS.map((value) => ({ value, label: words.seals[value] }))}
        onChange={(seal) => setSearch({ seal })}
      />
      <SelectField
        label={words.acknowledgement}
        value={search.acknowledgement}
        choices={[
          { value: '', label: words.anyAnswer },
          ...ANSWERS.map((value) => ({ value, label: words.answers[value] })),
        ]}
        onChange={(acknowledgement) => setSearch({ acknowledgement })}
      />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}
