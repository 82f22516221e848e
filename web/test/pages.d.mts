/** Ids that pages are visited with: of messages, of an endpoint and of one of its deliveries. */
export interface Known {
  readonly sent: string;
  readonly deferred: string;
  /** Of a template that was made of TEMPLATE. */
  readonly template: string;
  /** Of a domain whose records are not published. */
  readonly domain: string;
  /** An account. */
  readonly tenant: string;
  readonly webhook: string;
  readonly delivery: string;
  /** Of a mail in the test mailbox. */
  readonly mail: string;
  /** The path of a shared link, with its secret. */
  readonly share: string;
  /** The request of a registered program to a person, as a query. */
  readonly asks: string;
  /** A send that waits for a person. */
  readonly approval: string;
}

export interface VisitedPage {
  readonly name: string;
  /** As in routes.ts; empty: of no page. */
  readonly route: string;
  /** Seen without a session. */
  readonly open?: boolean;
  /** Pressed before the page is looked at: a selector. */
  readonly press?: string;
  /** Appears by it. */
  readonly shows?: string;
  path(known: Known): string;
}

export const PORTAL_PAGES: readonly VisitedPage[];
export const ADMIN_PAGES: readonly VisitedPage[];
export const PUBLIC_PAGES: readonly VisitedPage[];
export const SHARE: object;
export const TEMPLATE: { readonly created: object; readonly changed: object };
export const AGENT: {
  readonly mcpUrl: string;
  readonly metadata: object;
  readonly asks: Readonly<Record<string, string>>;
};
