import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { SuppressionImport, SuppressionImportFailure } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { toCsv } from '../../../../shared/format/csv.ts';
import { download } from '../../../../shared/format/download.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { Figure, Figures } from '../../../../shared/ui/figures.tsx';
import { FileDrop } from '../../../../shared/ui/file-drop.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { suppressionsWords } from './words.ts';

/** Refused lines on the screen; the file that is offered has all. */
const SHOWN_MAX = 50;

interface Imported {
  readonly result: SuppressionImport;
  readonly lines: readonly string[];
}

/** Imports a file, then shows the result of each line. */
export default function ImportSuppressions({ onClose }: { onClose: () => void }) {
  const [imported, setImported] = useState<Imported | null>(null);
  if (imported !== null) return <Report imported={imported} onClose={onClose} />;
  return <ImportForm onImported={setImported} onClose={onClose} />;
}

interface FormProps {
  readonly onImported: (imported: Imported) => void;
  readonly onClose: () => void;
}

function ImportForm({ onImported, onClose }: FormProps) {
  const words = useWords(suppressionsWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (file === null) return;
    run(async () => {
      const result = await api.call<SuppressionImport>('POST', '/suppressions/import', {
        body: new Blob([file], { type: 'text/csv' }),
      });
      void queryClient.resetQueries({ queryKey: ['suppressions'] });
      onImported({ result, lines: (await file.text()).split(/\r\n|\n|\r/) });
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.import}
      </Button>
    </>
  );
  return (
    <Dialog title={words.importTitle} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>{words.importText}</p>
      <FileDrop
        label={words.file}
        hint={words.fileHint}
        accept=".csv,.txt,text/csv,text/plain"
        chosen={file?.name}
        onFile={setFile}
      />
      {asked && file === null && (
        <p className={classes['error']} role="alert">
          {words.needsFile}
        </p>
      )}
    </Dialog>
  );
}

function Report({ imported: { result, lines }, onClose }: { imported: Imported; onClose: () => void }) {
  const words = useWords(suppressionsWords);
  const format = useFormat();
  const { created, known, failed, failures } = result;
  const contentOf = ({ line }: SuppressionImportFailure) => lines[line - 1] ?? '';
  const columns: readonly Column<SuppressionImportFailure>[] = [
    { id: 'line', head: words.line, cell: ({ line }) => format.number(line) },
    { id: 'content', head: words.content, main: true, cell: (each) => <code>{contentOf(each)}</code> },
    { id: 'problem', head: words.problem, cell: ({ error }) => <Said text={error.message} /> },
  ];
  const save = () => {
    const rows = failures.map((each) => [each.line, contentOf(each), each.error.message]);
    const text = toCsv([['line', 'content', 'error'], ...rows]);
    download('refused-lines.csv', new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
  };
  const foot = (
    <>
      {failed > 0 && (
        <Button icon={Download} onClick={save}>
          {words.downloadRefused}
        </Button>
      )}
      <Button kind="primary" onClick={onClose}>
        {words.done}
      </Button>
    </>
  );
  return (
    <Dialog title={words.report} foot={foot} onClose={onClose} wide>
      <div role="status">
        <Figures label={words.report}>
          <Figure name={words.created} value={format.number(created)} />
          <Figure name={words.knownCount} value={format.number(known)} />
          <Figure name={words.failed} value={format.number(failed)} />
        </Figures>
      </div>
      {failed > 0 && (
        <Table
          label={words.refusedLines}
          columns={columns}
          rows={failures.slice(0, SHOWN_MAX)}
          rowKey={({ line }) => String(line)}
        />
      )}
      {failed > SHOWN_MAX && <p>{words.firstLines(format.number(SHOWN_MAX))}</p>}
    </Dialog>
  );
}
