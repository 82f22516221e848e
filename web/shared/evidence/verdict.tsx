import type { ReactNode } from 'react';
import { usePreferences } from '../app/preferences.tsx';
import { useFormat } from '../format/format.ts';
import { Notice } from '../ui/notice.tsx';
import { SealIcon } from '../ui/seal.tsx';
import { useWords } from '../words/use-words.ts';
import { checkWords, REPORT_WORDS } from './check-words.ts';
import type { Checked } from './checked.ts';
import { toneOf } from './groups.ts';
import { logEndText, sentenceOf } from './statements.ts';
import classes from './verdict.module.css';

const ICON_PX = 24;

const SEALS = { ok: 'checked', unsure: 'sealed', bad: 'broken' } as const;

interface Props {
  readonly verification: Checked['verification'];
  /** Buttons on the same line. */
  readonly actions?: ReactNode;
  /** Says who sent what to whom, too: where nothing else on the page does. */
  readonly full?: boolean;
}

/** This browser's finding in a line: a failed check is named at once. */
export function Verdict({ verification, actions, full = false }: Props) {
  const words = useWords(checkWords);
  const format = useFormat();
  const report = REPORT_WORDS[usePreferences().language];
  const { valid, verdict, reasons, warnings, checks, facts } = verification;
  const tone = toneOf(verdict);
  const why = verdict === 'rejected' ? [] : reasons;
  const failed = checks.filter(({ ok }) => !ok);
  const count = format.number(checks.length);
  const ended = valid ? logEndText(facts, report) : null;
  return (
    <div>
      <div className={`${classes['verdict']} ${classes[tone]}`}>
        <SealIcon state={SEALS[tone]} size={ICON_PX} />
        <div className={classes['text']} role="status">
          <strong>{report.verdicts[verdict]}</strong>
          <span className={classes['count']}>
            {valid ? words.passed(count) : words.failed(failed.length, count)}
          </span>
        </div>
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </div>
      {full && valid && <p className={classes['sentence']}>{sentenceOf(facts, report)}</p>}
      {!valid && (
        <div className={classes['notice']}>
          <Notice tone="failed">
            <p>{report.invalidMeans}</p>
            <ul className={classes['failed']}>
              {failed.map(({ name, detail }) => (
                <li key={name}>
                  <code>{name}</code> <span lang="en">{detail}</span>
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
      {verdict === 'verified' && facts.trust !== 'pinned' && (
        <p className={classes['sentence']}>{report.operatorSays}</p>
      )}
      {why.length + warnings.length > 0 && (
        <div className={classes['notice']}>
          <Notice tone="waiting">
            <ul className={`${classes['failed']} ${classes['alone']}`}>
              {[...why, ...warnings].map((remark) => (
                <li key={remark.name}>{report.remark(remark)}</li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
      {ended !== null && (
        <div className={classes['notice']}>
          <Notice tone="waiting">{ended}</Notice>
        </div>
      )}
    </div>
  );
}
