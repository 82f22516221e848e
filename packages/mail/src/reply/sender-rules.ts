import { SENDER_RULES_ELSEWHERE } from './other-languages.ts';
import { ABSENT, anyOf, CLOSED, MESSAGE, near, OUR_HOST, REFUSED, SENDER } from './phrases.ts';
import type { TextRule } from './text-rules.ts';

const BLOCKLISTS = `spamhaus|spamcop|sorbs|uceprotect|surbl|uribl|barracudacentral|cloudmark|abuseat|spamrats|invaluement|backscatterer|mailspike|abusix|dnswl|dsbl`;
const COUNTED = `connections?|messages?|recipients?|mails?|e-?mails?|sessions?|errors?|attempts?|transactions?|requests?|bounces?|rcpts?|commands?|complaints?`;

/**
 * About the sender, the session or the message: what these say outweighs a code, so that a blocklist entry
 * that a server announces as 5.1.1 is not taken for a bad address. First match wins.
 */
export const SENDER_RULES: readonly TextRule[] = [
  {
    reason: 'authentication',
    phrases: [
      anyOf(
        String.raw`\bdmarc\b|\bspf\b|\bopenspf|\bdkim\b|\bdomainkeys?\b|\barc (?:seal|validation)|sender policy framework`,
        String.raw`\bunauthenticated (?:e-?mail|mail|message|sender)|(?:e-?mail|message|mail) is (?:not |un)authenticated|fails? authentication`,
      ),
      near('\\b(?:pass|fails?|failed)\\b', 'authentication (?:check|test)'),
      near('sender ?-?id\\b', 'fail|not|deny'),
    ],
  },
  {
    reason: 'reverse_dns',
    phrases: [
      anyOf(
        String.raw`\breverse ?-?(?:dns|host|name|lookup|mapping|record|address|resolution|entry|pointer)|\bpointer record|\brdns\b|\bfcrdns\b|\bptr\b|forward.confirmed`,
        `(?:cannot|can't|could not|unable to) (?:find|resolve|look up) your (?:reverse )?(?:host ?name|address|ip)`,
        String.raw`\bips?(?: address)? must (?:resolve|have)\b`,
        `ip name lookup failed|unresolvable relay|hostname lookup .{0,20}fail`,
        `(?:no|without|missing|invalid) (?:a )?(?:valid )?(?:hostname|dns name|dns entry|dns record) (?:for|in|of)`,
      ),
      near('ip address', '(?:has no|does not have an?|without an?) (?:host ?name|name)', 30),
    ],
  },
  {
    reason: 'tls_failure',
    phrases: [
      near('(?:starttls|tls|encryption)(?: session)? is required', 'not offer|offered by|does not support'),
    ],
  },
  {
    reason: 'tls_required',
    phrases: [
      anyOf(
        `must issue (?:a )?starttls|(?:starttls|tls|encryption|secure connection) (?:is |command )?(?:required|needed|mandatory)`,
        `requires? (?:a )?(?:tls|starttls|encrypt)`,
      ),
    ],
  },
  {
    reason: 'relay_denied',
    phrases: [
      near(String.raw`\brelay(?:ing|s)?\b`, REFUSED, 20),
      anyOf(
        `not an? (?:registered|authori[sz]ed) (?:gateway|relay)|(?:not (?:permitted|allowed|authori[sz]ed|able) to|unable to|cannot|can't|(?:do|does|will) not|won't|refuse to|no|insecure mail|open) relay`,
        String.raw`\brcpthosts|isn't in my list|not (?:our|a local) domain|\b(?:as|for) an? (?:open )?relay\b|configured to relay|is not (?:an? )?(?:local|hosted) domain`,
        String.raw`\bauth(?:entication)? (?:is )?required|authentification (?:requise|invalide)|requires? authentication|smtp authentication|you must (?:first )?(?:authenticate|log ?in|check)|mail before sending|pop before smtp`,
      ),
    ],
  },
  { reason: 'greylisted', phrases: [/\bgr[ea]y ?-?list|postgrey|sqlgrey/] },
  {
    reason: 'reputation',
    phrases: [
      /reputation|sender ?-?score|sender ?base|poor karma|low trust/,
      near(OUR_HOST, '(?:known|history|source|sending) .{0,20}(?:spam|abuse)'),
    ],
  },
  {
    // How much or how often: what is then blocked is blocked for that.
    reason: 'rate_limited',
    phrases: [
      /\b(?:frequency|rate|volume) (?:is |was |has been |limit )?(?:limited|exceeded|reached|too high)|exceed(?:s|ed|ing)? .{0,20}\b(?:rate|frequency|thread|delivery) limit|\bsubmission rate\b|\bsend(?:ing)? limit|too much mail from|mailbox unavailable or access den(?:i|in)ed/,
    ],
  },
  // The frame of RFC 5321 §4.2.3 around another cause: "mailbox unavailable … due to policy restrictions".
  {
    reason: 'policy',
    phrases: [
      near(
        String.raw`\brequested (?:mail )?action|\btransaction failed`,
        'polic(?:y|ies) (?:restriction|reason|violation)',
        80,
      ),
    ],
  },
  {
    reason: 'spam',
    phrases: [
      /(?:black|block)-?listed ur[il]|ur[il] .{0,40}(?:black|block)-?list|uribl policy|\bmessage (?:has been |was )?rejected due to spam/,
    ],
  },
  {
    reason: 'blocklisted',
    phrases: [
      anyOf(
        String.raw`\b(?:block|black|deny|reject|bad)[ -]?list|\bdnsbls?\b|\bd?rbls?\b|\brhsbls?\b|\bsbl\b|\bxbl\b|\bpbl\b|\bcbl\b`,
        BLOCKLISTS,
        // AOL's codes for connection, relay, router, dynamic host and link.
        String.raw`\((?:con|rly|rtr|dyn|hvu):[a-z0-9]{1,3}\)`,
        String.raw`\b(?:banned|blocked|rejected|bad|suspicious|untrusted|unauthori[sz]ed|invalid) (?:sending |source |client |remote |sender )?(?:ips?|hosts?|network|mail ?server)\b`,
        String.raw`client host rejected|\byour (?:helo|ehlo)\b|\b(?:helo|ehlo)(?:\/ehlo)? (?:command |name |host ?name |argument |parameter )?(?:rejected|is |was |must|should|needs?|does|not|mismatch|invalid)|\b(?:invalid|bad|forged|fake|illegal) (?:helo|ehlo)|dynamic(?:\/zombied)?(?:\/spam)? (?:ips?|address|host|pool)|residential ip|generic (?:host|hostname|rdns)|open (?:proxy|relay)`,
        String.raw`not (?:currently )?accepting (?:any )?(?:connections|(?:mail|messages) from)|\b(?:not|never) accepted from (?:this|your|the) (?:ip|host|server|network|system|country|region)|not available (?:for|to|from) (?:this|your) (?:ip|host|server|network)|^ip ?[=:] ?\d{1,3}\.\d|not allowed (?:access|to connect)|access from your (?:location|country|network)|\bgo away\b|(?:blocked|refused) - see|no access from`,
        `(?:use|through) (?:the |your )?(?:smtp |mail |outgoing )?(?:server|relay|gateway) (?:of|at|from) your (?:isp|provider)|mismatch(?:es)? client ip|for (?:spam|abuse)(?:ming)? (?:issues|incident|reasons)|blocked for (?:spam|abuse)`,
        `suspected (?:spam|trojan|zombie|bot|bounce attack)|unverif[iy]able (?:sending )?ips?|\\b(?:was|been|is) blocked (?:by|at|using|on) \\S+\\.|<addr>:blocked\\b|currently sending spam|you are sending spam|looks suspiciously like`,
        // "Connection refused by" a host is what Sendmail says of a closed port.
        `(?:requires? confirmation|confirm this mail server)|(?:service|connections?|access|session) (?:is |was |were )?(?:refused(?! by)|denied|rejected|blocked|forbidden) (?:for|from|to|by) `,
      ),
      near(OUR_HOST, `${REFUSED}|listed (?:in|on|at|by|as)\\b`, 60),
      near(
        String.raw`\b(?:mail|messages?|e-?mails?|connections?|access|traffic)\b`,
        String.raw`${REFUSED}.{0,12}\d{1,3}\.\d{1,3}\.\d{1,3}\.\d`,
        12,
      ),
      near(
        String.raw`\b(?:mail|messages?|e-?mails?|connections?|access|traffic) from .{0,40}(?:\d\.\d|ip|host|server|network)`,
        REFUSED,
        60,
      ),
    ],
  },
  {
    reason: 'mailbox_busy',
    phrases: [
      near(
        String.raw`\b(?:user|account|recipient|mailbox)\b`,
        `receiving (?:e-?mail|mail|messages) (?:at a rate|too (?:quickly|fast))|receiving limits?`,
      ),
      /too many messages (?:for|to) this (?:user|recipient|mailbox)/,
    ],
  },
  {
    reason: 'rate_limited',
    phrases: [
      anyOf(
        String.raw`\brate ?-?limit|\brate of\b|throttl|slow(?:ing)? (?:it )?down|too (?:fast|frequent|quickly)|mail flood|unexpected volume|user complaints`,
        `too (?:many|much) (?:(?:concurrent|simultaneous|open|failed|bad|invalid|unknown|recent|smtp|parallel|active) ){0,2}(?:${COUNTED})\\b(?! (?:on the server|stored|in (?:his|her|the|their|your) (?:mail ?box|inbox)))`,
        String.raw`\b(?:connection|message|sending|hourly|daily|monthly|relay|transmission|delivery|recipients) (?:rate|frequency|count|limits?|threshold|quota|allowance)\b`,
        `trop de (?:connexions|destinataires|messages)|unusual (?:rate|amount|traffic)|temporarily deferred|deferred due to|(?:frequency|rate|volume) (?:is )?limited|resources (?:temporarily )?(?:restricted|unavailable)`,
      ),
      near(
        String.raw`\b(?:exceed(?:s|ed|ing)?|reached|over|above)\b`,
        String.raw`\bconnections?\b|messages? (?:per|allowed)|\brecipients\b|per (?:hour|day|minute|second|session|connection)|sending limit`,
      ),
      near(String.raw`\bexcessive(?:ly)?\b`, 'messages?|mail|connections?|errors?|traffic|volume', 30),
    ],
  },
  {
    // Content that a mailbox's owner, or its server, does not want.
    reason: 'content_policy',
    phrases: [
      near(
        'not accept(?:ing|ed)?',
        String.raw`attachments?\b|embedded images|\.[a-z0-9]{2,4} (?:files?|attachments?)`,
        30,
      ),
    ],
  },
  { reason: 'virus', phrases: [/\bvirus(?:es)?\b|malware|trojan|\bworm\b|infected|ransomware/] },
  {
    reason: 'content_policy',
    phrases: [
      near(
        String.raw`\b(?:content|attachments?|file)\b`,
        `security (?:issue|risk)|prohibited|not allowed|not permitted|forbidden|dangerous|blocked by policy`,
        60,
      ),
      near(MESSAGE, String.raw`\bcontain(?:s|ed)? (?:an? )?(?:macros?|executables?|scripts?)\b`, 30),
      /\battachments? (?:was |were |is )?rejected|(?:bad|banned|blocked|prohibited|illegal|forbidden|disallowed|unacceptable|dangerous|executable) (?:attachment|file|extension|content|filename)/,
    ],
  },
  {
    reason: 'spam',
    phrases: [
      anyOf(
        String.raw`\b(?:ant[iy]-?)?spam|\bube\b|\buce\b|junk ?-?(?:mail|e-?mail)|unsolicited|\bbulk ?-?(?:mail|e-?mail|message|\.)|mass mailer|phish|\bscam\b|bayes|greymail`,
        String.raw`recurrent pattern|content (?:filter|reject|denied)|(?:unacceptable|objectionable|abusive) content|suspicious (?:ur[il]|link|content|message|mail)|message filtered\. `,
        String.raw`\bmail rejete\b|\bscored? (?:is |was )?too high`,
      ),
      near(
        MESSAGE,
        String.raw`\b(?:looks|appears|considered|identified|detected|classified|seems?|scored)\b.{0,30}(?:suspicious|abus|unwanted|bulk|\bjunk|fraud|malicious|harmful)`,
      ),
      near(
        String.raw`\bscore[ds]?\b`,
        String.raw`\b\d.{0,20}\b(?:limit|threshold|max|over|above|exceed)`,
        12,
      ),
      near(
        String.raw`\b(?:content|message|body|header|uri|url|link)\b`,
        `(?:reject|refus|block)ed (?:by|due to|for) .{0,20}(?:filter|content|scan|score|heuristic)`,
        30,
      ),
    ],
  },
  {
    reason: 'content_unreadable',
    phrases: [/\b(?:invalid|malformed|broken|bad) mime\b|\bmime complexity|improperly[- ]formatted/],
  },
  {
    reason: 'not_compliant',
    phrases: [
      near(String.raw`\brfc ?-?\d{0,4}`, 'complian|conform|violat|standard|require|ignoran|compatib', 20),
      near(
        String.raw`\b(?:does|do|is|are) not (?:comply|conform|adhere|compliant)`,
        String.raw`\brfc|standard`,
      ),
      anyOf(
        String.raw`(?:not|non|in)[ -]?(?:rfc|compliant|conformant)|multiple addresses|multiple .{0,20}addresses in (?:the )?from|bare (?:lf|cr|line ?feed|carriage|newline)|\blone (?:lf|cr)|\bheaders? .{0,12}(?:fail|syntax)|\bdate (?:header|field)?.{0,20}(?:past|future)`,
        String.raw`\bmime (?:error|violation|boundary)|lines? (?:is |are )?too long|allowed line length|multiple from|headers? (?:missing|invalid|malformed|not valid|are not accept|not acceptable|error)`,
        String.raw`(?:multiple|duplicate|missing|invalid|malformed|illegal|more than one|several|no|bad) (?:valid )?(?:\w{1,30}[- :]{1,2}){0,2}(?:headers?\b|header fields?)`,
      ),
    ],
  },
  {
    // The recipient's own choice: nothing about the address, and not what the server thinks of us.
    reason: 'mailbox_refused',
    phrases: [
      anyOf(
        `(?:reject|refus|block|filter)ed (?:due to|because of|by) (?:the )?(?:user|recipient|mailbox owner)(?:'s)?(?: (?:rules?|preferences?|settings?|filters?|choice|request))?`,
        `refuses? to receive|user reject|message filtered|account is protected|restricted sms|not accepting any mail`,
        `only accept(?:ing|s)? (?:e-?)?mail from (?:specific|known|certain|approved)|recipient (?:has )?(?:opted|unsubscribed)`,
      ),
    ],
  },
  {
    reason: 'sender_refused',
    phrases: [
      near(
        SENDER,
        `${REFUSED}|${ABSENT}|listed (?:at|in|on|by)\\b|must (?:be|equal|match)|\\bnot (?:exist|valid|verified|on|in|own|pre-approved)|does(?: not|n't) (?:exist|resolve|accept|match)|verif(?:y|ication)\\b.{0,20}\\bfail|\\b(?:is|in) .{0,20}list|suspension`,
        50,
      ),
      near(String.raw`\bsender(?:'s)? (?:account|mailbox|address|domain)`, CLOSED, 15),
      // The reply addresses the sender.
      near(
        String.raw`\byour (?:(?:e-?)?mail |user )?account|\baccount (?:used|you use) to send|\b(?:su|sua|votre|ihr) (?:cuenta|conta|compte|konto)`,
        `${CLOSED}|${ABSENT}`,
        20,
      ),
      near(
        String.raw`\byour (?:domain|host ?name|mail ?server|(?:e-?mail |sending |sender )?address(?! book| list))\b`,
        `${ABSENT}|${REFUSED}|\\bnot (?:exist|valid|resolve|in|on|belong)|n't (?:exist|belong)|\\bno mx|without (?:an? )?mx`,
        30,
      ),
      near(SENDER, String.raw`\bno (?:valid )?mx\b|without (?:an? |any |valid )?mx\b`, 30),
      near(String.raw`\bno (?:valid )?mx\b`, String.raw`\bsenders?\b|\byour\b`, 30),
      near(
        OUR_HOST,
        `\\bnot (?:in|on|part of) (?:my|our|the|any) .{0,24}(?:list|allowed|approved|permitted)`,
      ),
      anyOf(
        String.raw`\bsend ?as ?denied|\bspoof(?:ed|ing)?\b|\bbad ?sender|\bsender ?filter|\bdead domain|\benvelope (?:blocked|rejected)|(?<!recipient address rejected: need )fully[- ]qualified e-?mail address`,
        String.raw`\b(?:bad|invalid|unknown|unverified|unauthori[sz]ed|unroutable|unrouteable|forged|fake|unresolvable|illegal|missing|blocked|non-?existent|non-member|not member) (?:outbound )?(?:sender|return|mail from|envelope|originator|from|article|to a members)\b`,
        `only (?:registered|authenticated|authori[sz]ed|approved|internal) (?:users|senders)|(?:not|isn't|aren't|never) (?:allowed|authori[sz]ed|permitted|able) to (?:send|post|submit|write|mail)|not have permission to (?:post|send)|don't have permission`,
        `purported responsible address|(?:unable to|could not|cannot|failed to) verify (?:the |your )?sender|callback setup failed|return address (?:is |was )?not|call ?-?(?:out|back|ahead) ?(?:verif|.{0,20}\\bfail)|backscatter|(?:null|empty) (?:envelope )?(?:senders?|return|reverse|e-?mail address)`,
        `domain may not exist or dns check failed|bounces? (?:not|are not|is not)|returned mail not accepted|(?:e-?mail )?address is not verified|identities failed`,
        String.raw`\b(?:closed|moderated|private|restricted|members[ -]only) (?:mailing )?(?:list|group)|subscribers? only|only (?:members|subscribers)|not subscribed|google groups`,
        String.raw`access to submit messages|\b(?:outgoing|outbound) (?:e-?mail|mail|messages?)\b.{0,60}(?:suspend|block|disabl|refus|reject|denied)|outgoing mail suspension|\bhas blocked|administrative (?:prohibition|lockout)|does not accept (?:any )?(?:e-?)?(?:mail|message)s? from|blocked (?:by you|sender)`,
      ),
      near(String.raw`\bonly (?:the )?`, String.raw`\b(?:may|can) (?:send|post|write)\b`, 30),
      near(String.raw`\baccepts? (?:e-?)?(?:mail|message)s? from\b`, String.raw`\bonly\b`, 30),
      near(String.raw`\b(?:only|just) (?:accepts?|receives?|allows?)\b`, String.raw`\bfrom\b`),
    ],
  },
  ...SENDER_RULES_ELSEWHERE,
];
