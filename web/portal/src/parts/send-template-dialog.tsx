import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Message } from '../../../shared/api/portal-types.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { useFormat } from '../../../shared/format/format.ts';
import { Button, ButtonLink } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../shared/ui/field.tsx';
import { CodeBlock } from '../../../shared/ui/layout.tsx';
import { NotLoaded } from '../../../shared/ui/loaded.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { type SendStart, type TestTemplate, useSendStart } from './send-start.ts';
import { sendTestWords } from './send-test-words.ts';

interface Props {
  readonly template: TestTemplate;
  readonly onClose: () => void;
}

/** Sends the template as it was saved, with test data; what is edited meanwhile stays on its page. */
export default function SendTemplateDialog({ template, onClose }: Props) {
  const words = useWords(sendTestWords);
  const ui = useWords(uiWords);
  const start = useQuery(useSendStart());
  const [sent, setSent] = useState<Message | null>(null);
  if (sent !== null) {
    const foot = (
      <>
        <Button onClick={onClose}>{ui.close}</Button>
        <ButtonLink to={`/messages/${sent.id}/timeline`} kind="primary">
          {words.openMessage}
        </ButtonLink>
      </>
    );
    return (
      <Dialog title={words.templateTitle(template.name)} foot={foot} onClose={onClose}>
        <Notice tone="sent" live>
          {words.sent}
        </Notice>
      </Dialog>
    );
  }
  if (start.data === undefined)
    return (
      <Dialog title={words.templateTitle(template.name)} onClose={onClose}>
        <NotLoaded queries={[start]} rows={4} />
      </Dialog>
    );
  return <TemplateForm template={template} start={start.data} onSent={setSent} onClose={onClose} />;
}

interface FormProps extends Props {
  readonly start: SendStart;
  readonly onSent: (message: Message) => void;
}

function TemplateForm({ template, start, onSent, onClose }: FormProps) {
  const words = useWords(sendTestWords);
  const ui = useWords(uiWords);
  const format = useFormat();
  const api = useApi();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState({ ...start, locale: '' });
  const [asked, setAsked] = useState(false);
  // One key for one intention: a second press after a lost answer sends nothing twice.
  const key = useRef(crypto.randomUUID());
  const { busy, error, run } = useSubmission();
  const set = (change: Partial<typeof draft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...change });
  };
  const missing = (address: string) => (asked && address.trim() === '' ? words.needsAddress : null);
  const submit = () => {
    setAsked(true);
    const { locale, ...fields } = draft;
    if (fields.from.trim() === '' || fields.to.trim() === '') return;
    run(async () => {
      const { id: template_id, variables } = template;
      const body = { ...fields, template_id, variables, ...(locale !== '' && { locale }) };
      const headers = { 'Idempotency-Key': key.current };
      onSent(await api.call<Message>('POST', '/messages', { body, headers }));
      void queryClient.invalidateQueries({ queryKey: ['messages'] });
    });
  };
  const tags = Object.keys(template.variants);
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.send}
      </Button>
    </>
  );
  return (
    <Dialog title={words.templateTitle(template.name)} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>{words.templateText(format.number(template.version))}</p>
      <TextField
        label={words.from}
        hint={words.fromHint}
        value={draft.from}
        onChange={(from) => set({ from })}
        error={missing(draft.from)}
      />
      <TextField label={words.to} value={draft.to} onChange={(to) => set({ to })} error={missing(draft.to)} />
      {tags.length > 0 && (
        <SelectField
          label={words.locale}
          value={draft.locale}
          choices={[{ value: '', label: words.noLocale }, ...tags.map((tag) => ({ value: tag, label: tag }))]}
          onChange={(locale) => set({ locale })}
        />
      )}
      <CodeBlock label={words.data} text={JSON.stringify(template.variables, null, 2)} />
      <CheckField
        label={words.certified}
        checked={draft.certified}
        onChange={(certified) => set({ certified })}
      />
    </Dialog>
  );
}
