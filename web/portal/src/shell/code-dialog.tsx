import { type ApiCall, pageCalls } from '../../../shared/api/calls.ts';
import { toCurl } from '../../../shared/api/curl.ts';
import { CodeDialog } from '../../../shared/ui/code-dialog.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { CodeFormField, useCodeForm } from '../parts/code-form-field.tsx';
import { beginning, type CodeForm } from '../parts/code-forms.ts';
import { isOfMachineApi } from './machine-api.ts';

/** The calls of this page, in the form that the reader chooses. */
export default function PortalCode({ onClose }: { onClose: () => void }) {
  const words = useWords(uiWords);
  const calls = pageCalls.use().filter(({ path }) => isOfMachineApi(path));
  const [form, setForm] = useCodeForm();
  const shown = calls.map((call) => shownAs(form, call));
  return (
    <CodeDialog
      hint={words.codeHint}
      none={words.codeNone}
      shown={shown.length === 0 ? [] : [...shown, ...beginning(location.origin, form)]}
      onClose={onClose}
    >
      <CodeFormField form={form} onChange={setForm} />
    </CodeDialog>
  );
}

/** A call that a language cannot write is shown as a command. */
function shownAs(form: CodeForm, call: ApiCall) {
  const title = `${call.method} /v1${call.path.split('?', 1)[0]}`;
  const code = form.write(location.origin, call);
  return code === null ? { title: `${title} · curl`, code: toCurl(location.origin, call) } : { title, code };
}
