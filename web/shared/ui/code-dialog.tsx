import { type ApiCall, pageCalls } from '../api/calls.ts';
import { toCurl } from '../api/curl.ts';
import { useWords } from '../words/use-words.ts';
import { Dialog } from './dialog.tsx';
import { CodeBlock, Stack } from './layout.tsx';
import { uiWords } from './words.ts';

interface Props {
  readonly isShown: (call: ApiCall) => boolean;
  readonly onClose: () => void;
}

/** The calls of this page as commands: what is on screen can be had by a program. */
export default function CodeDialog({ isShown, onClose }: Props) {
  const words = useWords(uiWords);
  const calls = pageCalls.use().filter(isShown);
  return (
    <Dialog title={words.code} wide onClose={onClose}>
      {calls.length === 0 ? (
        <p>{words.codeNone}</p>
      ) : (
        <Stack>
          <p>{words.codeHint}</p>
          {calls.map((call) => {
            const name = `${call.method} /v1${call.path.split('?', 1)[0]}`;
            const command = toCurl(location.origin, call);
            return <CodeBlock key={`${call.method} ${call.path}`} label={name} text={command} />;
          })}
        </Stack>
      )}
    </Dialog>
  );
}
