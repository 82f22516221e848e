import { createContext, type ReactNode } from 'react';

/** The heading above: what a part of the page that is slow to come is named by. Null: none is known. */
export const PartContext = createContext<ReactNode>(null);
