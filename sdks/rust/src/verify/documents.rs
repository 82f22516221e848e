//! The documents of a bundle: docs/evidence-format.md of the project, sections 3 to 5 and 8.

use super::base::{need, Checked, Fields, Stop};
use super::json::Json;
use super::line::OUTCOMES_MAX;
use super::window::{Pinned, PinnedSecond, Window};
use crate::notes::{KeyKind, SecondKey, VerifierKey};

const PINNED_MAX: usize = 16;
const PARTS_MAX: usize = 128;
const DKIM_KEYS_MAX: usize = 8;
/// Roots, policies and the like of one authority.
const AUTHORITY_LIST_MAX: usize = 32;
/// Characters of an authority's name.
const NAME_MAX: usize = 200;
/// Domains of one mail whose signatures are checked.
const MAIL_DOMAINS_MAX: usize = 8;
const RESULTS: [&str; 8] =
    ["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror", "not_checked"];
const VOUCHERS: [&str; 4] = ["network", "dkim", "spf", "helo"];

/// Whom to trust: log keys, time-stamping authorities, witnesses.
#[derive(Clone, Debug)]
pub(super) struct Trusted {
    pub(super) log_keys: Vec<Pinned>,
    /// The ML-DSA-44 keys of logs.
    pub(super) second_keys: Vec<PinnedSecond>,
    pub(super) witness_keys: Vec<Pinned>,
    /// Operators of witnesses that must have cosigned.
    pub(super) quorum: u64,
    /// How many had, where the bundle's own policy says so.
    pub(super) reached: Option<u64>,
}

impl Trusted {
    pub(super) fn read(value: &Json) -> Checked<Self> {
        const CHECK: &str = "trust";
        let names = "log_keys time_stamps type witness_keys witness_quorum";
        let root = Fields::of(value, CHECK, names, "witness_reached")?;
        root.is("type", "acuse/policy/v1")?;
        let (log_keys, second_keys) = log_keys(&root)?;
        let witness_keys = witness_keys(&root)?;
        for (at, Pinned { key, .. }) in witness_keys.iter().enumerate() {
            let others: Vec<&VerifierKey> = witness_keys[..at].iter().map(|other| &other.key).collect();
            let is_own = |log: &Pinned| log.key.key == key.key || log.key.host() == key.host();
            root.need(!log_keys.iter().any(is_own), "a log is its own witness")?;
            root.need(others.iter().all(|other| other.key != key.key), "one key under two names")?;
            root.need(others.iter().all(|other| other.name != key.name), "one witness with two keys")?;
        }
        for authority in root.list("time_stamps", PINNED_MAX)? {
            check_authority(authority)?;
        }
        let quorum = root.whole("witness_quorum")?;
        let has_reached = root.has("witness_reached");
        let reached = has_reached.then(|| root.whole("witness_reached")).transpose()?;
        root.need(reached.is_none_or(|reached| reached < quorum), "a quorum that was reached")?;
        Ok(Self { log_keys, second_keys, witness_keys, quorum, reached })
    }
}

/// A key as text, and when it is trusted.
fn pinned(item: &Json) -> Checked<(String, Window)> {
    if let Json::Text(text) = item {
        // The form of older bundles: a key without a window.
        return Ok((text.clone(), Window::default()));
    }
    let found = Fields::of(item, "trust", "key", "from until")?;
    Ok((found.text("key")?.to_owned(), Window::read(&found)?))
}

fn witness_keys(root: &Fields<'_>) -> Checked<Vec<Pinned>> {
    let read = |item: &Json| {
        let (text, window) = pinned(item)?;
        let key = VerifierKey::read(&text, KeyKind::Witness).map_err(|why| Stop::refused("trust", why))?;
        Ok(Pinned { key, window })
    };
    root.list("witness_keys", PINNED_MAX)?.iter().map(read).collect()
}

/// Those of Ed25519, and those of ML-DSA-44.
fn log_keys(root: &Fields<'_>) -> Checked<(Vec<Pinned>, Vec<PinnedSecond>)> {
    let refused = |why| Stop::refused("trust", why);
    let (mut keys, mut seconds) = (Vec::new(), Vec::new());
    for item in root.list("log_keys", PINNED_MAX)? {
        let (text, window) = pinned(item)?;
        if let Some(key) = SecondKey::read(&text).map_err(refused)? {
            seconds.push(PinnedSecond { key, window });
        } else {
            keys.push(Pinned { key: VerifierKey::read(&text, KeyKind::Log).map_err(refused)?, window });
        }
    }
    Ok((keys, seconds))
}

/// A PEM block of one, at least.
fn is_certificate(text: &str) -> bool {
    let Some((_, block)) = text.split_once("-----BEGIN CERTIFICATE-----") else { return false };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/= \t\r\n".contains(&byte);
    block
        .split_once("-----END CERTIFICATE-----")
        .is_some_and(|(body, _)| !body.is_empty() && body.bytes().all(is_base64))
}

fn is_oid(text: &str) -> bool {
    let is_number = |arc: &str| {
        arc == "0"
            || (!arc.is_empty() && !arc.starts_with('0') && arc.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let arcs: Vec<&str> = text.split('.').collect();
    (2..=21).contains(&arcs.len()) && matches!(arcs[0], "0" | "1" | "2") && arcs.into_iter().all(is_number)
}

fn check_authority(value: &Json) -> Checked {
    let optional = "development leafEku policies hashAlgorithms nonce revocation from until";
    let found = Fields::of(value, "trust", "profile name roots", optional)?;
    Window::read(&found)?;
    let profile = found.text("profile")?;
    found.need(matches!(profile, "rfc3161" | "nom151"), "another profile")?;
    let name = found.text("name")?;
    let is_short = !name.is_empty() && name.chars().count() <= NAME_MAX;
    found.need(is_short && !name.chars().any(char::is_control), "its name is not a short text")?;
    let roots = found.texts("roots", AUTHORITY_LIST_MAX)?;
    found.need(!roots.is_empty() && roots.into_iter().all(is_certificate), "an authority pins no root")?;
    for name in ["leafEku", "policies"] {
        let oids = found.texts(name, AUTHORITY_LIST_MAX)?;
        found.need(oids.into_iter().all(is_oid), "an OID is malformed")?;
    }
    for hash in found.texts("hashAlgorithms", AUTHORITY_LIST_MAX)? {
        found.need(matches!(hash, "sha256" | "sha384" | "sha512"), "another hash")?;
    }
    for name in ["development", "nonce"] {
        let is_flag = matches!(found.get(name), None | Some(Json::Bool(_)));
        found.need(is_flag, "a flag is not true or false")?;
    }
    if found.has("revocation") {
        found.is("revocation", "required")?;
    }
    Ok(())
}

/// Section 3.
pub(super) fn check_manifest(value: &Json) -> Checked {
    const CHECK: &str = "manifest";
    let names = "accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type";
    let root = Fields::of(value, CHECK, names, "acknowledgement")?;
    root.is("type", "acuse/message/v1")?;
    root.time("accepted_at")?;
    if root.has("acknowledgement") {
        root.fields("acknowledgement", "until", "")?.time("until")?;
    }
    root.uuid("message_id")?;
    root.uuid("tenant_id")?;
    let sequence = root.text("tenant_sequence")?;
    let is_number = sequence.bytes().all(|byte| byte.is_ascii_digit()) && (1..=20).contains(&sequence.len());
    root.need(is_number && (sequence == "0" || !sequence.starts_with('0')), "tenant_sequence")?;
    root.hash("submission")?;
    root.origin("log")?;
    let envelope = root.fields("envelope", "asserted_by mail_from rcpt_to", "")?;
    envelope.is("asserted_by", "operator")?;
    envelope.hash("mail_from")?;
    envelope.hash("rcpt_to")?;
    let mail = root.fields("mail", "body header parts raw", "")?;
    for name in ["body", "header", "raw"] {
        mail.hash(name)?;
    }
    for part in mail.list("parts", PARTS_MAX)? {
        let holder = Json::Object([("part".to_owned(), part.clone())].into());
        Fields::of(&holder, CHECK, "part", "")?.hash("part")?;
    }
    for key in root.list("dkim", DKIM_KEYS_MAX)? {
        check_dkim(&Fields::of(key, CHECK, "algorithm domain public_key selector", "")?)?;
    }
    Ok(())
}

/// Section 4.
pub(super) fn check_openings(value: &Json) -> Checked {
    let names = "canonical_hash content envelope mail type";
    let root = Fields::of(value, "openings", names, "submission withheld")?;
    root.is("type", "acuse/openings/v1")?;
    root.hash("canonical_hash")?;
    let content = root.text("content")?;
    root.need(matches!(content, "complete" | "disclosed" | "erased"), "content says something else")?;
    if root.has("withheld") {
        let is_none = root.hashes("withheld", OUTCOMES_MAX)?.is_empty();
        root.need(!is_none && content == "disclosed", "withheld is empty, or not said to be disclosed")?;
    }
    let envelope = root.fields("envelope", "", "mail_from rcpt_to")?;
    for name in envelope.names() {
        envelope.opening(name, "value")?.text("value")?;
    }
    let mail = root.fields("mail", "parts", "body header raw")?;
    for name in ["body", "header", "raw"].into_iter().filter(|name| mail.has(name)) {
        mail.opening(name, "")?;
    }
    if root.has("submission") {
        root.opening("submission", "")?;
    }
    for part in mail.list("parts", PARTS_MAX)? {
        let found = Fields::of(part, "openings", "filename index media_type salt sha256 size", "")?;
        found.hash("salt")?;
        found.hash("sha256")?;
        found.text("media_type")?;
        found.whole("index")?;
        found.whole("size")?;
        let is_name = matches!(found.value("filename"), Json::Null | Json::Text(_));
        found.need(is_name, "a file name is no text")?;
    }
    Ok(())
}

fn check_dkim(key: &Fields) -> Checked {
    let algorithm = key.text("algorithm")?;
    key.need(matches!(algorithm, "rsa-sha256" | "ed25519-sha256"), "another DKIM algorithm")?;
    for name in ["domain", "selector"] {
        let text = key.text(name)?;
        let is_plain = (1..=253).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        key.need(is_plain, "a DKIM name is malformed")?;
    }
    let public = key.text("public_key")?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    key.need((1..=2048).contains(&public.len()) && public.bytes().all(is_base64), "a DKIM key")
}

/// The event of an outcome; None: no such kind from this source.
fn event_of(kind: &str, source: &str) -> Option<Json> {
    let event = match (kind, source) {
        ("sent", "session") => "RelayToNonERDS",
        ("bounced", "session" | "operator") => "RelayToNonERDSFailure",
        ("bounced" | "complained" | "acknowledged" | "displayed", "reported_by_mail") => {
            "ReceivedFromNonERDS"
        }
        ("cancelled" | "unanswered", "operator") | ("acknowledged" | "refused", "recipient_page") => {
            return Some(Json::Null);
        }
        _ => return None,
    };
    Some(Json::Text(format!("http://uri.etsi.org/19522/Event/{event}")))
}

/// The recipient's own reply: the mail itself is the proof.
const REPLY: (&str, &str) = ("acknowledged", "reported_by_mail");

const TRUST: &str = concat!(
    "{\"operator_asserted\":[\"attempt\",\"dsn\",\"facts\",\"kind\",\"occurred_at\",\"source\",\"transcript\"],",
    "\"third_party_verifiable\":[\"message_canonical_hash\",\"previous\"]}"
);

/// Section 5.
pub(super) fn check_outcome(value: &Json, check: &str) -> Checked {
    let names =
        "attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous source \
                 transcript trust type";
    let root = Fields::of(value, check, names, "")?;
    root.is("type", "acuse/delivery/v1")?;
    root.need(root.value("trust").canonical() == TRUST, "another trust")?;
    let (kind, source) = (root.text("kind")?, root.text("source")?);
    let event = event_of(kind, source);
    root.need(event.is_some_and(|event| event == *root.value("etsi")), "another event or source")?;
    root.time("occurred_at")?;
    root.uuid("message_id")?;
    root.origin("log")?;
    root.whole("attempt")?;
    for name in ["facts", "message_canonical_hash", "previous"] {
        root.hash(name)?;
    }
    for name in ["dsn", "transcript"] {
        if *root.value(name) != Json::Null {
            root.hash(name)?;
        }
    }
    let is_null = |name| *root.value(name) == Json::Null;
    let is_unreported = source == "recipient_page" || matches!(kind, "cancelled" | "unanswered");
    root.need(!is_unreported || is_null("dsn"), "a report about what nobody reports")?;
    root.need((kind, source) != REPLY || !is_null("dsn"), "a reply that is not there")?;
    root.need(source == "session" || is_null("transcript"), "a transcript without a session")
}

/// Section 5: what a mail reported never takes the place of a server that was spoken to.
pub(super) fn check_outcome_openings(value: &Json, pair: (&str, &str), check: &str) -> Checked {
    let source = pair.1;
    let root = Fields::of(value, check, "canonical_hash dsn facts transcript type", "")?;
    root.is("type", "acuse/delivery-openings/v1")?;
    root.hash("canonical_hash")?;
    for name in ["dsn", "transcript"] {
        if *root.value(name) != Json::Null {
            root.opening(name, "")?;
        }
    }
    let facts = root.fields("facts", "salt value", "")?;
    facts.hash("salt")?;
    let value = facts.fields("value", "ip mx reply reported_by_mail tls", "acknowledgement")?;
    check_act(&value, pair)?;
    let is_null = |name| *value.value(name) == Json::Null;
    let is_spoken = !(is_null("ip") && is_null("mx") && is_null("tls"));
    value.need(source == "session" || !is_spoken, "a server without a session")?;
    let is_mailed = !is_null("reported_by_mail");
    value.need(is_mailed == (source == "reported_by_mail"), "facts of another source")?;
    let is_answered = matches!(source, "session" | "operator");
    value.need(is_answered || is_null("reply"), "a reply without a session")?;
    check_nullable(&value, &["ip", "mx"])?;
    check_reply(&value)?;
    if !is_null("tls") {
        let tls = value.fields("tls", "cipher peer_certificate_sha256 version", "")?;
        tls.text("cipher")?;
        tls.text("version")?;
        check_nullable(&tls, &["peer_certificate_sha256"])?;
    }
    if is_mailed {
        check_report(&value)?;
    }
    Ok(())
}

/// Each is text or null.
fn check_nullable(of: &Fields, names: &[&str]) -> Checked {
    let is_null = |name: &&&str| *of.value(name) == Json::Null;
    names.iter().filter(|name| !is_null(name)).try_for_each(|name| of.text(name).map(drop))
}

/// What a server answered, or null.
fn check_reply(of: &Fields) -> Checked {
    if *of.value("reply") == Json::Null {
        return Ok(());
    }
    let reply = of.fields("reply", "code enhanced text", "")?;
    if *reply.value("code") != Json::Null {
        reply.whole("code")?;
    }
    check_nullable(&reply, &["enhanced", "text"])
}

/// What a mail reported, and who delivered it.
fn check_report(facts: &Fields) -> Checked {
    let names = "claims dkim mail_from peer sha256 spf vouched_by";
    let report = facts.fields("reported_by_mail", names, "")?;
    let claimed = "feedback_type final_recipient original_recipient remote_mta reply";
    let claims = report.fields("claims", claimed, "")?;
    check_nullable(&claims, &["feedback_type", "final_recipient", "original_recipient", "remote_mta"])?;
    check_reply(&claims)?;
    let dkim = report.fields("dkim", "domains result", "")?;
    dkim.texts("domains", MAIL_DOMAINS_MAX)?;
    let spf = report.fields("spf", "domain result", "")?;
    check_nullable(&spf, &["domain"])?;
    for result in [dkim.text("result")?, spf.text("result")?] {
        report.need(RESULTS.contains(&result), "another result")?;
    }
    let peer = report.fields("peer", "helo ip tls", "")?;
    peer.text("helo")?;
    peer.text("ip")?;
    if *peer.value("tls") != Json::Null {
        let tls = peer.fields("tls", "cipher version", "")?;
        tls.text("cipher")?;
        tls.text("version")?;
    }
    report.text("mail_from")?;
    report.hash("sha256")?;
    let is_vouched = *report.value("vouched_by") != Json::Null;
    let is_known = !is_vouched || VOUCHERS.contains(&report.text("vouched_by")?);
    report.need(is_known, "vouched for by another")
}

/// The recipient's own act, in the facts of the outcomes that have one.
fn check_act(facts: &Fields, pair: (&str, &str)) -> Checked {
    let is_page = pair.1 == "recipient_page";
    let is_due = is_page || pair == REPLY;
    facts.need(facts.has("acknowledgement") == is_due, "an act of the recipient in another place")?;
    if !is_due {
        return Ok(());
    }
    if !is_page {
        let act = facts.fields("acknowledgement", "dkim", "")?;
        return check_dkim(&act.fields("dkim", "algorithm domain public_key selector", "")?);
    }
    let names = "code_sent_at ip language name reason sentence";
    let act = facts.fields("acknowledgement", names, "")?;
    act.time("code_sent_at")?;
    for name in ["ip", "name", "sentence"] {
        act.text(name)?;
    }
    act.need(matches!(act.text("language")?, "en" | "es"), "another language")?;
    if *act.value("reason") != Json::Null {
        act.text("reason")?;
    }
    Ok(())
}

/// A document in its canonical form.
pub(super) fn canonical(data: Option<&Vec<u8>>, check: &str) -> Checked<Json> {
    let Some(data) = data else {
        return Err(Stop::refused(check, "the document is missing"));
    };
    let value = Json::read_canonical(data);
    need(value.is_some(), check, "not canonical JSON")?;
    Ok(value.unwrap_or(Json::Null))
}
