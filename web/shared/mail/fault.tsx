import { Said } from '../ui/said.tsx';
import { useWords } from '../words/use-words.ts';
import { faultOf, faultWords } from './fault-words.ts';

/** A code of Node's or OpenSSL's, wherever it stands in a text. */
const CODE = /\b[A-Z][A-Z0-9_]{3,}\b/g;

/** Why a connection failed: in words, with the code to search for. `code`: where it stands apart. */
export function Fault({ text, code }: { text: string; code?: string }) {
  const { faults } = useWords(faultWords);
  for (const each of [...(code === undefined ? [] : [code]), ...(text.match(CODE) ?? [])]) {
    const known = faultOf(each);
    if (known !== undefined)
      return (
        <>
          {faults[known]} (<code>{each}</code>)
        </>
      );
  }
  return <Said text={text} />;
}

/** The step of a conversation: its command, or words where it has none. */
export function Stage({ stage }: { stage: string }) {
  const { stages } = useWords(faultWords);
  return Object.hasOwn(stages, stage) ? (
    stages[stage as keyof typeof stages]
  ) : (
    <code>{stage.toUpperCase()}</code>
  );
}
