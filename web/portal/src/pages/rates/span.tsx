import { hoursAgo, nowIso } from '../../../../shared/format/clock.ts';
import { ratesWords } from '../../../../shared/rates/words.ts';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import classes from '../../../../shared/ui/layout.module.css';
import { useWords } from '../../../../shared/words/use-words.ts';
import { DAYS_MAX, hasTimes, NARROWED, type Search, SPANS, timesProblem } from './search.ts';
import { periodWords } from './words.ts';

/** Characters of `2026-11-20T09:30`, which a field for a time holds. */
const MINUTE = 16;

interface Props {
  readonly search: Search;
  setSearch(change: Partial<Search>): void;
}

export function SpanFilters({ search, setSearch }: Props) {
  const words = useWords(periodWords);
  const shared = useWords(ratesWords);
  const withTimes = hasTimes(search);
  const none = { created_after: '', created_before: '' };
  const choose = (span: Search['days'] | 'times') =>
    setSearch(
      span === 'times'
        ? { created_after: wholeMinute(hoursAgo(24)), created_before: wholeMinute(nowIso()) }
        : { days: span, ...none },
    );
  const choices = [
    ...SPANS.map((value) => ({
      value,
      label: value === '1h' || value === '24h' ? words.spans[value] : shared.days(value),
    })),
    { value: 'times' as const, label: words.spans.times },
  ];
  const chips = NARROWED.filter((name) => search[name] !== '').map((name) => ({
    id: name,
    name: words.names[name],
    value: search[name],
    onRemove: () => setSearch({ [name]: '' }),
  }));
  return (
    <Filters
      label={words.period}
      chips={chips}
      onClear={() => setSearch({ ...none, days: '14', destination: '', sending_domain: '', tag: '' })}
    >
      <SelectField
        label={words.period}
        value={withTimes ? 'times' : search.days}
        choices={choices}
        onChange={choose}
      />
      {withTimes && <Times search={search} setSearch={setSearch} />}
    </Filters>
  );
}

function Times({ search, setSearch }: Props) {
  const words = useWords(periodWords);
  const problem = timesProblem(search);
  const said = {
    wrong: words.timesWrong,
    long: words.timesLong(String(DAYS_MAX)),
  };
  // An empty field is being typed in.
  const set = (name: 'created_after' | 'created_before') => (value: string) => {
    if (value !== '') setSearch({ [name]: `${value.slice(0, MINUTE)}:00Z` });
  };
  return (
    <div className={`${classes['dates']} ${classes['times']}`}>
      <TextField
        label={words.from}
        type="datetime-local"
        value={search.created_after.slice(0, MINUTE)}
        onChange={set('created_after')}
      />
      <TextField
        label={words.to}
        type="datetime-local"
        value={search.created_before.slice(0, MINUTE)}
        error={problem === null ? null : said[problem]}
        onChange={set('created_before')}
      />
    </div>
  );
}

const wholeMinute = (iso: string) => `${iso.slice(0, MINUTE)}:00Z`;
