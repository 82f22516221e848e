import {
  DELETED_ELSEWHERE,
  DENIED_ELSEWHERE,
  NO_OWNER_ELSEWHERE,
  PASSING_ELSEWHERE,
  RECIPIENT_RULES_ELSEWHERE,
} from './other-languages.ts';
import {
  ABSENT,
  anyOf,
  CLOSED,
  FULL,
  MAILBOX,
  NOT_FOUND_ELSEWHERE,
  NOT_THERE,
  NOT_THERE_ELSEWHERE,
  near,
} from './phrases.ts';
import type { TextRule } from './text-rules.ts';

const HOST = String.raw`\b(?:host|domain|domain name|host ?name|mail ?server)s?\b`;
const UNABLE = `(?:could not|cannot|can't|couldn't|unable to|failed to|wasn't able to|not able to|did not|doesn't|does not)`;

/** The mailbox is there and takes no more for now. */
export const MAILBOX_FULL_RULES: readonly TextRule[] = [
  {
    reason: 'mailbox_full',
    phrases: [
      near(
        String.raw`\b(?:mail ?box|inbox|mail ?dir|account|mail ?folder|mail ?drop|users?|user's|recipient|bo[iî]te|buz[oó]n|casilla|postfach|caixa|casella|cuenta|conta|compte|konto|destinatari[oa])(?:'s)?\b|<addr>`,
        FULL,
      ),
      anyOf(
        String.raw`\bover ?-?quota|\bquota (?:is |has been |would be |usage )?(?:exceed|full|violat|reach|over|used)|exceed(?:s|ed|ing)? .{0,30}(?:quota|storage alloc)|quota.{0,12}exceeded|\bdis[kc] ?quota`,
        String.raw`\bfull mail ?box|storage (?:allocation|limit|quota|full)|(?:over|exceeds?) the (?:allowed |maximum )?(?:quota|storage)|maximum allowed storage|too much mail`,
        `(?:not|n't) (?:have )?enough (?:storage )?(?:space|room)|storage space in`,
      ),
    ],
  },
];

/** The mailbox is there and will be open again. */
export const CLOSED_FOR_NOW_RULES: readonly TextRule[] = [
  {
    reason: 'mailbox_busy',
    phrases: [
      near(String.raw`\btemporar(?:y|ily)\b`, CLOSED, 10),
      near(CLOSED, String.raw`\btemporarily\b`, 10),
      /\blocked by (?:another|a|other)\b/,
    ],
  },
];

/** About the recipient or the way there: used where the code leaves the reason open. First match wins. */
export const RECIPIENT_RULES: readonly TextRule[] = [
  { reason: 'system_full', phrases: [/mailbox unavailable \(not enough free space\)/] },
  {
    reason: 'message_too_large',
    phrases: [
      near(
        String.raw`\b(?:message|mail|e-?mail|size|data|attachments?|file|body|content|header)s?\b`,
        String.raw`too (?:big|large)|is too long|\bmaximum (?:fixed |message |permitted |allowed )?(?:message )?size|over ?-?size|bigger than|(?:message|databytes|system|administrative|permitted) (?:size )?limit`,
        30,
      ),
      anyOf(
        String.raw`\b(?:message|e?-?mail|data|file|attachment|header) ?(?:size|length)\b.{0,20}(?:limit|exceed|max|too)|max(?:imum)? (?:inbound |outbound )?(?:message|e?-?mail|file|allowed|permitted|attachment|data) ?-?size|(?:^|\. )size limit`,
        String.raw`\bsize of (?:the |this |your )?(?:message|mail)|too (?:large|big) (?:message|mail|file)|resolver\.rst\.(?:sendsize|recipsize)|message (?:length )?exceeds`,
      ),
    ],
  },
  ...MAILBOX_FULL_RULES,
  ...RECIPIENT_RULES_ELSEWHERE,
  {
    reason: 'domain_refuses_mail',
    phrases: [
      // A null MX, in Exim’s words.
      /\bmx or srv record indicated no smtp service/,
      /\bnull ?mx\b|system not accepting (?:network )?messages/,
      near(
        String.raw`\b(?:host|domain|server|system|site|machine)\b`,
        `(?:does(?: not|n'?t)|do not|don't|never|will not) (?:accept|receiv|handl)(?:s|e|ing)? (?:any )?(?:e-?mail|mail|network messages|incoming)|(?:accept|receive|take)s no (?:e-?)?mail\\b`,
        60,
      ),
      near(
        String.raw`\b(?:smtp|mail|e-?mail) (?:service|reception|delivery|is)?`,
        `disabled here|not (?:enabled|provided) (?:here|at|on)`,
        20,
      ),
    ],
  },
  // The DNS may answer otherwise in a moment.
  {
    reason: 'dns_failure',
    phrases: [
      /\bnot found, (?:please )?try again/,
      // The DNS server's answer as Postfix quotes it.
      near(
        'name service error for',
        ': (?:malformed|unexpected|server fail|format|refused|not impl|timed|temporar)',
        80,
      ),
    ],
  },
  {
    reason: 'domain_unknown',
    phrases: [
      near(
        HOST,
        String.raw`\bunknown|(?:\bnot|n't|\bdoesnt|\bnever) (?:be |been )?(?:found|known|exist|resolve|registered|reachable|located)|must exist|(?:isn't|is not) valid|non-?exist`,
        60,
      ),
      anyOf(
        String.raw`\b(?:unknown|no such|invalid|illegal|bad|non-?existent|nonexistent|unresolvable|unroutable|unrouteable) (?:destination )?(?:host|domain|mail domain|system|hostname|host\/domain)|\bnxdomain\b`,
        `\\b(?:no|without) (?:valid |usable |known )?(?:(?:mx|mail exchangers?|mail ?(?:servers?|hosts?))\\b|(?:a|address) (?:records?\\b|(?:or|nor|and) (?:mx|a|aaaa|address)\\b))|${UNABLE} find (?:an?|any) (?:mail exchanger|mx|mail host|host)\\b|bad destination (?:system|host|domain)|unroute?able (?:mail |destination )?(?:address|domain)|no route (?:found )?to (?:the )?domain|all (?:relevant mx|host address) (?:records|lookups)|name or service not known|no address associated|all mx records point|\\bdomain (?:name )?(?:\\S+ )?(?:has|is) expired`,
      ),
    ],
  },
  {
    reason: 'mailbox_moved',
    phrases: [
      near(
        String.raw`\b(?:user|recipient|mailbox|account|address|person|employee)s?\b|<addr>`,
        String.raw`\b(?:has |have |was )(?:moved|relocated|been (?:replaced|renamed|moved)|changed (?:his|her|their|its) (?:e-?mail|address))|\bmoved\b(?! temporarily)`,
      ),
      /no longer (?:with|at|works|employed|an employee|on (?:this|the|our|server|system))|has left (?:the |our |us\b|this )|new (?:e-?mail )?address (?:is|:)|address (?:has )?(?:been )?changed|user has moved/,
      near('please (?:use|try|send|re-?send)', 'instead|new address'),
    ],
  },
  ...CLOSED_FOR_NOW_RULES,
  {
    reason: 'mailbox_unknown',
    phrases: [
      near(
        MAILBOX,
        String.raw`\b(?:unknown|invalid|non-?existent|not exist|not found),? or (?:(?:is|has been) )?${CLOSED}`,
        20,
      ),
    ],
  },
  {
    reason: 'mailbox_disabled',
    phrases: [
      near(MAILBOX, CLOSED, 50),
      DELETED_ELSEWHERE,
      anyOf(
        String.raw`\b(?:account|mail ?box|user) (?:is |has |was )?(?:been )?expired`,
        String.raw`\b(?:account|mail ?box|user|recipient|address)\b.{0,30}\b(?:has|have|was|is) (?:been )?(?:[a-z]{2,12}ly )?(?:deleted|removed|retired)\b`,
        `(?:disabled|suspended|inactive|deactivated|expired|locked|closed|frozen|terminated|dormant) (?:user|account|mail ?box|recipient|address)|disabled due to inactivity`,
      ),
    ],
  },
  {
    reason: 'mailbox_unknown',
    explicit: true,
    phrases: [
      near(MAILBOX, NOT_THERE, 60),
      near('\\bdestination (?:address|mail ?box)', NOT_THERE, 60),
      near(
        '\\b(?:user|account|person)\\b',
        `do(?:es)?(?: not|n'?t) have an? .{0,40}(?:account|mail ?box|inbox)`,
      ),
      anyOf(
        `no (?:mail ?box|account) (?:here )?(?:by|with|for|under) (?:that|this) name|we do(?: not|n't) have (?:a |an |any )?(?:mail ?box|user|account)|not (?:listed|found|present) in .{0,30}(?:directory|address book|name list)|no match(?:es)? (?:was |were )?found in .{0,30}(?:director|address|users|recipients)|there is no <addr>|${UNABLE} find any(?:one|body)\\b|do(?: not|n't) know any(?:one|body)\\b|\\bno .{1,40} in name directory|matches to name ?server query`,
        String.raw`recipnotfound|adr\.recip|recipient name is not recogni[sz]ed|recipient address(?:es)? rejected ?: access denied|requested action not taken: (?:mailbox unavailable|no such user)|no one at this address|\bnobody (?:here|at|by|with|of|under)\b|no record of (?:that|this|the|such)|unable to (?:validate|verify) (?:the )?(?:recipient|address)|mail ?box name (?:is )?not allowed|^(?:address )?no longer in use|\bno longer accept(?:s|ing) (?:any )?(?:e-?)?mail|not our customer|recipient verif(?:y|ication) failed|not an? (?:valid|known|active) (?:user|mail ?box|address|recipient)`,
        NOT_THERE_ELSEWHERE,
      ),
    ],
  },
  {
    reason: 'mailbox_unknown',
    phrases: [
      near(MAILBOX, ABSENT),
      near('\\b(?:unknown|invalid|no (?:such|valid|known)|non-?existent)', MAILBOX, 16),
      near(NOT_FOUND_ELSEWHERE, MAILBOX, 20),
      NO_OWNER_ELSEWHERE,
      anyOf(
        String.raw`\b(?:unknown|no such|invalid|bad|non-?existent|nonexistent|nonexisting|incorrect|unrecogni[sz]ed|undefined|unregistered|undeliverable|illegal|wrong|archived|unlisted)[ -](?:or (?:illegal|unknown|invalid|inactive|disabled|unrouteable) )?(?:virtual |e-?mail |mail |local |destination |mail ?box |recipient |smtp |to ){0,4}(?:user|users?name|recipients?|mail ?box|account|address(?:es)?|addressee|alias|rcpt|local|person|name|e-?mail|destination|login|id)\b`,
        String.raw`\bno (?:valid )?(?:mail ?box|mail box|account|user|recipients?|one|person|alias)\b(?! (?:full|over))|\bno such .{0,20}(?:user|address|mail ?box|mail ?drop|person|account|here)|(?:not|no match) (?:found|listed|present) in .{0,30}(?:address|book|database|table|map|ldap|directory)|never existed|badrcptto|\b(?:userunknown|unknownuser|usernotfound|invalidrecipient)\b|missing home directory|account unavailable`,
        String.raw`\brecipients? (?:address )?(?:cannot|could not|can't|couldn't) be verified|\bunbekannte[rs]? (?:benutzer|nutzer|empf|adress|postfach|mail)`,
        `(?:do not|don't|does not|doesn't|no longer) (?:handle|accept|receive|take|deliver) (?:any )?(?:e-?mail|mail|messages) (?:for|to) (?:that|this|the) (?:user|recipient|mail ?box|address|account)`,
        String.raw`unable to find (?:user|recipient|mail|alias|account|address)|(?:can't|cannot) accept user|rejected recipients?\b|recipients? was undeliverable`,
      ),
    ],
  },
  {
    reason: 'routing_loop',
    phrases: [
      anyOf(
        String.raw`too many (?:hops|received|redirect)|loop alert|duplicated? message-id|\b(?:mail|routing|forwarding|delivery|message|bounce|e-?mail) ?-?loop|loop(?:s|ing)? (?:back|detected|to myself|found|count)|hop ?-?count|probable loop|message looping`,
      ),
    ],
  },
  {
    reason: 'dns_failure',
    phrases: [
      anyOf(
        String.raw`(?:malformed|unexpected) .{0,20}name server reply|\bdns (?:error|fail|lookup|server|timeout|query|soft|problem|records?)|\bname ?-?server|(?:host ?name|host|domain|name|mx|cname|address) lookup (?:fail|error|time|did not|problem)|lookup (?:failure|failed|timed)`,
        `(?:cannot|could not|unable to|failed to) (?:resolve|look ?up)|name resolution|resolution (?:fail|error)|query (?:failed|refused)`,
      ),
    ],
  },
  {
    reason: 'mailer_error',
    phrases: [
      anyOf(
        String.raw`unknown mailer error|mailer (?:error|returned|died|exited)|(?:pipe|piped) to \||\|\/|command (?:failed|died|exited|output|line|time ?limit|terminated)|exit(?:ed)? (?:with )?(?:status|code)|procmail|maildrop|vacation:|failed to (?:execute|exec|read response template)|exited (?:abnormally|unexpectedly)|child (?:status|process|died)|delivery agent|\bx-unix|local delivery failed|sieve`,
      ),
    ],
  },
  {
    reason: 'system_full',
    phrases: [
      near(
        String.raw`\b(?:disk|file ?system|spool|queue|storage|server|volume|partition|mail system)\b`,
        String.raw`\bfull\b|no space`,
        20,
      ),
      /no space left|insufficient (?:system |disk |free )?(?:storage|space|resources|disk)|out of (?:disk|memory|space)|not enough (?:disk|free|memory|system)|low on (?:disk|space)/,
    ],
  },
  {
    reason: 'system_error',
    phrases: [
      near(
        String.raw`\b(?:internal|system|configuration|software|resource|processing|database|db|ldap|directory|mail system|spool|lock|queue file|write)\b`,
        String.raw`\b(?:error|fail|problem|unreachable|trouble)`,
        20,
      ),
      anyOf(
        String.raw`\bldap\b|misconfigur|configured incorrectly|alias(?:ing)?(?:\/forwarding)? loop|interrupted system call|out of memory|(?:local|server|encountered an) error|while being processed|timeout waiting for`,
        `(?:can't|cannot|could not|unable to|failed to) (?:create|write|read|lock|fork|access|chdir|append|save|store|process|obtain|stat|load)`,
      ),
    ],
  },
  {
    reason: 'host_unreachable',
    phrases: [
      anyOf(
        String.raw`connection (?:was |has been |attempt )?(?:refused|timed? ?-?out|reset|closed|lost|dropped|failure|failed|broken|aborted|unexpectedly|could not|cannot|died)|no route to host|network (?:is )?(?:unreachable|error|problem)|socket error|broken pipe|lost connection|no answer|bad connection|i\/o error|remote (?:protocol )?error`,
        `${UNABLE} (?:connect|establish|contact|find a gateway|open|respond|reach (?:the |any |remote )?(?:host|server|mx|mail|system|smtp)|accept our requests?|make (?:a |an )?(?:smtp )?connection)`,
        String.raw`\b(?:conversation|connect|operation|smtp|session|socket|banner|greeting|server|user open|host)\b.{0,20}\btim(?:ed?|ing) ?-?out`,
      ),
      near(
        String.raw`\b(?:host|server|system)\b`,
        String.raw`\b(?:unreachable|not reachable|down|not responding|no response)`,
        30,
      ),
    ],
  },
  {
    reason: 'expired',
    phrases: [
      near(
        String.raw`\b(?:delivery|message|envelope|queue|mail|retry|lifetime|transfer|time)\b`,
        String.raw`\bexpired|\btime-?out\b|\btimed out|expiration|not reached for any host|queue period`,
        30,
      ),
      anyOf(
        `queue.{0,20} too long|too long in .{0,20}queue|not reachable within|failing for a long time|unreachable for too long|queue (?:period|lifetime)|collected after`,
        String.raw`(?:could not|could not be|not been|cannot be|unable to be|not) (?:deliver|delivered|sent) (?:for|within|in|after) .{0,20}\d|(?:after|despite) (?:multiple|several|many|repeated|\d{1,6}) .{0,20}(?:retries|attempts|tries|hours|days)|after \d{1,6} tries|delivery failed \d+ attempts|lifetime (?:has )?(?:ended|exceeded|over|exhausted|passed)|(?:retention|retry) (?:time|period|limit)\b.{0,30}\b(?:passed|elapsed|ended|over|exceeded|reached)|(?:held|kept|remained|waited) in .{0,20}queue|\btried (?:to deliver .{0,20})?for \d|\ballotted time|(?:retries|attempts|tries) (?:were |have been |are )?exhausted`,
        String.raw`unable to deliver .{0,60}(?:in|after|within|for) \d|delivery (?:period|time) |undelivered (?:for|after)|maximum (?:retries|delivery time|queue)|exceeded .{0,20}(?:queue|retry|retries|delivery time)`,
      ),
    ],
  },
  {
    // Said with every failure that may pass.
    reason: 'system_error',
    phrases: [
      anyOf(
        String.raw`service .{0,20}(?:unavailable|not available|temporarily|refuse|shutting down|maintenance)|\b(?:server|system)\b .{0,20}(?:maintenance|shutdown|overload|busy|load|unavailable|down)|temporary .{0,20}(?:problem|failure|error)|requested action aborted|local problem|try (?:again|later)|temporar(?:y|ily)`,
      ),
      PASSING_ELSEWHERE,
    ],
  },
  {
    reason: 'tls_failure',
    phrases: [
      near(
        String.raw`\b(?:starttls|tls|ssl|handshake|certificate|cipher)\b`,
        `fail|error|not (?:available|trusted|valid|verified|supported)|unavailable|mismatch|expired|problem|untrusted|refused`,
      ),
    ],
  },
  {
    reason: 'content_unreadable',
    phrases: [
      /media (?:error|not supported|type)|unsupported (?:media|charset|encoding|content|format|mime)|conversion (?:required|failed|not|error|with)|smtputf8|non-ascii|\b8-?bit|improper (?:use|mime)|(?:could not|cannot) (?:be )?(?:parse|convert|decode)/,
      near(String.raw`\b(?:charset|encoding|transfer-encoding)\b`, 'not|unknown|unsupported|invalid', 20),
    ],
  },
  {
    reason: 'protocol_error',
    phrases: [
      /syntax (?:error|is|incorrect)|command (?:not |un)(?:recogni[sz]ed|implemented|known|allowed|understood|supported)|unrecogni[sz]ed (?:command|parameter)|unknown command|bad (?:sequence|command|argument)|(?:need|require|expect)(?:s|ed|ing)? (?:a |valid )?(?:helo|ehlo|mail|rcpt)|unsupported (?:command|parameter|option)|invalid (?:command|parameter|argument)|protocol error|improper command|non-?mail commands|polite people say helo/,
    ],
  },
  {
    reason: 'policy',
    phrases: [
      anyOf(
        String.raw`\bpolic(?:y|ies)\b|protocol violation|low priority|unauthori[sz]ed sender|administrative(?:ly)? (?:prohibit|reject|den)|transport ?rules?|security (?:policy|violation|reasons)|access denied|not authori[sz]ed|^(?:message |request )?denied\b|^message (?:is |was )?not (?:allowed|accepted)\b|administrator|unacceptable|rejected by (?:the )?(?:destination|remote|recipient'?s?) (?:domain|server|system|host)|\bblocked\b|\bbanned\b`,
        `(?:prohibited|not (?:allowed|permitted|authori[sz]ed)|forbidden|denied|rejected) (?:by|due to|per|because of|for) .{0,30}(?:admin|rule|filter|security|regul|reasons?|restriction|local)`,
        DENIED_ELSEWHERE,
      ),
    ],
  },
  {
    // Replies about a recipient without a reason: the recipient is the cause.
    reason: 'mailbox_unknown',
    phrases: [
      anyOf(
        String.raw`\b(?:recipient|destination|mail ?box|address)(?: address)?(?: (?:is|was|has been|currently|temporarily)){0,2} (?:rejected|unavailable|refused|not (?:available|accepted))|mail ?box .{0,20}(?:not available|unavailable)`,
        String.raw`\baccount (?:is )?(?:currently )?(?:not available|unavailable)|\bunavailable (?:mail )?(?:user|recipient|mail ?box|account)\b`,
      ),
    ],
  },
  // The frame of many a refusal: what it is said with counts first.
  { reason: 'system_error', phrases: [/\btransaction failed\b/] },
];

/** Words that say for certain that a mailbox does not exist or is closed. */
export const MAILBOX_STATEMENTS: readonly TextRule[] = [
  ...RECIPIENT_RULES.filter(({ reason, explicit }) => reason === 'mailbox_disabled' || explicit === true),
  {
    reason: 'mailbox_unknown',
    phrases: [
      near(MAILBOX, String.raw`\bunknown|\bnot (?:found|known|valid)\b|non-?existent|\binvalid\b`, 20),
      /\b(?:no such|unknown) (?:user|mail ?box|recipient|account|addressee)\b/,
    ],
  },
];
