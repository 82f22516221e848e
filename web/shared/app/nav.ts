import type { Icon } from '../ui/button.tsx';

/** A page in the navigation, and in the search. */
export interface NavItem {
  readonly to: string;
  readonly label: string;
  readonly icon: Icon;
  /** `g` and then this letter leads here. */
  readonly key?: string;
  /** How many things there wait for the person. */
  readonly waiting?: number;
  /** Reached by a menu: only the search lists it. */
  readonly aside?: boolean;
}

export interface NavGroup {
  readonly title?: string;
  readonly items: readonly NavItem[];
}

/** A thing that the search found. */
export interface Finding {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly to: string;
}

export interface Findings {
  readonly found: readonly Finding[];
  /** Why it found nothing, or not more. */
  readonly note: string | null;
}
