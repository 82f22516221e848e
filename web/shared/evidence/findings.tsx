import type { Check } from '@acuse/evidence/checks';
import type { Reason } from '@acuse/evidence/verdict';
import type { ReactNode } from 'react';
import { usePreferences } from '../app/preferences.tsx';
import { visible } from '../format/foreign-text.ts';
import { Status } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import { checkWords, REPORT_WORDS } from './check-words.ts';
import type { Checked } from './checked.ts';
import classes from './findings.module.css';
import { type CheckGroup, type Completeness, completenessOf, groupsOf } from './groups.ts';
import { assertedTexts, fingerprint, type Outcome, outcomeDetails, provenTexts } from './statements.ts';
import type { ReportWords } from './words.ts';

type Verification = Checked['verification'];

const TRUST = {
  pinned: ({ pinned }: ReportWords) => pinned,
  own: ({ ownKeys }: ReportWords) => ownKeys,
  bundle: ({ unpinned }: ReportWords) => unpinned,
} as const;

/** Below the verdict, folded: every check, and whose word the whole rests on. */
export function Findings({ verification }: { verification: Verification }) {
  const words = useWords(checkWords);
  const { valid, checks, facts, reasons } = verification;
  const { delivery = [] } = facts;
  return (
    <div className={classes['findings']}>
      <EveryCheck checks={checks} reasons={reasons} />
      {valid && (
        <Folded title={words.whoseWord}>
          <Words verification={verification} />
        </Folded>
      )}
      {valid && delivery.length > 0 && (
        <Folded title={words.outcomes}>
          <ul className={classes['list']}>
            {delivery.map((outcome) => (
              <li key={`${outcome.kind} ${outcome.occurred_at}`}>
                <OutcomeText outcome={outcome} />
              </li>
            ))}
          </ul>
        </Folded>
      )}
    </div>
  );
}

interface EveryCheckProps {
  readonly checks: readonly Check[];
  /** Why the verdict is not a better one; a server tells none. */
  readonly reasons?: readonly Reason[];
}

/** Every check, folded under the question that it answers; open where one fails. */
export function EveryCheck({ checks, reasons = [] }: EveryCheckProps) {
  const words = useWords(checkWords);
  return (
    <Folded title={words.everyCheck} open={checks.some(({ ok }) => !ok)}>
      {groupsOf(checks).map((group) => (
        <Group
          key={group.name}
          group={group}
          completeness={group.name === 'bundle' ? completenessOf(reasons) : 'whole'}
        />
      ))}
    </Folded>
  );
}

function Folded({ title, open = false, children }: { title: string; open?: boolean; children: ReactNode }) {
  return (
    <details className={classes['folded']} open={open}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <div className={classes['content']}>{children}</div>
    </details>
  );
}

/** A question, its answer, and the checks that give the answer. */
function Group({ group, completeness }: { group: CheckGroup; completeness: Completeness }) {
  const { name, checks, failed } = group;
  const report = REPORT_WORDS[usePreferences().language];
  return (
    <details className={classes['group']} open={failed > 0}>
      <summary>
        <span className={classes['question']}>{report.groups[name]}</span>
        <Status tone={failed > 0 ? 'failed' : completeness === 'whole' ? 'sent' : 'waiting'}>
          {failed > 0
            ? report.failedChecks(failed)
            : completeness === 'whole'
              ? report.passed(checks.length)
              : report.completeness[completeness]}
        </Status>
      </summary>
      <ul className={classes['checks']}>
        {checks.map((check) => (
          <li key={check.name} data-ok={check.ok}>
            <code>{check.name}</code> <span lang="en">{visible(check.detail)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Words({ verification: { facts } }: { verification: Verification }) {
  const report = REPORT_WORDS[usePreferences().language];
  return (
    <div className={classes['sides']}>
      <Side title={report.proven} texts={provenTexts(facts, report)} />
      <Side title={report.asserted} texts={assertedTexts(facts, report)} />
      <section className={classes['trust']}>
        <h3>{report.trustTitle}</h3>
        <p>{TRUST[facts.trust ?? 'bundle'](report)}</p>
        {facts.root_sha256 !== undefined && (
          <p>
            {report.root}
            <br />
            <code>{fingerprint(facts.root_sha256)}</code>
          </p>
        )}
      </section>
    </div>
  );
}

function Side({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul className={classes['list']}>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

function OutcomeText({ outcome: { kind, occurred_at: at, source, facts } }: { outcome: Outcome }) {
  const report = REPORT_WORDS[usePreferences().language];
  const details = facts === null ? [] : outcomeDetails(facts);
  return (
    <>
      <strong>{report.outcome(kind)}</strong> · {report.time(at)}
      <br />
      {report.sources[source]}
      {details.length > 0 && (
        <>
          <br />
          <span lang="en" className={classes['quiet']}>
            {details.join(' · ')}
          </span>
        </>
      )}
    </>
  );
}
