import { Download } from 'lucide-react';
import { download } from '../format/download.ts';
import { Button } from './button.tsx';
import { Refusal, useSubmission } from './refusal.tsx';
import { useToast } from './toast.tsx';

interface Props {
  readonly label: string;
  /** Name of the file. */
  readonly name: string;
  readonly read: () => Promise<Blob>;
  readonly unavailable?: string | null;
  /** Said once it is there. */
  readonly saved?: string;
}

/** Saves a file that the server makes; a refusal stands below it. */
export function SaveButton({ label, name, read, unavailable, saved }: Props) {
  const toast = useToast();
  const { busy, error, run } = useSubmission();
  const save = () =>
    run(async () => {
      download(name, await read());
      if (saved !== undefined) toast(saved);
    });
  return (
    <>
      <Button icon={Download} busy={busy} unavailable={unavailable} onClick={save}>
        {label}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}
