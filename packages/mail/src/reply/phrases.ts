/** Words that text rules are made of; sources of regular expressions over plain text (text.ts). */

/** Maximum distance, in characters, between two words of one statement. */
const DEFAULT_GAP = 40;

/** `first`, then `second` within the gap. Bounded, so that no text makes it slow. */
export function near(first: string, second: string, gap = DEFAULT_GAP): RegExp {
  return new RegExp(`(?:${first}).{0,${gap}}?(?:${second})`);
}

/** Any one of the phrases. */
export function anyOf(...phrases: readonly string[]): RegExp {
  return new RegExp(phrases.join('|'));
}

/** Where a word begins and ends, as `\b` knows it of ASCII alone: it sees none before ü or after é. */
export const BEGIN = String.raw`(?<![\wà-ÿ])`;
export const END = String.raw`(?![\wà-ÿ])`;

/** The mailbox or its owner. */
export const MAILBOX = String.raw`\b(?:users?|user ?(?:name|id)s?|user's|user\(s\)|rece?ipients?|recipient's|mail ?box(?:es)?|in ?box|accounts?|addressees?|e-?mail|(?:mail ?)?address(?:es)?|alias(?:es)?|rcpt|local[ -]part|login|members?|person|customers?|subscribers?|destinataires?|destinatari[oa]s?|utilisateurs?|usuari[oa]|utente|benutzer(?:konto|name)?|empf(?:[aä]|ae)nger(?:adresse)?|gebruiker|compte|cuenta|konto|conta|casella|postfach)\b|\b(?:usu[aá]rio|buz[oó]n|bo[iî]te aux lettres|caixa postal|adresse|u[zż]ytkownik|adresat|adres\b|skrzynk|odbiorc|indirizzo|destin\.|casilla|direcci[oó]n|endere[cç]o|anv[aä]ndare|mottagare|bruker|modtager)|пользовател|получател|адресат|<addr>`;
/** The sending host. */
export const OUR_HOST = String.raw`\b(?:your|this|the|connecting|client|sending|sender(?:'s)?|remote|source|relay) (?:ips?|hosts?|host ?name|mail ?server|server|network|system|isp|relay|connection|client)\b|\b(?:your|connecting|client|sending|source|remote) (?:domain|address)\b|\bclient host\b|\bip address(?:es)?\b|\bips?\b|\bhosts?\b`;
/** The sender's address. */
export const SENDER = String.raw`\b(?:senders?|return ?-?path|originator|mail ?from|envelope[- ]from|from (?:address|header|domain|line)|from:|emetteur|exp[eé]diteur|absender|remitente)`;
/** The message. */
export const MESSAGE = String.raw`\b(?:messages?|mails?|e-?mails?|content|body|attachments?|data)\b`;

export const REFUSED = String.raw`\b(?:refused?|rejected|reject|denied|blocked|banned|forbidden|prohibited|disallowed|dropped|bloquee?|refuse[eé]?|rejet[eé]e?|not (?:be )?(?:accepted|allowed|permitted|authori[sz]ed|welcome))${END}`;
export const ABSENT = String.raw`\bunknown|\b(?:not|never|isn'?t|aren'?t|wasn'?t|doesn'?t|cannot|can'?t|couldn'?t) (?:be |an? )?(?:found|known|listed|recogni[sz]ed|located|here|hosted here|registered|provisioned|activated|ours?|present|local|resolved|match|appear|on file|in (?:the )?(?:table|map)|ok)\b|non-?existent|no ?-?exist|nonexist|\binvalide?\b|\binv[aá]lid[oa]|\bung(?:ü|ue)ltig|\bincorrect|\billegal\b|\bbad\b|\binconnu|\bnieznan|\bok[aä]nd|\bukjent|\bukendt|\bnezn[aá]m|неизвест|не зарегистрирован|\bnicht registriert|\bn[aã]o (?:est[aá] )?cadastrad|\binexistant|\berrat[oa]\b|\bintrouvable|\bnicht (?:vorhanden|gefunden|bekannt)|\bn(?:o|[aã]o|on) (?:fue |foi |(?:è|e') stat[oa] )?(?:encontrad|trovat)[oa]|\bno est[aá] (?:registrad[oa]|dad[oa] de alta)|\bn'est pas (?:re)?connu|\bniet bekend|\bnie znaleziono|bulunamad|\bunbekannt|\bdesconocid[oa]|\bdesconhecid[oa]|\bsconosciut[oa]|\bonbekend|\bine[xs]{1,2}istent|غير (?:موجود|معروف)|یافت نشد|وجود ندارد`;
/** The same in other languages. */
export const NOT_THERE_ELSEWHERE = `no (?:figura|aparece|consta) en|nie istnieje|nie ma takiego|neexistuje|nem létezik|existerar inte|finnes ikke|findes ikke|não existe|no existe|n'existe pas|existiert nicht|non esiste|niet gevonden|bulunamad[iı]|не (?:найден|существует)|нет так(?:ого|ой) |так(?:ого|ой) (?:пользовател|получател|ящик|адрес)[а-я]{0,3} нет|finns inte|見つかりません|存在しません|宛先不明|不存在`;
/** Before what it is about, in other languages. */
export const NOT_FOUND_ELSEWHERE = String.raw`\bno se (?:ha )?(?:puede|pudo|podido) (?:encontrar|localizar)|\bno (?:se )?(?:ha )?enc(?:ontr|uentra)|\bn[aã]o foi poss[ií]vel (?:encontrar|localizar)|\bimpossible de trouver|\bimpossibile trovare`;
/** A plain statement that something is not there, which no filter makes. */
export const NOT_THERE = String.raw`\b(?:do(?:es)?(?: not|n't| no)|did(?: not|n'?t)|not|never) (?:seem to )?exist|\bexist(?:s|ed)? (?:not|no longer)|\b(?:is|are) (?:not|no) (?:an? )?(?:valid|known|existing|active)|\bnot in (?:the |our |my )?(?:local|recipient|user|database|directory)|\b(?:does(?: not|n'?t)) (?:live|receive|belong)|isn'?t (?:an? )?(?:valid|known|existing|active)|(?:could not|couldn'?t|cannot|can'?t) be found|\b(?:was|were) not found|\bnot? longer (?:valid|available|in use|in service|used|accepts|exists|active)|wrong or no longer|${NOT_THERE_ELSEWHERE}`;
export const CLOSED = String.raw`\b(?:disabled|suspend(?:ed|s|u)?|inactive|in-active|deactivated|de-activated|locked|closed|frozen|terminated|not active|(?:is|has) expired|cancell?ed|cancelad[oa]|discontinued|dormant|abandoned|turned off|ferm[eé]|gesperrt|geschlossen|deaktiviert|d[eé]sactiv[eé]e?|disatt{1,2}ivat[oa]|desactivad[oa]|desativad[oa]|inactiv[oa]|inattiv[oa]|expirad[oa]|scadut[oa]|suspendid[oa]|sospes[oa]|nieaktywn[aey]|uitgeschakeld|opgeheven|inutilizzo)${END}`;
export const FULL = String.raw`${BEGIN}(?:full|over ?-?(?:quota|limit|size|its|the|allowed)|out of (?:space|storage|disk)|exceed(?:s|ed|ing)? .{0,30}(?:quota|size|limit|storage|space|alloc\w{0,20})|(?:usage|size|storage|limit) exceeded|no (?:space|storage|room)|too (?:big|large|full|many messages|much)|storage (?:exceeded|full)|(?:reached|over) .{0,20}quota|space .{0,20}used up|overdrawn|(?:not|n'?t) (?:have )?enough (?:storage )?(?:space|room)|pleine?|llen[oa]|voll|pien[oa]|chei[oa]|vol|überfüllt|переполнен)(?![a-z])`;
