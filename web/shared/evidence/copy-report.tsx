import type { EmlReport } from '@acuse/evidence/verify-eml';
import { usePreferences } from '../app/preferences.tsx';
import { DiffSheet } from '../ui/diff.tsx';
import type { DiffRow } from '../ui/diff-rows.ts';
import { Notice } from '../ui/notice.tsx';
import { Status, type Tone } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import { checkWords, REPORT_WORDS } from './check-words.ts';
import type { Layer, LayerState } from './checked.ts';
import classes from './copy-report.module.css';

interface Props {
  readonly report: EmlReport;
  readonly layers: readonly Layer[];
  /** Otherwise nothing is compared. */
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
  const { state, rows, cut } = layer;
  const name = useLayerName(layer);
  const count = rows === null ? 0 : differing(rows);
  return (
    <>
      <div className={classes['head']}>
        <span className={classes['name']}>{name}</span>
        <Status tone={TONES[state]}>{words.layerStates[state]}</Status>
        {count > 0 && <span className={classes['quiet']}>{words.linesDiffer(count)}</span>}
      </div>
      {rows !== null && rows.length > 0 && (
        <DiffSheet rows={rows} label={words.diff(name)} names={words.sides} />
      )}
      {cut && <p className={classes['quiet']}>{words.cut}</p>}
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
function differing(rows: readonly DiffRow[]): number {
  const of = (wanted: DiffRow['kind']) => rows.filter(({ kind }) => kind === wanted).length;
  return Math.max(of('removed'), of('added'));
}
