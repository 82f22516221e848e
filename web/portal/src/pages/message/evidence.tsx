import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, FileText, Stamp } from 'lucide-react';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Chain } from '../../../../shared/evidence/chain.tsx';
import { checkWords } from '../../../../shared/evidence/check-words.ts';
import { Findings } from '../../../../shared/evidence/findings.tsx';
import { Verdict } from '../../../../shared/evidence/verdict.tsx';
import { download } from '../../../../shared/format/download.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Failure } from '../../../../shared/ui/failure.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Empty, Skeleton } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './evidence.module.css';
import { type CheckedBundle, checkedQuery } from './evidence-queries.ts';
import { evidenceWords } from './evidence-words.ts';
import { FromArchive } from './from-archive.tsx';
import { Received } from './received.tsx';
import { Shares } from './shares.tsx';

/** Verified in this browser, without trusting the server. */
export default function EvidenceTab({ message }: { message: Message }) {
  const words = useWords(evidenceWords);
  if (!message.certified) return <Empty title={words.plainTitle}>{words.plain}</Empty>;
  // The log that promised it has ended: the one that goes on promises nothing of it.
  if (message.sealed_at === null && message.promise === null)
    return <Empty title={words.neverTitle}>{words.never}</Empty>;
  if (message.sealed_at === null) return <Empty title={words.promisedTitle}>{words.promised}</Empty>;
  return <SealedEvidence message={message} />;
}

function SealedEvidence({ message }: { message: Message }) {
  const words = useWords(evidenceWords);
  const api = useApi();
  const { data, error, refetch } = useQuery(checkedQuery(api, message));
  const isErased = message.content_deleted_at !== null;
  return (
    <Stack>
      {isErased && <Notice tone="waiting">{words.erased}</Notice>}
      <FromArchive message={message} />
      {data === undefined && error === null && <Checking />}
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <CheckedPanel id={message.id} {...data} />}
      {data?.checked.verification.valid === true && !isErased && <Received bundle={data.bundle} />}
      <Shares message={message} />
    </Stack>
  );
}

function Checking() {
  const words = useWords(checkWords);
  return (
    <div aria-busy="true">
      <Stack>
        <p role="status">{words.checking}</p>
        <Skeleton rows={4} />
      </Stack>
    </div>
  );
}

function CheckedPanel({ id, bundle, checked }: CheckedBundle & { id: string }) {
  const words = useWords(evidenceWords);
  const { verification, report } = checked;
  const api = useApi();
  const headers = { Accept: 'application/pdf' };
  // Made on request: the first costs a time-stamp.
  const stamped = useMutation({
    mutationFn: () => api.bytes(`/messages/${id}/proof-bundle`, { headers }),
    onSuccess: (pdf) => download(`acuse-${id}-time-stamp.pdf`, pdf),
  });
  const save = (name: string, bytes: Uint8Array, type: string) =>
    download(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  const actions = (
    <>
      <Button icon={Download} onClick={() => save(`acuse-${id}.zip`, bundle, 'application/zip')}>
        {words.bundle}
      </Button>
      {report !== null && (
        <Button icon={FileText} onClick={() => save(`acuse-${id}.pdf`, report, 'application/pdf')}>
          {words.report}
        </Button>
      )}
      {verification.valid && (
        <Button icon={Stamp} busy={stamped.isPending} onClick={() => stamped.mutate()}>
          {words.stamped}
        </Button>
      )}
    </>
  );
  return (
    <Panel>
      <div className={classes['evidence']}>
        <Verdict verification={verification} actions={actions} />
        {stamped.error !== null && <Failure error={stamped.error} onRetry={() => stamped.mutate()} />}
        <Chain verification={verification} />
        <Findings verification={verification} />
      </div>
    </Panel>
  );
}
