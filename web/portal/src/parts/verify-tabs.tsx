import { Tabs } from '../../../shared/ui/tabs.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { verifyTabsWords } from './verify-tabs-words.ts';

/** The pages of verification. */
export function VerifyTabs({ current }: { current: 'verify' | 'log' | 'operator' }) {
  const words = useWords(verifyTabsWords);
  return (
    <Tabs
      current={current}
      label={words.label}
      tabs={[
        { id: 'verify', label: words.verify, to: '/verify' },
        { id: 'log', label: words.log, to: '/verify/log' },
        { id: 'operator', label: words.operator, to: '/verify/operator' },
      ]}
    />
  );
}
