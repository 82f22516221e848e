import { anyOf, BEGIN, END, NOT_FOUND_ELSEWHERE, near } from './phrases.ts';
import type { TextRule } from './text-rules.ts';

/**
 * Replies of servers in other languages than English, where no English rule knows the words: the form of each
 * statement, as mail systems localise it. Spanish, Portuguese, French, German, Italian, then Russian,
 * Japanese and Chinese.
 */

const MESSAGE = String.raw`\b(?:mensajes?|correos?|mensage[mn]s?|messages?|courriers?|nachricht(?:en)?|messaggi[oi]?|fichero|archivo|adjuntos?|anexos?|anhang|allegat[oi])\b|сообщени|письмо`;
const SIZE = String.raw`\b(?:tama[nñ]o|tamanho|taille|gr(?:ö|oe|o)(?:ß|ss)e|dimension[ei]?|peso)\b|размер`;
const ROOM = String.raw`\b(?:cuota|cota|quota|espacio|espa[cç]o|espace|spazio|speicherplatz|speicherkontingent|kontingent|almacenamiento|armazenamento|stockage|capaci(?:dad|dade|t[eé]|t[aà]))${END}|квот`;
const MAILBOX = String.raw`\b(?:buz[oó]n|casilla|cuenta|caixa (?:postal|de (?:correio|entrada))|conta|bo[iî]te|compte|postfach|mailbox|konto|casella|destinatari[oa])\b|ящик`;
const EXCEEDED = `${BEGIN}(?:exced|excess|super[aoó]|sobrepas|rebas|agotad|esgotad|esaurit|d[eé]pass|ersch(?:ö|oe)pft|(?:ü|ue)berschritten|(?:ü|ue)berschreitet|ecced|insuficien|insuffisan)|превышен|переполнен`;
const TOO_LARGE = String.raw`\b(?:demasiado|muy|muito|trop|zu|troppo) (?:grandes?|pesad[oa]|volumineux|lourd|gro(?:ß|ss)|largo)(?![a-z])|слишком больш`;
const SENDER = String.raw`${BEGIN}(?:remitente|remetente|exp[eé]diteur|[eé]metteur|absender(?:adresse|domain)?|mittente)\b|отправител|送信者|发件人`;
const REFUSED = String.raw`\b(?:rechazad|recusad|rejeitad|bloquead|refus[eé]|rejet[eé]|bloqu[eé]|abgelehnt|abgewiesen|gesperrt|blockiert|rifiutat|bloccat|prohibid|proibid|interdit|verboten|inv[aá]lid|invalide|ung(?:ü|ue)ltig|non valid|desconocid|desconhecid|inconnu|unbekannt|sconosciut|inexistent|inesistent)|\b(?:no|n[aã]o|non|nicht) (?:est[aá] |es |é |est |ist )?(?:autorizad|permitid|v[aá]lid|existe|autoris[eé]|autorizzat|erlaubt|zugelassen|berechtigt|esiste)|existiert nicht|n'existe pas|отклонен|заблокирован|拒否|拒绝`;
const DOMAIN = String.raw`\b(?:dominio|dom[ií]nio|domaine|domain|dom(?:ä|ae)ne)\b|домен|域名`;
const ABSENT = String.raw`\b(?:no|n[aã]o|non) (?:existe|esiste|(?:fue |foi )?encontrado|trovato|trouv[eé])${END}|n'existe pas|existiert nicht|nicht gefunden|\b(?:inexistente|inesistente|desconocido|desconhecido|inconnu|unbekannt|sconosciuto|introuvable)\b|не (?:найден|существует)|不存在`;
const MANY = String.raw`\b(?:demasiad[oa]s|muit[oa]s|excesso de|trop d[e']|zu viele|tropp[ie]) ?`;
const COUNTED = `(?:conexion(?:es)?|conex[oõ]es|connexions|verbindungen|connessioni|mensajes|mensagens|messages|nachrichten|messaggi|correos|e-?mails|destinat[aá]rios|destinataires|empf(?:ä|ae)nger|destinatari|intentos|tentativas|sesiones)`;

/** Words for a mailbox and its owner. */
const OWNER = String.raw`(?:usuari[oa]|usu[aá]rio|buz[oó]n|cuenta|conta|caixa postal|destinat[aá]ri[oa]|utilisateur|destinataire|bo[iî]te|compte|(?:be)?nutzer|empf(?:ä|ae)nger|postfach|konto|utente|casella)\b`;
const DELETED = `(?:eliminad|borrad|suprimid|dad[oa] de baj|cancelad|exclu[ií]d|removid|apagad|supprim[eé]|gel(?:ö|oe)scht|eliminat|cancellat|rimoss)`;
const FILTER = String.raw`\bfiltr[oe]s? (?:de |di )?(?:conte[nuú]|cont[eé]n|anti|spam|correo)|\b(?:spam|inhalts)-?filter`;
const POLICY = String.raw`\bpol[ií]ticas?\b|\bpolitiques?\b|\b(?:sicherheits)?richtlinien?\b|\bpolitiche\b`;
const DENIED = `${REFUSED}|denegad|\\bnegad|verweigert|negat[oa]\\b`;

/** About the sender, the session or the message. */
export const SENDER_RULES_ELSEWHERE: readonly TextRule[] = [
  { reason: 'reputation', phrases: [/\breputaci[oó]n|\breputa[cç][aã]o|\breputazione/] },
  {
    reason: 'blocklisted',
    phrases: [
      near(String.raw`\bips?\b`, DENIED, 30),
      near(DENIED, String.raw`\bips?\b`, 12),
      /\blistas? negras?\b|\bliste noire\b|\bschwarze[nr]? liste|ч[её]рн\S{0,4} списк|ブラックリスト|黑名单/,
    ],
  },
  {
    reason: 'relay_denied',
    phrases: [
      near(
        String.raw`\b(?:reenv[ií]o|retransmisi[oó]n|reencaminhamento|relais)\b`,
        `${REFUSED}|no permit`,
        20,
      ),
      near(String.raw`\bno (?:se )?permit[eai]`, String.raw`\b(?:reenv[ií]o|retransmisi[oó]n|relay)\b`, 12),
      /\b(?:se requiere|requiere|necesita) autenti[cf]/,
    ],
  },
  {
    reason: 'rate_limited',
    phrases: [
      new RegExp(MANY + COUNTED),
      near(String.raw`\bl[ií]mite (?:de|por|diari)`, 'env[ií]|conex|mensa|correo|e-?mail|hora|d[ií]a', 20),
    ],
  },
  {
    reason: 'spam',
    phrases: [
      near(REFUSED, FILTER, 20),
      near(FILTER, REFUSED, 20),
      /\bcontenido sospechoso|\bconte[uú]do suspeito|\bcontenu suspect|\bverd(?:ä|ae)chtige[rn]? inhalt|\bcontenuto sospetto/,
      /\b(?:correo|mensaje) (?:no deseado|basura)|\bind[eé]sirable\b|\bpourriel\b|\bunerw(?:ü|ue)nschte|\bindesiderat[ao]\b|\blixo eletr[oô]nico|нежелательн|спам|迷惑メール|スパム|垃圾邮件/,
    ],
  },
  {
    reason: 'content_policy',
    phrases: [
      near(String.raw`\b(?:adjuntos?|anexos?|anhang|allegat[oi]|pi[eè]ces? jointes?)\b`, REFUSED, 20),
    ],
  },
  { reason: 'policy', phrases: [near(DENIED, POLICY, 20), near(POLICY, DENIED, 60)] },
  {
    reason: 'sender_refused',
    phrases: [
      near(
        SENDER,
        `${REFUSED}|no se encuentra|\\bno est[aá] (?:registrad|dad)|\\bno tiene\\b|\\bn[aã]o (?:tem|possui)\\b|\\bn'a pas\\b|\\bhat kein`,
        30,
      ),
      near(REFUSED, SENDER, 15),
      near(String.raw`\b(?:servidor|serveur)\b`, ABSENT, 20),
      near(
        String.raw`\bsu (?:dominio|servidor|(?:direcci[oó]n )?ip)\b`,
        `${REFUSED}|${ABSENT}|no se encuentra|\\bno est[aá] `,
        20,
      ),
      near(String.raw`\b(?:su|sua|votre|ihr) (?:cuenta|conta|compte|konto)\b`, DELETED, 20),
      // Members who may write to a group. Also in Arabic and Persian.
      near(
        String.raw`\b(?:no|n[aã]o) (?:tiene|tienes|tem) (?:el )?(?:permiso|permiss[aã]o|autorizaci[oó]n)|\bn'[eê]tes pas autoris|\bn'avez pas (?:la permission|l'autorisation)|\bkeine berechtigung|\bnon (?:ha|hai) l'autorizzazione|غير مصرح|مجوز لازم`,
        String.raw`\benvi|\bescrib|\benvoyer|${BEGIN}[eé]crire|\bsenden|\bschreiben|\binviare|بإرسال|ارسال`,
      ),
      /(?<![\wà-ÿ])(?:s[oó]lo|solamente|[uú]nicamente|apenas|somente) (?:acepta|admite|recibe|aceita|recebe)n? (?:mensajes|correos?|mensagens|e-?mails?) de\b|\bn'accepte que les (?:messages|e-?mails) d|\bnur (?:nachrichten|e-?mails) von\b/,
    ],
  },
];

/** About the recipient or the way there. */
export const RECIPIENT_RULES_ELSEWHERE: readonly TextRule[] = [
  {
    reason: 'expired',
    phrases: [
      near(MESSAGE, String.raw`\b(?:caduc[oó]|expir[oó]|abgelaufen|scadut[oa])(?![a-z])`, 20),
      /\b(?:agot[oó]|super[oó]|venci[oó]) el (?:tiempo|plazo)/,
    ],
  },
  {
    reason: 'mailbox_moved',
    phrases: [
      /\bya no (?:labora|trabaja|colabora|pertenece|forma parte)\b|\bne travaille plus\b|\bn[aã]o trabalha mais\b|\barbeitet nicht mehr\b|\bnon lavora pi[uù]/,
    ],
  },
  {
    reason: 'message_too_large',
    phrases: [near(SIZE, EXCEEDED), near(EXCEEDED, SIZE), near(MESSAGE, TOO_LARGE, 20)],
  },
  {
    reason: 'mailbox_full',
    phrases: [
      near(ROOM, EXCEEDED),
      near(EXCEEDED, ROOM),
      near(MAILBOX, EXCEEDED),
      /邮箱.{0,4}满|メールボックス.{0,6}(?:一杯|いっぱい|満杯)|容量.{0,6}(?:超|不足)/,
    ],
  },
  {
    reason: 'domain_unknown',
    phrases: [
      near(DOMAIN, ABSENT, 12),
      near(NOT_FOUND_ELSEWHERE, DOMAIN, 8),
      /\bunbekannte dom(?:ain|(?:ä|ae)ne)/,
    ],
  },
];

/** Said with every failure that may pass. */
export const PASSING_ELSEWHERE = anyOf(
  String.raw`\bm[aá]s tarde\b|\bmais tarde\b|\btente novamente|\bplus tard\b|\br[eé]essayer|\bsp(?:ä|ae)ter\b|\bpi[uù] tardi\b|\briprova`,
  String.raw`\btemporal(?:mente)?\b|\btemporariamente|\btemporairement|\bvor(?:ü|ue)bergehend|\btemporaneamente|\bmoment[aâ]nea?ment|позже|временно|しばらく|稍后|暂时`,
);

/** As "access denied". */
export const DENIED_ELSEWHERE = String.raw`\bacc[eè]s(?:so|o)? (?:denegado|negado|refus[eé]|interdit)|\b(?:zugriff|zugang) verweigert|\baccesso negato`;

/** "No such user", and "the account was deleted". */
export const NO_OWNER_ELSEWHERE = new RegExp(
  String.raw`\b(?:no (?:hay|existe) (?:tal|es[ea]|est[ea])|kein(?:e[nrms]?)?|aucune?|ning[uú]n[ao]?|nenhuma?|nessuna?) (?:(?:solche?[nrs]?|g(?:ü|ue)ltige?[nrs]?|tel(?:le)?|v[aá]lid[ao]) )?${OWNER}(?! (?:angegeben|indiqu|especificad|informad|indicat))`,
);
export const DELETED_ELSEWHERE = near(
  String.raw`\b${OWNER}`,
  ` (?:(?:fue|ha sido|est[aá]|foi|a [eé]t[eé]|wurde|(?:è|e') stat[oa]) )?${DELETED}`,
  12,
);
