import { useState } from 'react';
import { type ApiCall, pageCalls } from '../../../shared/api/calls.ts';
import { CODE_FORMS } from '../../../shared/api/code-forms.ts';
import { CodeDialog } from '../../../shared/ui/code-dialog.tsx';
import { SelectField } from '../../../shared/ui/field.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';

const OF_PEOPLE =
  /^\/(?:session|user|members|audit|settings|search|changes|onboarding|password|mailbox|templates\/preview|.*\/shares)/;

/** What a key may call as well: the portal's own routes are for people. */
function isOfMachineApi({ path }: ApiCall): boolean {
  return !OF_PEOPLE.test(path);
}

/** The calls of this page, in the form that the reader chooses. */
export default function PortalCode({ onClose }: { onClose: () => void }) {
  const words = useWords(uiWords);
  const calls = pageCalls.use().filter(isOfMachineApi);
  const [name, setName] = useState(CODE_FORMS[0].name);
  const form = CODE_FORMS.find((each) => each.name === name) ?? CODE_FORMS[0];
  const shown = calls.map((call) => ({
    title: `${call.method} /v1${call.path.split('?', 1)[0]}`,
    code: form.write(location.origin, call),
  }));
  return (
    <CodeDialog hint={words.codeHint} none={words.codeNone} shown={shown} onClose={onClose}>
      {CODE_FORMS.length > 1 && (
        <SelectField
          label={words.codeForm}
          value={name}
          choices={CODE_FORMS.map((each) => ({ value: each.name, label: each.name }))}
          onChange={setName}
        />
      )}
    </CodeDialog>
  );
}
