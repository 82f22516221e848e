//! The checks of a bundle's content and outcomes: docs/evidence-format.md of the project, sections 4 and
//! 5.

use std::collections::BTreeMap;

use super::base::{need, opens, sha256_hex, Checked, Fields};
use super::container::Files;
use super::documents;
use super::json::Json;
use super::mime::{relaxed_body, relaxed_header, Part};

/// Fields of a part that is opened.
const PART: &str = "filename index media_type salt sha256 size";

fn facts_of(part: &Fields<'_>) -> Json {
    let names = ["filename", "media_type", "sha256", "size"];
    Json::Object(names.into_iter().map(|name| (name.to_owned(), part.value(name).clone())).collect())
}

/// Section 4: each opens its commitment, and nothing is there unopened.
pub(super) fn check_openings(
    files: &Files,
    openings: &Json,
    manifest: &Fields<'_>,
    canonical_hash: &str,
) -> Checked {
    const CHECK: &str = "openings";
    documents::check_openings(openings)?;
    let root =
        Fields::of(openings, CHECK, "canonical_hash content envelope mail type", "submission withheld")?;
    root.is("canonical_hash", canonical_hash)?;
    let mut opened = 0;
    let (mail, sealed) = (
        root.fields("mail", "parts", "body header raw")?,
        manifest.fields("mail", "body header parts raw", "")?,
    );
    for name in ["body", "header", "raw"].into_iter().filter(|name| mail.has(name)) {
        let found = mail.opening(name, "")?;
        opens(found.hash("salt")?, found.hash("sha256")?, sealed.hash(name)?, CHECK)?;
        opened += 1;
    }
    if root.has("submission") {
        let found = root.opening("submission", "")?;
        opens(found.hash("salt")?, found.hash("sha256")?, manifest.hash("submission")?, CHECK)?;
        opened += 1;
    }
    let envelope = root.fields("envelope", "", "mail_from rcpt_to")?;
    let addresses = manifest.fields("envelope", "asserted_by mail_from rcpt_to", "")?;
    for name in envelope.names() {
        let found = envelope.opening(name, "value")?;
        found.is("sha256", &sha256_hex(found.text("value")?.as_bytes()))?;
        opens(found.hash("salt")?, found.hash("sha256")?, addresses.hash(name)?, CHECK)?;
        opened += 1;
    }
    let commitments = sealed.texts("parts", usize::MAX)?;
    let mut next = 0;
    for part in mail.list("parts", usize::MAX)? {
        let part = Fields::of(part, CHECK, PART, "")?;
        let index = usize::try_from(part.whole("index")?).unwrap_or(usize::MAX);
        part.need(next <= index && index < commitments.len(), "the parts are not in order, or one too many")?;
        let facts = sha256_hex(facts_of(&part).canonical().as_bytes());
        opens(part.hash("salt")?, &facts, commitments[index], CHECK)?;
        next = index + 1;
        opened += 1;
    }
    let content = root.text("content")?;
    root.need(content != "complete" || opened == 6 + commitments.len(), "not everything is opened")?;
    root.need(content != "erased" || opened == 0, "something is opened that was erased")?;
    check_present(files, &root, &mail)
}

/// Content is there only where it is opened.
fn check_present(files: &Files, root: &Fields<'_>, mail: &Fields<'_>) -> Checked {
    let has_raw = mail.has("raw");
    let mut shown = Vec::new();
    for part in mail.list("parts", usize::MAX)? {
        let index = Fields::of(part, "openings", PART, "")?.whole("index")?;
        shown.push(format!("parts/{index:02}.bin"));
    }
    let is_shown = |name: &String| match name.as_str() {
        "message.eml" => has_raw,
        "submission.bin" => root.has("submission"),
        part if part.starts_with("parts/") => !has_raw && shown.contains(name),
        _ => true,
    };
    root.need(files.keys().all(is_shown), "content that is not opened")
}

/// A file has the hash that was opened.
pub(super) fn check_whole(files: &Files, name: &str, opening: &Fields<'_>, check: &str) -> Checked {
    let same = files.get(name).map(|content| sha256_hex(content)).as_deref() == Some(opening.hash("sha256")?);
    need(same, check, &format!("{name} is not there, or another than was opened"))
}

/// L1 of the message.
pub(super) fn check_relaxed(message: &[u8], mail: &Fields<'_>) -> Checked {
    for (layer, relaxed) in [("header", relaxed_header(message)?), ("body", relaxed_body(message)?)] {
        if mail.has(layer) {
            let same = mail.opening(layer, "")?.hash("sha256")? == sha256_hex(&relaxed);
            need(same, "message_relaxed", &format!("another {layer} than was opened"))?;
        }
    }
    Ok(())
}

/// The facts of the opened parts, by their numbers.
pub(super) fn opened_parts<'a>(mail: &Fields<'a>) -> Checked<BTreeMap<usize, Fields<'a>>> {
    let read = |part: &'a Json| {
        let part = Fields::of(part, "message_parts", PART, "")?;
        Ok((usize::try_from(part.whole("index")?).unwrap_or(usize::MAX), part))
    };
    mail.list("parts", usize::MAX)?.iter().map(read).collect()
}

fn is_part(content: &[u8], facts: &Fields<'_>) -> Checked<bool> {
    Ok(facts.hash("sha256")? == sha256_hex(content) && facts.whole("size")? == content.len() as u64)
}

/// L2 of the message.
pub(super) fn check_found(found: &[Part], facts: &BTreeMap<usize, Fields<'_>>) -> Checked {
    for (index, fact) in facts {
        let Some(part) = found.get(*index) else {
            return need(false, "message_parts", "the message has fewer parts");
        };
        let filename = part.filename.clone().map_or(Json::Null, Json::Text);
        let same = is_part(&part.content, fact)?
            && part.media_type == fact.text("media_type")?
            && filename == *fact.value("filename");
        need(same, "message_parts", "a part is another than was opened")?;
    }
    Ok(())
}

/// L2 of the parts that are shown alone.
pub(super) fn check_shown(files: &Files, facts: &BTreeMap<usize, Fields<'_>>) -> Checked {
    for (index, fact) in facts {
        let content = files.get(&format!("parts/{index:02}.bin"));
        let same = content.map(|content| is_part(content, fact)).transpose()?.unwrap_or(false);
        need(same, "message_parts", "a part is not there, or another than was opened")?;
    }
    Ok(())
}

/// The owner of an outcome.
pub(super) struct Leaf<'a> {
    pub(super) manifest: &'a Fields<'a>,
    pub(super) canonical_hash: &'a str,
    pub(super) previous: &'a str,
}

/// One outcome, and its openings. Returns the name of its log, and when it occurred.
pub(super) fn check_outcome(
    files: &Files,
    base: &str,
    number: usize,
    leaf: &Leaf<'_>,
    check: &str,
) -> Checked<(String, i64)> {
    let outcome = documents::canonical(files.get(&format!("{base}.json")), check)?;
    documents::check_outcome(&outcome, check)?;
    let names =
        "attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous source \
                 transcript trust type";
    let outcome = Fields::of(&outcome, check, names, "")?;
    let kind = outcome.text("kind")?;
    outcome.need(base == format!("delivery/{number:02}-{kind}"), "another kind than its name says")?;
    for name in ["log", "message_id"] {
        outcome.is(name, leaf.manifest.text(name)?)?;
    }
    outcome.is("message_canonical_hash", leaf.canonical_hash)?;
    outcome.is("previous", leaf.previous)?;
    if kind == "unanswered" {
        outcome.need(leaf.manifest.has("acknowledgement"), "it answers what the message did not ask for")?;
        let until = leaf.manifest.fields("acknowledgement", "until", "")?.millis("until")?;
        let is_over = until <= outcome.millis("occurred_at")?;
        outcome.need(is_over, "unanswered while the recipient still had time to answer")?;
    }
    let own = files.get(&format!("{base}.json")).map_or_else(String::new, |data| sha256_hex(data));
    let openings = files.get(&format!("{base}.openings.json"));
    let is_opened = openings.is_some();
    let opened = match openings {
        Some(_) => documents::canonical(openings, check)?,
        None => Json::Object(BTreeMap::new()),
    };
    let required = if is_opened { "canonical_hash dsn facts transcript type" } else { "" };
    if is_opened {
        let pair = (outcome.text("kind")?, outcome.text("source")?);
        documents::check_outcome_openings(&opened, pair, check)?;
    }
    let opened = Fields::of(&opened, check, required, "")?;
    if is_opened {
        opened.is("canonical_hash", &own)?;
        let facts = opened.fields("facts", "salt value", "")?;
        let found = sha256_hex(facts.value("value").canonical().as_bytes());
        opens(facts.hash("salt")?, &found, outcome.hash("facts")?, check)?;
    }
    for (label, name) in [("transcript", "transcript.json"), ("dsn", "dsn.eml")] {
        let content = files.get(&format!("{base}.{name}"));
        let is_null = *opened.value(label) == Json::Null;
        opened.need(is_null == content.is_none(), "content is not there exactly if it is opened")?;
        let is_committed = *outcome.value(label) != Json::Null;
        opened.need(!is_opened || is_null != is_committed, "not opened as it was committed to")?;
        if let Some(content) = content {
            let found = opened.opening(label, "")?;
            found.is("sha256", &sha256_hex(content))?;
            opens(found.hash("salt")?, found.hash("sha256")?, outcome.hash(label)?, check)?;
        }
    }
    Ok((outcome.text("log")?.to_owned(), outcome.millis("occurred_at")?))
}
