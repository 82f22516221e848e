import type { Step, StepState } from '../../../../shared/evidence/log/watched.ts';
import { secondsIso } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Panel } from '../../../../shared/ui/layout.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { operatorWords } from './words.ts';

const TONES: Readonly<Record<StepState, Tone>> = {
  ok: 'sent',
  failed: 'failed',
  nothing: 'neutral',
  waiting: 'waiting',
  unchecked: 'neutral',
};

interface Props {
  readonly steps: readonly Step[];
  /** When the first open promise is due, Unix seconds. */
  readonly dueSeconds: number | null;
}

/** Each check, its result, and the fault. */
export function Steps({ steps, dueSeconds }: Props) {
  const words = useWords(operatorWords);
  return (
    <Panel title={words.checks}>
      <ol className={classes['steps']}>
        {steps.map((step) => (
          <li key={step.name} data-state={step.state}>
            <span>{words.steps[step.name]}</span>
            <Status tone={TONES[step.state]}>{words.states[step.state]}</Status>
            <Said step={step} dueSeconds={dueSeconds} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Said({
  step: { name, state, count, faults },
  dueSeconds,
}: { step: Step } & Pick<Props, 'dueSeconds'>) {
  const words = useWords(operatorWords);
  const format = useFormat();
  if (faults.length > 0)
    return (
      <div className={classes['said']}>
        {faults.map(({ code, detail }) => (
          <p key={detail}>
            {words.faults[code]}
            <br />
            {words.verifier} <span lang="en">{detail}</span>
          </p>
        ))}
      </div>
    );
  const counted = count === 0 ? '' : words.counts[name](format.number(count));
  const due =
    name === 'promises' && dueSeconds !== null
      ? words.promisesDue(format.dateTime(secondsIso(dueSeconds)))
      : '';
  const waits = name === 'witnesses' && state === 'waiting' ? words.witnessesWaiting : '';
  const text = state === 'nothing' ? words.nothing[name] : [counted, due, waits].filter(Boolean).join(' · ');
  return text === '' ? null : <div className={classes['said']}>{text}</div>;
}
