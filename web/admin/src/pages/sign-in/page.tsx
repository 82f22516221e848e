import { SignInView, signInPage } from '../../../../shared/app/sign-in-view.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { signInWords } from './words.ts';

function OperatorsSignIn({ next }: { next: string }) {
  const words = useWords(signInWords);
  return (
    <SignInView lead={words.lead} next={next}>
      <details>
        <summary>{words.forgot}</summary>
        <p>{words.help}</p>
        <code>{words.command}</code>
      </details>
    </SignInView>
  );
}

export const page = signInPage(OperatorsSignIn);
