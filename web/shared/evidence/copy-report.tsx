import type { EmlReport } from '@acuse/evidence/verify-eml';
import { usePreferences } from '../app/preferences.tsx';
import { Notice } from '../ui/notice.tsx';
import { Status, type Tone } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import { checkWords, REPORT_WORDS } from './check-words.ts';
import type { DiffLine, Layer, LayerState } from './checked.ts';
import classes from './copy-report.module.css';

interface Props {
  readonly report: EmlReport;
  readonly layers: readonly Layer[];
  /** Whether the bundle itself holds: without it nothing is compared. */
  readonly valid: boolean;
}

/** A received copy next to what was sent: a verdict, then layer by layer what is the same and what is not. */
export function CopyReport({ report, layers, valid }: Props) {
  const words = REPORT_WORDS[usePreferences().language];
  const { verdict, differences } = report;
  const isGood = verdict === 'same' || verdict === 'parts';
  // Layers say it better, with the lines that changed.
  const told = layers.length > 0 ? differences.filter(({ kind }) => kind === 'unreadable') : differences;
  return (
    <div className={classes['report']} role="status">
      <Notice tone={isGood ? 'sent' : verdict === 'differs' ? 'failed' : 'waiting'}>
        <strong>{words.copy[verdict](valid)}</strong>
        <p>{words.copyMeans[verdict]}</p>
        {told.map(({ kind, name }) => (
          <p key={`${kind} ${name}`}>{words.differences[kind](name ?? '')}</p>
        ))}
      </Notice>
      {layers.length > 0 && (
        <ul className={classes['layers']}>
          {layers.map((layer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: layers never change places
            <li key={index}>
              <LayerPart layer={layer} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const TONES: Readonly<Record<LayerState, Tone>> = {
  same: 'sent',
  reencoded: 'sent',
  changed: 'failed',
  missing: 'failed',
  added: 'waiting',
};

function LayerPart({ layer }: { layer: Layer }) {
  const words = useWords(checkWords);
  const { state, lines, cut } = layer;
  const name = useLayerName(layer);
  const count = lines === null ? 0 : differing(lines);
  return (
    <>
      <div className={classes['head']}>
        <span className={classes['name']}>{name}</span>
        <Status tone={TONES[state]}>{words.layerStates[state]}</Status>
        {count > 0 && <span className={classes['quiet']}>{words.linesDiffer(count)}</span>}
      </div>
      {lines !== null && lines.length > 0 && <Diff lines={lines} label={words.diff(name)} />}
      {cut && <p className={classes['quiet']}>{lines === null ? words.tooDifferent : words.cut}</p>}
    </>
  );
}

function useLayerName({ of, name }: Layer): string {
  const words = useWords(checkWords);
  if (of !== 'part') return words.layers[of];
  const types: Readonly<Record<string, string>> = words.partTypes;
  return types[name ?? ''] ?? name ?? '';
}

/** A line that was replaced counts once. */
function differing(lines: readonly DiffLine[]): number {
  const of = (wanted: DiffLine['kind']) => lines.filter(({ kind }) => kind === wanted).length;
  return Math.max(of('removed'), of('added'));
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+', gap: '⋯' };

function Diff({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const words = useWords(checkWords);
  const said = (kind: DiffLine['kind']) => (kind === 'removed' || kind === 'added' ? words[kind] : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
    <section className={classes['diff']} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
        <div key={index} className={classes['line']} data-kind={kind}>
          <span className={classes['side']}>{said(kind)}</span>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <code>{kind === 'gap' ? words.gap : text}</code>
        </div>
      ))}
    </section>
  );
}
