import { daysAgo, earlier, nowIso } from '../format/clock.ts';
import { dayOf, startOf } from '../format/days.ts';
import { useFormat } from '../format/format.ts';
import { ALL_TIME, type Days, hasDates, PERIODS, type Period } from '../routing/period.ts';
import { useWords } from '../words/use-words.ts';
import { SelectField, TextField } from './field.tsx';
import classes from './layout.module.css';
import { listWords } from './list-words.ts';

interface Props {
  readonly value: Period;
  readonly onChange: (period: Period) => void;
  /** Other periods are those of no row. */
  readonly periods?: readonly Days[];
}

/** Days that a list shows, UTC: the last ones, or from one to another. */
export function PeriodField({ value, onChange, periods = PERIODS }: Props) {
  const words = useWords(listWords);
  const withDates = hasDates(value);
  const { created_after: after, created_before: before } = value;
  const choose = (days: Days | 'dates') => {
    if (days !== 'dates') return onChange({ ...ALL_TIME, days });
    const shown = value.days === 'all' ? 7 : Number(value.days);
    onChange({
      days: 'all',
      created_after: daysAgo(shown - 1),
      created_before: startOf(dayOf(nowIso()), 1),
    });
  };
  return (
    <>
      <SelectField
        label={words.period}
        value={withDates ? 'dates' : value.days}
        choices={[...periods, 'dates' as const].map((each) => ({ value: each, label: words.periods[each] }))}
        onChange={choose}
      />
      {withDates && (
        <div className={classes['dates']}>
          <TextField
            label={words.fromDay}
            type="date"
            value={after === '' ? '' : dayOf(after)}
            onChange={(day) => onChange({ ...value, created_after: day === '' ? '' : startOf(day) })}
          />
          <TextField
            label={words.toDay}
            type="date"
            value={before === '' ? '' : dayOf(earlier(before, 1))}
            onChange={(day) => onChange({ ...value, created_before: day === '' ? '' : startOf(day, 1) })}
          />
        </div>
      )}
    </>
  );
}

/** The same in words: `Last 7 days`, `11 nov – 14 nov`. */
export function usePeriodText(period: Period): string {
  const words = useWords(listWords);
  const format = useFormat();
  if (!hasDates(period)) return words.periods[period.days];
  const { created_after: after, created_before: before } = period;
  return words.betweenDays(
    after === '' ? null : format.utcDay(after),
    before === '' ? null : format.utcDay(earlier(before, 1)),
  );
}
