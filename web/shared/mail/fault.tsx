import { Said } from '../ui/said.tsx';
import { useWords } from '../words/use-words.ts';
import { faultWords } from './fault-words.ts';

/** A code of Node's or OpenSSL's, wherever it stands in a text. */
const CODE = /\b[A-Z][A-Z0-9_]{3,}\b/g;

/** Why a connection failed: in words, with the code to search for. `code`: where it stands apart. */
export function Fault({ text, code }: { text: string; code?: string }) {
  const { faults } = useWords(faultWords);
  const known = (each: string): each is keyof typeof faults => Object.hasOwn(faults, each);
  const found = [...(code === undefined ? [] : [code]), ...(text.match(CODE) ?? [])].find(known);
  if (found === undefined) return <Said text={text} />;
  return (
    <>
      {faults[found]} (<code>{found}</code>)
    </>
  );
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
