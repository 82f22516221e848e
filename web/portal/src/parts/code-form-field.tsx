import { useState } from 'react';
import { SelectField } from '../../../shared/ui/field.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { CODE_FORMS, type CodeForm, keepForm, keptForm } from './code-forms.ts';

/** The form that the reader chose, and how it is chosen. */
export function useCodeForm(): readonly [CodeForm, (form: CodeForm) => void] {
  const [form, setForm] = useState(keptForm);
  const choose = (next: CodeForm) => {
    keepForm(next);
    setForm(next);
  };
  return [form, choose];
}

interface Props {
  readonly form: CodeForm;
  readonly onChange: (form: CodeForm) => void;
}

/** curl, or the language of a client library. */
export function CodeFormField({ form, onChange }: Props) {
  const words = useWords(uiWords);
  return (
    <SelectField
      label={words.codeForm}
      value={form.id}
      choices={CODE_FORMS.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => onChange(CODE_FORMS.find((each) => each.id === id) ?? form)}
    />
  );
}
