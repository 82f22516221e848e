import { lastMonths } from '../../../shared/format/clock.ts';
import { useFormat } from '../../../shared/format/format.ts';
import { SelectField } from '../../../shared/ui/field.tsx';

/** As many months can be chosen; any other by the address. */
const MONTHS = 24;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export interface MonthFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** As the address has it; empty: this one. */
  readonly value: string;
  readonly onChange: (month: string) => void;
}

/** The UTC month that is meant by what the address holds, which may be anything. */
export function monthOf(value: string): string {
  return MONTH.test(value) ? value : lastMonths(1)[0]!;
}

/** A UTC month; this one stands in no address. */
export function MonthField({ value, onChange, ...rest }: MonthFieldProps) {
  const format = useFormat();
  const months = lastMonths(MONTHS);
  const month = monthOf(value);
  const listed = months.includes(month) ? months : [...months, month];
  return (
    <SelectField
      value={month}
      choices={listed.map((each) => ({ value: each, label: format.utcMonth(each) }))}
      onChange={(chosen) => onChange(chosen === months[0] ? '' : chosen)}
      {...rest}
    />
  );
}
