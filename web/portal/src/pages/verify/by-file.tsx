import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { readLogEnds, readOwnPolicy } from '../../../../shared/api/log.ts';
import { usePreferences } from '../../../../shared/app/preferences.tsx';
import { Chain } from '../../../../shared/evidence/chain.tsx';
import { checkWords, REPORT_WORDS } from '../../../../shared/evidence/check-words.ts';
import type { CheckAnswer, Checked } from '../../../../shared/evidence/checked.ts';
import { checkBundle } from '../../../../shared/evidence/checker.ts';
import { CopyReport } from '../../../../shared/evidence/copy-report.tsx';
import { Findings } from '../../../../shared/evidence/findings.tsx';
import { MessageShown } from '../../../../shared/evidence/message-shown.tsx';
import { Verdict } from '../../../../shared/evidence/verdict.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { FileDrop } from '../../../../shared/ui/file-drop.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { verifyWords } from './words.ts';

type Slot = 'bundle' | 'eml' | 'policy';
type Given = Readonly<Partial<Record<Slot, File>>>;

/**
 * Verifies a bundle that somebody was given, and a copy of the message with it; sends nothing of them, and
 * asks for nothing but what this server's keys are and whether logs of it have ended.
 */
export default function ByFile() {
  const words = useWords(verifyWords);
  const checking = useWords(checkWords);
  const [given, setGiven] = useState<Given>({});
  const check = useMutation({ mutationFn: checkFiles });
  const { data, error, isPending, reset } = check;
  const take = (slot: Slot) => (file: File) => {
    const next = { ...given, [slot]: file };
    setGiven(next);
    check.mutate(next);
  };
  const clear = () => {
    setGiven({});
    reset();
  };
  return (
    <Panel
      title={words.file}
      actions={given.bundle !== undefined && <Button onClick={clear}>{words.clear}</Button>}
    >
      <p className={classes['lead']}>
        {words.fileText} <a href="/verify">{words.public}</a>
      </p>
      <Stack>
        <FileDrop
          label={words.bundle}
          accept=".zip,.json"
          chosen={given.bundle?.name}
          onFile={take('bundle')}
        />
        {given.bundle !== undefined && (
          <div className={classes['more']}>
            <FileDrop
              label={words.eml}
              accept=".eml,message/rfc822"
              chosen={given.eml?.name}
              onFile={take('eml')}
            />
            <FileDrop
              label={words.policy}
              hint={words.policyHint}
              accept=".json"
              chosen={given.policy?.name}
              onFile={take('policy')}
            />
          </div>
        )}
        {isPending && <p role="status">{checking.checking}</p>}
        {error !== null && <Notice tone="failed">{words.unreadable}</Notice>}
        {!isPending && data?.kind === 'unreadable_policy' && (
          <Notice tone="failed" live>
            {words.unreadablePolicy} <span lang="en">{data.detail}</span>
          </Notice>
        )}
        {!isPending && data?.kind === 'checked' && <Shown checked={data.checked} />}
      </Stack>
    </Panel>
  );
}

async function checkFiles({ bundle, eml, policy }: Given): Promise<CheckAnswer | null> {
  const bytes = async (file: File | undefined) => file && new Uint8Array(await file.arrayBuffer());
  const given = await bytes(bundle);
  if (given === undefined) return null;
  const copy = { eml: await bytes(eml), trust: await bytes(policy) };
  const [ownPolicy, ends] = await Promise.all([readOwnPolicy(), readLogEnds()]);
  return checkBundle({ bundle: given, ...copy, ownPolicy, ends });
}

function Shown({ checked: { verification, layers } }: { checked: Checked }) {
  const words = useWords(verifyWords);
  const report = REPORT_WORDS[usePreferences().language];
  const { is_bundle: isBundle, valid, facts, eml } = verification;
  if (!isBundle)
    return (
      <Notice tone="failed" live>
        <strong>{report.noBundle}</strong>
        <p>{report.noBundleMeans}</p>
      </Notice>
    );
  return (
    <div className={classes['result']}>
      <Verdict verification={verification} full />
      {eml !== null && <CopyReport report={eml} layers={layers} valid={valid} />}
      <Chain verification={verification} />
      {valid && facts.message !== undefined && <MessageShown title={words.message} message={facts.message} />}
      <Findings verification={verification} />
    </div>
  );
}
