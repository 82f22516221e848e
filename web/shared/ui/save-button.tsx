import { Download } from 'lucide-react';
import { download } from '../format/download.ts';
import { Button } from './button.tsx';
import { Refusal, useSubmission } from './refusal.tsx';

interface Props {
  readonly label: string;
  /** Of the file. */
  readonly name: string;
  readonly read: () => Promise<Blob>;
}

/** Saves a file that the server makes; a refusal stands below it. */
export function SaveButton({ label, name, read }: Props) {
  const { busy, error, run } = useSubmission();
  const save = () => run(async () => download(name, await read()));
  return (
    <>
      <Button icon={Download} busy={busy} onClick={save}>
        {label}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}
