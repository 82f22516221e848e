import { Link } from '../../routing/link.tsx';
import { useWords } from '../../words/use-words.ts';
import { SignInView, signInPage } from '../sign-in-view.tsx';
import { appWords } from '../words.ts';

function CustomersSignIn({ next }: { next: string }) {
  const words = useWords(appWords);
  return (
    <SignInView lead={words.signInLead} next={next}>
      <p>
        <Link to="/reset">{words.forgot}</Link>
      </p>
    </SignInView>
  );
}

export const page = signInPage(CustomersSignIn);
