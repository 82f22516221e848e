import { useQueryClient } from '@tanstack/react-query';
import type { Template, TemplateVersion } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { keepAnswer } from '../../../../shared/app/keep-answer.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { contentsOf, toChange } from './draft.ts';
import { templateQuery } from './queries.ts';
import { versionsWords } from './versions-words.ts';

interface RestoreProps {
  readonly template: Template;
  readonly version: TemplateVersion;
  readonly onRestored: (template: Template) => void;
  readonly onClose: () => void;
}

/** Makes the content of an earlier version the next one. */
export function Restore({ template, version, onRestored, onClose }: RestoreProps) {
  const words = useWords(versionsWords);
  const { number } = useFormat();
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const from = number(version.version);
  const restore = () =>
    run(async () => {
      const draft = { name: template.name, contents: contentsOf(version) };
      const restored = await api.call<Template>('PATCH', `/templates/${template.id}`, {
        body: toChange(draft, template),
      });
      keepAnswer(queryClient, templateQuery(api, template.id).queryKey, restored);
      void queryClient.invalidateQueries({ queryKey: ['templates', 'list'] });
      onRestored(restored);
      toast(words.restored(from, number(restored.version)));
      onClose();
    });
  return (
    <Confirm
      title={words.restoreTitle(from)}
      action={words.restore}
      busy={busy}
      onConfirm={restore}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.restoreText(from, number(template.version + 1))}</p>
    </Confirm>
  );
}
