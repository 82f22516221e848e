import { Link as RouterLink, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { parseSearchText } from './search.ts';

/** A link to a page by its address below the application: `/messages?status=bounced`. */
export interface LinkProps {
  readonly to: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
  /** Its own page counts as current only when the address is exactly this. */
  readonly exact?: boolean;
  readonly replace?: boolean;
  readonly current?: boolean;
  readonly onClick?: () => void;
}

export function Link({ to, exact = false, current, children, ...rest }: LinkProps) {
  return (
    <RouterLink
      {...targetOf(to)}
      // Said by `current`, the router has no say, unless the address is this to the letter.
      activeOptions={current === undefined ? { exact, includeSearch: false } : { exact: true }}
      {...(current !== undefined && { 'aria-current': current ? ('page' as const) : undefined })}
      {...rest}
    >
      {children}
    </RouterLink>
  );
}

/** Goes to an address below the application. */
export function useGo(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  return (to, { replace = false } = {}) => void navigate({ ...targetOf(to), replace });
}

function targetOf(to: string) {
  const { pathname, search, hash } = new URL(to, 'http://page.invalid');
  return { to: pathname, search: parseSearchText(search), hash: hash.slice(1) } as {
    to: string;
    search: never;
    hash: string;
  };
}
