import type { Member } from '../../../../shared/api/portal-types.ts';
import { RadioField } from '../../../../shared/ui/radio-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { peopleWords } from './words.ts';

const ROLES = ['viewer', 'developer', 'owner'] as const satisfies readonly Member['role'][];

interface RoleFieldProps {
  readonly value: Member['role'];
  readonly onChange: (role: Member['role']) => void;
}

/** From what may do least. */
export function RoleField({ value, onChange }: RoleFieldProps) {
  const words = useWords(peopleWords);
  const choices = ROLES.map((role) => ({
    value: role,
    label: words.roles[role],
    hint: words.roleTexts[role],
  }));
  return <RadioField label={words.role} value={value} choices={choices} onChange={onChange} />;
}
