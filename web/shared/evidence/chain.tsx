import type { Check } from '@acuse/evidence/checks';
import type { VerifiedFacts } from '@acuse/evidence/verify';
import { Check as CheckIcon, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { visible } from '../format/foreign-text.ts';
import { useFormat } from '../format/format.ts';
import { Hash } from '../ui/hash.tsx';
import { Hidden } from '../ui/hidden.tsx';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './chain.module.css';
import { checkWords } from './check-words.ts';
import type { Checked } from './checked.ts';

const STEPS = ['sent', 'entry', 'root', 'signed', 'stamped'] as const;
type Step = (typeof STEPS)[number];

/** The checks that a step rests on, by what their names begin with. */
const RESTS_ON: Readonly<Record<Step, RegExp>> = {
  sent: /^(?:manifest|openings|submission|message(?:_relaxed|_parts)?)$/,
  entry: /^inclusion$/,
  root: /^checkpoint$/,
  signed: /^(?:checkpoint|witness)$/,
  stamped: /^(?:stamped_checkpoint|timestamp|times|revocation|renewal)/,
};

export type StepState = 'ok' | 'failed' | 'unchecked';

/** As the checklist says of a step that could not be taken. */
const SKIPPED = /^not checked because /;

export function stateOf(step: Step, checks: readonly Check[]): StepState {
  const own = checks.filter(({ name }) => RESTS_ON[step].test(name));
  if (own.some(({ ok, detail }) => !ok && !SKIPPED.test(detail))) return 'failed';
  return own.length > 0 && own.every(({ ok }) => ok) ? 'ok' : 'unchecked';
}

/** Each thing rests on the one before: what was sent → entry → root → signature → time-stamp. */
export function Chain({ verification }: { verification: Checked['verification'] }) {
  const words = useWords(checkWords);
  const { checks, facts } = verification;
  return (
    <ol className={classes['chain']} aria-label={words.chain}>
      {STEPS.map((step) => {
        const state = stateOf(step, checks);
        return (
          <li key={step} className={classes['step']} data-state={state}>
            <span className={classes['mark']}>
              <Mark state={state} />
            </span>
            <div className={classes['what']}>
              <strong>{words.steps[step]}</strong>
              <Hidden>{`: ${words.stepStates[state]}`}</Hidden>
              {state === 'failed' && <span className={classes['fails']}>{words.stepStates.failed}</span>}
              <StepFacts step={step} facts={facts} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

const ICON_PX = 14;

function Mark({ state }: { state: StepState }) {
  const Icon = state === 'ok' ? CheckIcon : state === 'failed' ? X : Minus;
  return <Icon size={ICON_PX} strokeWidth={3} aria-hidden="true" />;
}

/** The verified part of the step; nothing if a check that it rests on failed. */
function StepFacts({ step, facts }: { step: Step; facts: VerifiedFacts }): ReactNode {
  const words = useWords(checkWords);
  const format = useFormat();
  switch (step) {
    case 'sent':
      return <HashLine value={facts.canonical_hash} />;
    case 'entry':
      return facts.leaf_index === undefined ? null : (
        <span>{words.entry(format.number(facts.leaf_index))}</span>
      );
    case 'root':
      return facts.tree_size === undefined ? null : (
        <>
          <span>{words.entries(facts.tree_size, format.number(facts.tree_size))}</span>
          <HashLine value={facts.merkle_root} />
        </>
      );
    case 'signed':
      return facts.witnesses === undefined ? null : (
        <>
          <span>{visible(facts.log ?? '')}</span>
          <span>{words.witnesses(facts.witnesses)}</span>
        </>
      );
    case 'stamped':
      return facts.sealed_at === undefined ? null : (
        <>
          <Time iso={facts.sealed_at} form="utc" />
          <span>{visible(commonName(facts.issuer ?? ''))}</span>
        </>
      );
  }
}

function HashLine({ value }: { value: string | undefined }) {
  const words = useWords(checkWords);
  return value === undefined ? null : <Hash value={value} what={words.hash} />;
}

function commonName(issuer: string): string {
  return /(?:^|,)CN=([^,]+)/.exec(issuer)?.[1] ?? issuer;
}
