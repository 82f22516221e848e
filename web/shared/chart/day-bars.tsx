import { type KeyboardEvent, useId } from 'react';
import { useFormat } from '../format/format.ts';
import classes from './day-bars.module.css';

/** From the bottom up, by colour and pattern. */
export type SeriesTone = 'sent' | 'waiting' | 'failed';

export interface Series {
  readonly tone: SeriesTone;
  readonly name: string;
  /** One value for each day. */
  readonly values: readonly number[];
  /** Counts messages of other series again: drawn beside their bar, because on top it would count twice. */
  readonly beside?: boolean;
}

export interface DayBarsProps {
  readonly label: string;
  /** UTC days: `2026-11-22`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Index of the selected day. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  /** Name of a step that is not a day. */
  readonly nameOf?: (step: string) => string;
}

const WIDTH = 720;
const HEIGHT = 180;
const GAP_SHARE = 0.25;
/** Share of a day's width for the bar beside. */
const BESIDE_SHARE = 0.35;
/** Minimum visible height. */
const SEEN_MIN = 2;

/**
 * Stacked bars, one for each day, and what stands beside them. Arrow keys walk the days, and what is said of
 * a day is what its bars show; whoever uses it puts a table of the same numbers beneath.
 */
export function DayBars({ label, days, series, selected, onSelect, nameOf }: DayBarsProps) {
  const format = useFormat();
  const called = nameOf ?? format.utcDay;
  const id = useId();
  const heights = days.flatMap((_, at) => [sumAt(series, at, false), sumAt(series, at, true)]);
  const top = niceTop(Math.max(1, ...heights));
  const ticks = top % 2 === 0 ? [top, top / 2, 0] : [top, 0];
  const last = days.length - 1;
  const said = (at: number) =>
    `${called(days[at] ?? '')}: ${series
      .map(({ name, values }) => `${name} ${format.number(values[at] ?? 0)}`)
      .join(', ')}`;

  const walk = (event: KeyboardEvent) => {
    const to = targetOf(event.key, selected, last);
    if (to === null) return;
    event.preventDefault();
    onSelect(to);
  };

  return (
    <figure className={classes['figure']}>
      <div className={classes['scale']} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{format.number(tick)}</span>
        ))}
      </div>
      <div
        className={classes['bars']}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={selected}
        aria-valuetext={said(selected)}
        onKeyDown={walk}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <Patterns id={id} />
          {ticks.slice(0, -1).map((tick) => (
            <line
              key={tick}
              className={classes['line']}
              x1={0}
              x2={WIDTH}
              y1={HEIGHT * (1 - tick / top)}
              y2={HEIGHT * (1 - tick / top)}
            />
          ))}
          {days.map((day, at) => (
            <DayBar
              key={day}
              id={id}
              x={(at * WIDTH) / days.length}
              width={WIDTH / days.length}
              parts={series.map(({ tone, values, beside = false }) => ({
                tone,
                share: (values[at] ?? 0) / top,
                beside,
              }))}
              selected={at === selected}
              onSelect={() => onSelect(at)}
            />
          ))}
        </svg>
      </div>
      <div className={classes['axis']} aria-hidden="true">
        <span>{called(days[0] ?? '')}</span>
        <span>{called(days[last] ?? '')}</span>
      </div>
      <Legend id={id} series={series} />
    </figure>
  );
}

function Legend({ id, series }: { id: string; series: readonly Series[] }) {
  return (
    <figcaption className={classes['legend']}>
      {series.map(({ tone, name }) => (
        <span key={tone}>
          <svg width="12" height="12" aria-hidden="true">
            <rect width="12" height="12" rx="2" fill={fillOf(tone, id)} className={classes[tone]} />
          </svg>
          {name}
        </span>
      ))}
    </figcaption>
  );
}

function sumAt(series: readonly Series[], at: number, isBeside: boolean): number {
  return series
    .filter(({ beside = false }) => beside === isBeside)
    .reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
}

/** The axis ends at 1, 2 or 5 of a power of ten. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most) ?? most;
}

function targetOf(key: string, at: number, last: number): number | null {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, at - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}

interface Part {
  readonly tone: SeriesTone;
  readonly share: number;
  readonly beside: boolean;
}

interface DayBarProps {
  readonly id: string;
  readonly x: number;
  readonly width: number;
  readonly parts: readonly Part[];
  readonly selected: boolean;
  readonly onSelect: () => void;
}

function DayBar({ id, x, width, parts, selected, onSelect }: DayBarProps) {
  const start = x + (width * GAP_SHARE) / 2;
  const inner = width * (1 - GAP_SHARE);
  const split = inner * (1 - BESIDE_SHARE);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a second way for the pointer; keys move the slider
    <g onClick={onSelect} data-selected={selected} className={classes['day']}>
      <rect x={x} y={0} width={width} height={HEIGHT} className={classes['ground']} />
      <Bar id={id} x={start} width={split} parts={parts.filter(({ beside }) => !beside)} />
      <Bar id={id} x={start + split} width={inner - split} parts={parts.filter(({ beside }) => beside)} />
    </g>
  );
}

function Bar({ id, x, width, parts }: Pick<DayBarProps, 'id' | 'x' | 'width' | 'parts'>) {
  let top = HEIGHT;
  return parts.map(({ tone, share }) => {
    if (share === 0) return null;
    const height = Math.max(SEEN_MIN, share * HEIGHT);
    top = Math.max(0, top - height);
    return (
      <rect
        key={tone}
        x={x}
        y={top}
        width={width}
        height={height}
        fill={fillOf(tone, id)}
        className={classes[tone]}
      />
    );
  });
}

/** Plain, dotted and hatched: told apart without colour. */
function fillOf(tone: SeriesTone, id: string): string {
  return tone === 'sent' ? 'currentColor' : `url(#${id}-${tone})`;
}

function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-waiting`} width="6" height="6" patternUnits="userSpaceOnUse">
        <g className={classes['waiting']}>
          <rect width="6" height="6" fill="currentColor" opacity="0.45" />
          <circle cx="3" cy="3" r="1.6" fill="currentColor" />
        </g>
      </pattern>
      <pattern
        id={`${id}-failed`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <g className={classes['failed']}>
          <rect width="6" height="6" fill="currentColor" opacity="0.45" />
          <rect width="3" height="6" fill="currentColor" />
        </g>
      </pattern>
    </defs>
  );
}
