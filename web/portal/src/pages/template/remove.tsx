import { useQueryClient } from '@tanstack/react-query';
import type { Template } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { dialogWords } from './dialog-words.ts';
import type { Editing } from './use-editing.ts';

interface RemoveProps {
  readonly template: Template;
  readonly editing: Editing;
  readonly onClose: () => void;
}

/** Asks before the template is deleted. */
export default function Remove({ template, editing, onClose }: RemoveProps) {
  const words = useWords(dialogWords);
  const api = useApi();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const remove = () =>
    run(async () => {
      await api.call('DELETE', `/templates/${template.id}`);
      toast(words.removed);
      void queryClient.invalidateQueries({ queryKey: ['templates', 'list'] });
      editing.finish();
      go('/templates');
    });
  return (
    <Confirm
      title={words.removeTitle(template.name)}
      action={words.remove}
      danger
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.removeText}</p>
    </Confirm>
  );
}
