import { Stack } from '../ui/layout.tsx';
import { useWords } from '../words/use-words.ts';
import { FactorSetup } from './factor-setup.tsx';
import { factorWords } from './factor-words.ts';

/** Operators whom others could reach need a second factor: without one, they set it up as they sign in. */
export default function Enrol({ onDone }: { onDone: () => void }) {
  const words = useWords(factorWords);
  return (
    <Stack>
      <p>{words.enrol}</p>
      <div>
        <FactorSetup path="/operator/totp" kind="primary" onDone={onDone} />
      </div>
    </Stack>
  );
}
