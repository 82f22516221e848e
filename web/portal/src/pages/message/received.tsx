import { useMutation } from '@tanstack/react-query';
import type { Checked } from '../../../../shared/evidence/checked.ts';
import { checkBundle } from '../../../../shared/evidence/checker.ts';
import { CopyReport } from '../../../../shared/evidence/copy-report.tsx';
import { FileDrop } from '../../../../shared/ui/file-drop.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './evidence.module.css';
import { evidenceWords } from './evidence-words.ts';

/** Compares a copy that somebody received with what was sent; the file stays in this browser. */
export function Received({ bundle }: { bundle: Uint8Array }) {
  const words = useWords(evidenceWords);
  const compare = useMutation({
    async mutationFn(file: File): Promise<Checked> {
      const eml = new Uint8Array(await file.arrayBuffer());
      const answer = await checkBundle({ bundle, eml, own: true });
      if (answer.kind !== 'checked') throw new Error(answer.detail);
      return answer.checked;
    },
  });
  const { data, variables, isPending, error } = compare;
  return (
    <Panel title={words.received}>
      <p className={classes['lead']}>{words.receivedText}</p>
      <Stack>
        <FileDrop
          label={words.eml}
          accept=".eml,message/rfc822"
          chosen={variables?.name}
          onFile={(file) => compare.mutate(file)}
        />
        {isPending && <p role="status">{words.comparing}</p>}
        {error !== null && <Notice tone="failed">{words.unreadable}</Notice>}
        {data !== undefined && data.verification.eml !== null && (
          <CopyReport report={data.verification.eml} layers={data.layers} valid={data.verification.valid} />
        )}
      </Stack>
    </Panel>
  );
}
