import { CircleCheck, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OnboardingStep, OnboardingStepName } from '../../../../shared/api/portal-types.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Panel } from '../../../../shared/ui/layout.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { homeWords } from './words.ts';

const ICON_PX = 20;

/** The way to the first sealed message; gone once it was walked to its end. */
export function Steps({ steps, onSend }: { steps: readonly OnboardingStep[]; onSend: () => void }) {
  const words = useWords(homeWords);
  const done = steps.filter((each) => each.done).length;
  if (done === steps.length) return null;
  const next = steps.find((each) => !each.done)?.step;
  return (
    <Panel
      title={words.first}
      actions={<span className={classes['quiet']}>{words.progress(done, steps.length)}</span>}
    >
      <ol className={classes['steps']}>
        {steps.map((each) => (
          <li key={each.step} data-done={each.done}>
            {each.done ? (
              <CircleCheck size={ICON_PX} className={classes['done']} aria-hidden="true" />
            ) : (
              <CircleDashed size={ICON_PX} className={classes['open']} aria-hidden="true" />
            )}
            <div>
              <strong>{words.steps[each.step]}</strong>
              <Hidden>{` (${each.done ? words.done : words.open})`}</Hidden>
              <p className={classes['quiet']}>{words.stepTexts[each.step]}</p>
            </div>
            {!each.done && <StepAction step={each.step} first={each.step === next} onSend={onSend} />}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface StepActionProps {
  readonly step: OnboardingStepName;
  readonly first: boolean;
  readonly onSend: () => void;
}

function StepAction({ step, first, onSend }: StepActionProps): ReactNode {
  const words = useWords(homeWords);
  const can = useCan();
  if (step === 'sent')
    return (
      <Button kind={first ? 'primary' : 'plain'} unavailable={can.send} onClick={onSend}>
        {words.sendTest}
      </Button>
    );
  if (step === 'domain') return <Link to="/domains">{words.toDomains}</Link>;
  if (step === 'sealed') return <Link to="/messages">{words.toMessages}</Link>;
  if (step === 'invited') return <Link to="/people">{words.toPeople}</Link>;
  if (step === 'webhook') return <Link to="/webhooks">{words.toWebhooks}</Link>;
  return <Link to="/verify">{words.toVerify}</Link>;
}
