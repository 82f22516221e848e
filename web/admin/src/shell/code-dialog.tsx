import { pageCalls } from '../../../shared/api/calls.ts';
import { CodeDialog } from '../../../shared/ui/code-dialog.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { codeWords } from './code-words.ts';
import { commandsOf } from './commands.ts';

/** The commands that do what this page did, each once. */
export default function AdminCode({ onClose }: { onClose: () => void }) {
  const words = useWords(codeWords);
  const commands = [...new Set(pageCalls.use().flatMap(commandsOf))];
  return (
    <CodeDialog
      hint={words.hint}
      none={words.none}
      shown={commands.map((code) => ({ title: code.split(/ (?:--|['"]|\d)/, 1)[0]!, code }))}
      onClose={onClose}
    />
  );
}
