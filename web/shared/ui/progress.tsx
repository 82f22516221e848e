import classes from './progress.module.css';

export interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; null: nobody knows yet how much there is. */
  readonly share: number | null;
}

/** How far something is that goes on by itself. */
export function Progress({ label, share }: ProgressProps) {
  return (
    <progress
      className={classes['progress']}
      aria-label={label}
      max={1}
      {...(share !== null && { value: share })}
    />
  );
}
