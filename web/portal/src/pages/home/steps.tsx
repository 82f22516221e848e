import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { OnboardingStep, OnboardingStepName } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { Link, useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Panel, Row } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { onboardingQuery, useStepsAway } from '../../parts/onboarding.ts';
import classes from './page.module.css';
import { sealedQuery } from './queries.ts';
import { homeWords } from './words.ts';

const ICON_PX = 20;

/**
 * The way to the first sealed message; gone once it was walked to its end, or put away: who works alone
 * invites nobody, and who sends nothing certified has nothing to verify.
 */
export function Steps({ onSend }: { onSend: () => void }) {
  const [isAway, putAway] = useStepsAway(useMe().account?.id ?? '');
  const onboarding = useQuery({ ...onboardingQuery(useApi()), enabled: !isAway });
  if (isAway) return null;
  const hide = () => {
    putAway();
    // The button goes, and whoever pressed it is at the top of what stays.
    document.querySelector('h1')?.focus();
  };
  return (
    <Loaded query={onboarding} rows={6}>
      {({ steps }) => <StepList steps={steps} onSend={onSend} onPutAway={hide} />}
    </Loaded>
  );
}

interface StepListProps {
  readonly steps: readonly OnboardingStep[];
  readonly onSend: () => void;
  readonly onPutAway: () => void;
}

function StepList({ steps, onSend, onPutAway }: StepListProps) {
  const words = useWords(homeWords);
  const done = steps.filter((each) => each.done).length;
  if (done === steps.length) return null;
  const next = steps.find((each) => !each.done)?.step;
  return (
    <Panel
      title={words.first}
      actions={
        <Row>
          <span className={classes['quiet']}>{words.progress(done, steps.length)}</span>
          <Button kind="quiet" onClick={onPutAway}>
            {words.putAway}
          </Button>
        </Row>
      }
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
            {!each.done && (
              <StepAction
                step={each.step}
                first={each.step === next}
                onSend={onSend}
                sealed={steps.some(({ step, done: isDone }) => step === 'sealed' && isDone)}
              />
            )}
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
  /** There is a message to verify. */
  readonly sealed: boolean;
}

function StepAction({ step, first, onSend, sealed }: StepActionProps): ReactNode {
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
  return sealed ? <ToEvidence /> : null;
}

/** Checked there, in this browser, the step is done. */
function ToEvidence() {
  const words = useWords(homeWords);
  const api = useApi();
  const go = useGo();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const open = async () => {
    setBusy(true);
    const found = await client.fetchQuery(sealedQuery(api)).catch(() => null);
    const id = found?.data[0]?.id;
    go(id === undefined ? '/messages?seal=sealed' : `/messages/${id}/evidence`);
  };
  return (
    <Button busy={busy} onClick={() => void open()}>
      {words.toEvidence}
    </Button>
  );
}
