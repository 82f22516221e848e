// Every page of both applications and those beside them, for the tests that visit all of them and for the
// screenshots: a name, the path of routes.ts, and an address made of what the demo data hold. `open`: seen
// without a session; `press`: what is pressed first, and `shows`: what appears by it.

/** An id that nothing has. */
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

/** @type {readonly import('./pages.d.mts').VisitedPage[]} */
export const PORTAL_PAGES = [
  { name: 'sign-in', route: '/sign-in', open: true, path: () => '/sign-in' },
  { name: 'link', route: '/link', open: true, path: () => '/link#a-secret' },
  { name: 'reset', route: '/reset', open: true, path: () => '/reset' },
  { name: 'refuse', route: '/refuse', open: true, path: () => '/refuse#a-secret' },
  { name: 'password', route: '/password', open: true, path: () => '/password#a-secret' },
  { name: 'home', route: '/', path: () => '/' },
  { name: 'messages', route: '/messages', path: () => '/messages' },
  { name: 'messages-nothing', route: '/messages', path: () => '/messages?q=nothing-like-this' },
  {
    name: 'messages-narrowed',
    route: '/messages',
    path: () => '/messages?status=sent&seal=sealed&acknowledgement=requested&days=7',
  },
  {
    name: 'messages-case',
    route: '/messages',
    path: () => '/messages?seal=sealed',
    press: 'button:has-text("Case file"), button:has-text("Expediente")',
    shows: 'section[aria-label="Messages of the case file"], section[aria-label="Mensajes del expediente"]',
  },
  { name: 'message-timeline', route: '/messages/$id', path: ({ deferred }) => `/messages/${deferred}` },
  {
    name: 'message-conversation',
    route: '/messages/$id/$tab',
    path: ({ deferred }) => `/messages/${deferred}/conversation`,
  },
  { name: 'message-content', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/content` },
  { name: 'message-evidence', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/evidence` },
  { name: 'message-json', route: '/messages/$id/$tab', path: ({ sent }) => `/messages/${sent}/json` },
  { name: 'message-unknown', route: '/messages/$id', path: () => `/messages/${UNKNOWN_ID}` },
  { name: 'approvals', route: '/approvals', path: () => '/approvals' },
  { name: 'approval', route: '/approvals/$id', path: ({ approval }) => `/approvals/${approval}` },
  { name: 'approval-unknown', route: '/approvals/$id', path: () => `/approvals/${UNKNOWN_ID}` },
  { name: 'live', route: '/live', path: () => '/live' },
  {
    name: 'live-nothing',
    route: '/live',
    path: () => '/live?address=nobody@example.com&type=email.bounced&status=sent&tag=A-1042',
  },
  { name: 'recipient', route: '/recipient', path: () => '/recipient?address=bounced%2B1@sandbox.test' },
  { name: 'recipient-nobody', route: '/recipient', path: () => '/recipient?address=nobody@example.com' },
  { name: 'recipient-ask', route: '/recipient', path: () => '/recipient' },
  { name: 'verify', route: '/verify', path: ({ sent }) => `/verify?message_id=${sent}` },
  { name: 'verify-log', route: '/verify/log', path: () => '/verify/log' },
  {
    name: 'verify-log-nothing',
    route: '/verify/log',
    path: () => '/verify/log?message_id=nothing-like-this',
  },
  { name: 'verify-operator', route: '/verify/operator', path: () => '/verify/operator' },
  { name: 'domains', route: '/domains', path: () => '/domains' },
  { name: 'domains-nothing', route: '/domains', path: () => '/domains?status=failing' },
  { name: 'domain', route: '/domains/$id', path: ({ domain }) => `/domains/${domain}` },
  { name: 'senders', route: '/senders', path: () => '/senders' },
  {
    name: 'senders-nothing',
    route: '/senders',
    path: ({ domain }) => `/senders?domain_id=${domain}&active=false`,
  },
  { name: 'suppressions', route: '/suppressions', path: () => '/suppressions' },
  {
    name: 'suppressions-nothing',
    route: '/suppressions',
    path: () => '/suppressions?address=nobody@example.com',
  },
  { name: 'templates', route: '/templates', path: () => '/templates' },
  { name: 'template-new', route: '/templates/new', path: () => '/templates/new' },
  { name: 'template', route: '/templates/$id', path: ({ template }) => `/templates/${template}` },
  {
    name: 'template-text',
    route: '/templates/$id',
    path: ({ template }) => `/templates/${template}?part=text&language=en`,
  },
  {
    name: 'template-versions',
    route: '/templates/$id',
    path: ({ template }) => `/templates/${template}?tab=versions`,
  },
  { name: 'template-use', route: '/templates/$id', path: ({ template }) => `/templates/${template}?tab=use` },
  { name: 'webhooks', route: '/webhooks', path: () => '/webhooks' },
  { name: 'webhook-deliveries', route: '/webhooks/$id', path: ({ webhook }) => `/webhooks/${webhook}` },
  {
    name: 'webhook-nothing',
    route: '/webhooks/$id/$tab',
    path: ({ webhook }) => `/webhooks/${webhook}/deliveries?type=email.complained&status=failed`,
  },
  {
    name: 'webhook-delivery',
    route: '/webhooks/$id/$tab/$delivery',
    path: ({ webhook, delivery }) => `/webhooks/${webhook}/deliveries/${delivery}`,
  },
  { name: 'webhook-test', route: '/webhooks/$id/$tab', path: ({ webhook }) => `/webhooks/${webhook}/test` },
  {
    name: 'webhook-settings',
    route: '/webhooks/$id/$tab',
    path: ({ webhook }) => `/webhooks/${webhook}/settings`,
  },
  { name: 'mailbox', route: '/mailbox', path: () => '/mailbox' },
  { name: 'keys', route: '/keys', path: () => '/keys' },
  { name: 'connect', route: '/connect', path: ({ asks }) => `/connect?${asks}` },
  { name: 'connect-problem', route: '/connect', path: ({ asks }) => `/connect?${asks}&scope=none` },
  { name: 'connect-unknown', route: '/connect', path: () => '/connect?client_id=nobody' },
  { name: 'rates', route: '/rates', path: () => '/rates' },
  { name: 'rates-hours', route: '/rates', path: () => '/rates?days=24h&destination=sandbox.test' },
  {
    name: 'rates-nothing',
    route: '/rates',
    path: () => '/rates?created_after=2026-01-05T09:00:00Z&created_before=2026-01-05T11:00:00Z&tag=A-1042',
  },
  { name: 'usage', route: '/usage', path: () => '/usage' },
  { name: 'people', route: '/people', path: () => '/people' },
  { name: 'audit', route: '/audit', path: () => '/audit' },
  { name: 'audit-nothing', route: '/audit', path: () => '/audit?target=nobody@example.com' },
  { name: 'account', route: '/account', path: () => '/account' },
  { name: 'you', route: '/you', path: () => '/you' },
  { name: 'missing', route: '', path: () => '/no/such/page' },
];

/** @type {typeof PORTAL_PAGES} */
export const ADMIN_PAGES = [
  { name: 'admin-sign-in', route: '/sign-in', open: true, path: () => '/sign-in' },
  { name: 'admin-link', route: '/link', open: true, path: () => '/link#a-secret' },
  { name: 'admin-password', route: '/password', open: true, path: () => '/password#a-secret' },
  { name: 'admin-overview', route: '/', path: () => '/' },
  { name: 'admin-queue', route: '/queue', path: () => '/queue' },
  { name: 'admin-messages', route: '/messages', path: () => '/messages?q=sandbox.test' },
  { name: 'admin-messages-ask', route: '/messages', path: () => '/messages' },
  { name: 'admin-messages-nothing', route: '/messages', path: () => '/messages?q=nothing-like-this' },
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
  { name: 'admin-suppressions', route: '/suppressions', path: () => '/suppressions' },
  { name: 'admin-role-mail', route: '/role-mail', path: () => '/role-mail' },
  { name: 'admin-you', route: '/you', path: () => '/you' },
  { name: 'admin-retention', route: '/retention', path: () => '/retention' },
  {
    name: 'admin-queue-destination',
    route: '/queue',
    path: () => '/queue?destination=sandbox.test',
  },
  { name: 'admin-queue-nothing', route: '/queue', path: () => '/queue?destination=nothing.example' },
  { name: 'admin-accounts', route: '/tenants', path: () => '/tenants' },
  { name: 'admin-accounts-nothing', route: '/tenants', path: () => '/tenants?q=nothing-like-this' },
  { name: 'admin-account', route: '/tenants/$id', path: ({ tenant }) => `/tenants/${tenant}` },
  ...['people', 'domains', 'keys', 'webhooks', 'rates', 'queue', 'audit'].map((tab) => ({
    name: `admin-account-${tab}`,
    route: '/tenants/$id/$tab',
    path: (/** @type {Known} */ { tenant }) => `/tenants/${tenant}/${tab}`,
  })),
  { name: 'admin-account-unknown', route: '/tenants/$id', path: () => `/tenants/${UNKNOWN_ID}` },
  { name: 'admin-billing', route: '/billing', path: () => '/billing' },
  { name: 'admin-operators', route: '/operators', path: () => '/operators' },
  { name: 'admin-audit', route: '/audit', path: () => '/audit' },
  { name: 'admin-audit-nothing', route: '/audit', path: () => '/audit?action=self.renew_recovery_codes' },
  { name: 'admin-configuration', route: '/configuration', path: () => '/configuration' },
];

/**
 * Pages that are none of an application's, below the server's address. Those that are not `open` are for
 * somebody who is signed in to the portal.
 * @type {typeof PORTAL_PAGES}
 */
export const PUBLIC_PAGES = [
  { name: 'docs', route: '', open: true, path: () => '/docs' },
  { name: 'docs-es', route: '', open: true, path: () => '/docs/es' },
  { name: 'docs-errors', route: '', open: true, path: () => '/docs/errors' },
  { name: 'docs-operation', route: '', open: true, path: () => '/docs/api/messages' },
  { name: 'verify-page', route: '', open: true, path: () => '/verify' },
  { name: 'prove', route: '', open: true, path: ({ share }) => share },
  {
    name: 'prove-opened',
    route: '',
    open: true,
    path: ({ share }) => share,
    press: 'main button',
    shows: '#download',
  },
  { name: 'prove-wrong', route: '', open: true, path: () => '/prove/nothing#wrong' },
  { name: 'mailbox-page', route: '', path: () => '/sandbox/mailbox' },
  { name: 'mailbox-mail', route: '', path: ({ mail }) => `/sandbox/mailbox/${mail}` },
  { name: 'mailbox-key', route: '', open: true, path: () => '/sandbox/mailbox' },
];

/** Shared by the link of a shows, and until when. */
export const SHARE = {
  expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  disclose: { message: true, parts: [], delivery: true },
  note: 'Notaría 12',
};

/** A template for those pages: what makes it, and what changes it once. */
export const TEMPLATE = {
  created: {
    name: 'factura',
    subject: 'Factura {{ numero }}',
    html: `<h1>Factura {{ numero }}</h1>
<p>Hola {{ cliente.nombre }}:</p>
<table>
{% for item in conceptos %}
  <tr><td>{{ item.nombre }}</td><td>{{ item.importe }}</td></tr>
{% endfor %}
</table>
<p><b>Total: {{ total }}</b></p>
`,
    text: 'Hola {{ cliente.nombre }}:\nsu factura {{ numero }} es por {{ total }}.\n',
    variants: { en: { subject: 'Invoice {{ numero }}', text: 'Your invoice {{ numero }}: {{ total }}.\n' } },
  },
  changed: {
    subject: 'Factura {{ numero }}: {{ total }}',
    text: 'Estimada {{ cliente.nombre }}:\nsu factura {{ numero }} es por {{ total }}.\nGracias.\n',
  },
};

/** The installation's MCP server, a program that registers to use it, and its request without the id. */
export const AGENT = {
  mcpUrl: 'https://mcp.example.com/mcp',
  metadata: { client_name: 'Claude', redirect_uris: ['http://localhost:33418/callback'] },
  asks: {
    redirect_uri: 'http://localhost:33418/callback',
    response_type: 'code',
    state: 'of the program',
    resource: 'https://mcp.example.com/mcp',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
};
