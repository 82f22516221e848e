import { useState } from 'react';
import { type ApiCall, pageCalls } from '../api/calls.ts';
import { CODE_FORMS } from '../api/code-forms.ts';
import { useWords } from '../words/use-words.ts';
import { Dialog } from './dialog.tsx';
import { SelectField } from './field.tsx';
import { CodeBlock, Stack } from './layout.tsx';
import { uiWords } from './words.ts';

interface Props {
  readonly isShown: (call: ApiCall) => boolean;
  readonly onClose: () => void;
}

/** The calls of this page as code: what is on screen can be had by a program. */
export default function CodeDialog({ isShown, onClose }: Props) {
  const words = useWords(uiWords);
  const calls = pageCalls.use().filter(isShown);
  const [name, setName] = useState(CODE_FORMS[0].name);
  const form = CODE_FORMS.find((each) => each.name === name) ?? CODE_FORMS[0];
  return (
    <Dialog title={words.code} wide onClose={onClose}>
      {calls.length === 0 ? (
        <p>{words.codeNone}</p>
      ) : (
        <Stack>
          <p>{words.codeHint}</p>
          {CODE_FORMS.length > 1 && (
            <SelectField
              label={words.codeForm}
              value={name}
              choices={CODE_FORMS.map((each) => ({ value: each.name, label: each.name }))}
              onChange={setName}
            />
          )}
          {calls.map((call) => {
            const title = `${call.method} /v1${call.path.split('?', 1)[0]}`;
            const code = form.write(location.origin, call);
            return <CodeBlock key={`${call.method} ${call.path}`} label={title} text={code} />;
          })}
        </Stack>
      )}
    </Dialog>
  );
}
