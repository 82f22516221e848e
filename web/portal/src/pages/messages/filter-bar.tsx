import { useFormat } from '../../../../shared/format/format.ts';
import { mailWords } from '../../../../shared/mail/words.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/layout.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { DAYS, SEALS, type Search, STATUSES } from './filters.ts';
import classes from './page.module.css';
import { messagesWords } from './words.ts';

interface FilterBarProps {
  readonly search: Search;
  setSearch(change: Partial<Search>, options?: { replace?: boolean }): void;
}

export function FilterBar({ search, setSearch }: FilterBarProps) {
  const words = useWords(messagesWords);
  const names = useWords(mailWords);
  const format = useFormat();
  const hasPeriod = search.created_after !== '' || search.created_before !== '';
  return (
    <>
      <Filters label={words.filters}>
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
        {!hasPeriod && (
          <SelectField
            label={words.period}
            value={search.days}
            choices={DAYS.map((value) => ({ value, label: words.periods[value] }))}
            onChange={(days) => setSearch({ days })}
          />
        )}
      </Filters>
      {hasPeriod && (
        <div className={classes['period']}>
          {words.between(timeOrDash(search.created_after), timeOrDash(search.created_before))}
          <Button onClick={() => setSearch({ created_after: '', created_before: '' })}>
            {words.anyPeriod}
          </Button>
        </div>
      )}
    </>
  );

  function timeOrDash(given: string): string {
    return isTime(given) ? format.utc(given) : '…';
  }
}

/** The address may hold anything. */
function isTime(given: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(given);
}
