import type { RatesFractions } from '../api/portal-types.ts';
import { Spark } from '../chart/spark.tsx';
import { useFormat } from '../format/format.ts';
import { Status } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './rates.module.css';
import { ratesWords } from './words.ts';

/** Limits of Gmail and Yahoo for senders: stay below the first, and never reach the second. */
const COMPLAINTS_ASKED = 0.001;
const COMPLAINTS_REFUSED = 0.003;

export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, part / whole);
}

/** Nothing, where the rate is as low as they ask for. */
export function ComplaintMark({ rate }: { rate: number | null }) {
  const words = useWords(ratesWords);
  if (rate === null || rate < COMPLAINTS_ASKED) return null;
  return (
    <Status tone={rate >= COMPLAINTS_REFUSED ? 'failed' : 'waiting'}>
      {rate >= COMPLAINTS_REFUSED ? words.complaintsRefused : words.complaintsHigh}
    </Status>
  );
}

function ComplaintLimits({ rate }: { rate: number | null }) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const [asked, refused] = [COMPLAINTS_ASKED, COMPLAINTS_REFUSED].map((each) => format.percent(each, 1));
  return (
    <>
      <ComplaintMark rate={rate} />
      <span className={classes['of']}>{words.complaintLimits(asked!, refused!)}</span>
    </>
  );
}

interface Props {
  readonly name: keyof RatesFractions;
  readonly value: number | null;
  /** Values for each step of time. */
  readonly course: readonly (number | null)[];
}

export function RateTile({ name, value, course }: Props) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const digits = name === 'complaint' ? 2 : 1;
  const limits = name === 'complaint' ? [COMPLAINTS_ASKED, COMPLAINTS_REFUSED] : [];
  return (
    <li className={classes['tile']}>
      <span className={classes['name']}>{words.rates[name]}</span>
      <div className={classes['rest']}>
        <strong className={classes['value']}>{value === null ? '–' : format.percent(value, digits)}</strong>
        <span className={classes['of']}>{value === null ? words.nothing : words.of[name]}</span>
        <Spark values={course} limits={limits} />
        {name === 'complaint' && <ComplaintLimits rate={value} />}
      </div>
    </li>
  );
}
