import classes from './spark.module.css';

const WIDTH = 120;
const HEIGHT = 28;
/** Room for the line's own width. */
const EDGE = 2;

interface SparkProps {
  readonly values: readonly (number | null)[];
  /** Drawn across. */
  readonly limits?: readonly number[];
}

/** The course of a share over the days, without numbers: those stand beside it. Null: nothing was counted. */
export function Spark({ values, limits = [] }: SparkProps) {
  const known = values.filter((value) => value !== null);
  // One day has no course.
  if (known.length < 2) return null;
  const most = Math.max(...known, ...limits, 0);
  const least = Math.min(...known, most);
  const span = most - least;
  const heightOf = (value: number) => EDGE + (1 - (value - least) / span) * (HEIGHT - 2 * EDGE);
  const place = (value: number, at: number) => {
    const x = values.length < 2 ? WIDTH : (at * WIDTH) / (values.length - 1);
    // A course that never changes runs through the middle.
    const height = span === 0 ? HEIGHT / 2 : heightOf(value);
    return `${x.toFixed(1)} ${height.toFixed(1)}`;
  };
  const path = values
    .map((value, at) => {
      if (value === null) return '';
      const starts = at === 0 || values[at - 1] === null;
      // A day between two days without data is a point: a line to itself, with round ends.
      return starts ? `M${place(value, at)}L${place(value, at)}` : `L${place(value, at)}`;
    })
    .join('');
  return (
    <svg
      className={classes['spark']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {limits.map((limit) => (
        <path
          key={limit}
          className={classes['limit']}
          d={`M0 ${heightOf(limit).toFixed(1)}H${WIDTH}`}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <path d={path} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
