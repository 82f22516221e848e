import { Save, Send, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Template } from '../../../../shared/api/portal-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { useGo } from '../../../../shared/routing/link.tsx';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { SendTest } from '../../parts/send-test.tsx';
import { OWN } from './draft.ts';
import type { Search } from './search.ts';
import type { TestData } from './test-data.ts';
import type { Editing } from './use-editing.ts';
import { templateWords } from './words.ts';

const Discard = lazy(() => import('./discard.tsx'));
const Remove = lazy(() => import('./remove.tsx'));

interface ActionsProps {
  readonly editing: Editing;
  readonly data: TestData;
  /** Null: it is not there yet. */
  readonly template: Template | null;
  readonly setSearch: PageProps<Search>['setSearch'];
}

/** The buttons of the whole page. */
export function Actions({ editing, data, template, setSearch }: ActionsProps) {
  const words = useWords(templateWords);
  const can = useCan();
  const [asks, setAsks] = useState<'discard' | 'remove' | 'send' | null>(null);
  const close = () => setAsks(null);
  const save = useSave(editing, setSearch);
  return (
    <>
      {template !== null && (
        <>
          <Button
            kind="icon"
            icon={Trash2}
            label={words.remove}
            unavailable={can.send}
            onClick={() => setAsks('remove')}
          />
          <Button icon={Send} unavailable={can.send} onClick={() => setAsks('send')}>
            {words.sendTest}
          </Button>
          {editing.unsaved && (
            <Button icon={Undo2} onClick={() => setAsks('discard')}>
              {words.discard}
            </Button>
          )}
        </>
      )}
      <Button
        kind="primary"
        icon={Save}
        unavailable={can.send ?? (template !== null && !editing.unsaved ? words.nothingToSave : null)}
        busy={editing.busy}
        onClick={save}
      >
        {template === null ? words.create : words.save}
      </Button>
      <Suspense>
        {asks === 'discard' && <Discard editing={editing} onClose={close} />}
        {asks === 'remove' && template !== null && (
          <Remove template={template} editing={editing} onClose={close} />
        )}
        {asks === 'send' && template !== null && (
          <SendTest template={{ ...template, variables: data.variables }} onClose={close} />
        )}
      </Suspense>
    </>
  );
}

/** Saves and confirms it, or opens the variant that was refused. */
function useSave(editing: Editing, setSearch: ActionsProps['setSearch']): () => void {
  const words = useWords(templateWords);
  const format = useFormat();
  const toast = useToast();
  const go = useGo();
  const located = editing.refused?.located ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    if (located === null) return;
    const { language, part } = located;
    setSearch({
      tab: 'edit',
      language: language ?? OWN,
      ...((part === 'html' || part === 'text') && { part }),
    });
  }, [located?.message]);
  return () =>
    editing.save((saved, before) => {
      if (before === null) {
        toast(words.created);
        editing.finish();
        go(`/templates/${saved.id}`, { replace: true });
      } else
        toast(saved.version === before.version ? words.renamed : words.saved(format.number(saved.version)));
    });
}
