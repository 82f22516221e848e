// Every page of both applications, for the tests that visit all of them and for the screenshots: a name, the
// path of routes.ts, and an address made of what the demo data hold. `open`: seen without a session.

/**
 * @typedef {{ sent: string, deferred: string }} Known ids of messages
 * @type {readonly { name: string, route: string, open?: boolean, path: (known: Known) => string }[]}
 */
export const PORTAL_PAGES = [
  { name: 'sign-in', route: '/sign-in', open: true, path: () => '/sign-in' },
  { name: 'link', route: '/link', open: true, path: () => '/link#a-secret' },
  { name: 'reset', route: '/reset', open: true, path: () => '/reset' },
  { name: 'password', route: '/password', open: true, path: () => '/password#a-secret' },
  { name: 'home', route: '/', path: () => '/' },
  { name: 'messages', route: '/messages', path: () => '/messages' },
  { name: 'messages-nothing', route: '/messages', path: () => '/messages?q=nothing-like-this' },
  { name: 'message-timeline', route: '/messages/$id', path: ({ deferred }) => `/messages/${deferred}` },
  {
    name: 'message-conversation',
    route: '/messages/$id/$tab',
    path: ({ deferred }) => `/messages/${deferred}/conversation`,
  },
  { name: 'message-content', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/content` },
  { name: 'message-evidence', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/evidence` },
  { name: 'message-json', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/json` },
  { name: 'verify', route: '/verify', path: ({ sent }) => `/verify?message_id=${sent}` },
  { name: 'verify-log', route: '/verify/log', path: () => '/verify/log' },
  {
    name: 'verify-log-nothing',
    route: '/verify/log',
    path: () => '/verify/log?message_id=nothing-like-this',
  },
  { name: 'keys', route: '/keys', path: () => '/keys' },
  { name: 'rates', route: '/rates', path: () => '/rates' },
  { name: 'usage', route: '/usage', path: () => '/usage' },
  { name: 'people', route: '/people', path: () => '/people' },
  { name: 'missing', route: '', path: () => '/no/such/page' },
];

/** @type {typeof PORTAL_PAGES} */
export const ADMIN_PAGES = [
  { name: 'admin-sign-in', route: '/sign-in', open: true, path: () => '/sign-in' },
  { name: 'admin-link', route: '/link', open: true, path: () => '/link#a-secret' },
  { name: 'admin-password', route: '/password', open: true, path: () => '/password#a-secret' },
  { name: 'admin-overview', route: '/', path: () => '/' },
  { name: 'admin-queue', route: '/queue', path: () => '/queue' },
  { name: 'admin-message', route: '/messages/$id', path: ({ deferred }) => `/messages/${deferred}` },
  {
    name: 'admin-message-erase',
    route: '/messages/$id',
    path: ({ sent }) => `/messages/${sent}?do=erase`,
  },
  { name: 'admin-sealing', route: '/sealing', path: () => '/sealing' },
  { name: 'admin-sealing-batches', route: '/sealing/$tab', path: () => '/sealing/batches' },
  { name: 'admin-sealing-checks', route: '/sealing/$tab', path: () => '/sealing/checks' },
  { name: 'admin-sealing-costs', route: '/sealing/$tab', path: () => '/sealing/costs' },
  { name: 'admin-queue-nothing', route: '/queue', path: () => '/queue?destination=nothing.example' },
];
