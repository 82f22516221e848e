import classes from './meter.module.css';

export interface MeterProps {
  readonly label: string;
  /** The same in words: `8 120 of 10 000`. */
  readonly text: string;
  /** From 0 to 1. */
  readonly share: number;
  /** From this share on it is drawn as a warning. */
  readonly high: number;
}

/** How much of something is used. */
export function Meter({ label, text, share, high }: MeterProps) {
  return (
    <meter
      className={classes['meter']}
      min={0}
      max={1}
      high={high}
      value={share}
      aria-label={label}
      aria-valuetext={text}
    />
  );
}
