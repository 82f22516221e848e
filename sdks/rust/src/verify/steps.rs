//! The checks in their order: docs/evidence-format.md of the project, section 9.

use std::collections::BTreeSet;

use ring::digest::{digest, SHA512};

use super::base::{hex, need, sha256_hex, Checked, Fields, Stop};
use super::container::{self, row_of, Files};
use super::content::{self, check_whole, Leaf};
use super::documents::{self, Trusted};
use super::json::Json;
use super::line::{self, millis, Line, LogEnd, Told};
use super::mime::parts_of;
use super::reply::check_reply;
use super::stated::stated_time;
use super::window::{second_signed, trusted_at};
use super::{Check, Remark};
use crate::merkle::{is_included, leaf_hash, sha256};
use crate::notes::{LogProof, Note, Problem, TreeHead};

const RENEWALS_MAX: usize = 32;
const LISTED_MAX: usize = 512;
const NO_TIMES: &str = "not checked: this version of the library checks no time-stamps; acuse verify does";

pub(super) struct Verification<'a> {
    pinned: Option<&'a Trusted>,
    checks: Vec<Check>,
    files: Files,
    now: i64,
    line: Option<Line>,
    found: Found,
}

/// The findings of a verification, beside its checks.
#[derive(Default)]
pub(super) struct Found {
    pub(super) checks: Vec<Check>,
    pub(super) warnings: Vec<Remark>,
    pub(super) is_counted: bool,
    pub(super) withheld: usize,
    pub(super) is_one_log: bool,
    /// The bundle's statement about it.
    pub(super) content: String,
    /// A part of the content is shown, of the message or of its outcomes.
    pub(super) is_in_part: bool,
}

impl<'a> Verification<'a> {
    /// All checks up to the first that does not hold.
    pub(super) fn run(data: &[u8], pinned: Option<&'a Trusted>, has_copy: bool, now: i64) -> Found {
        let (checks, files, line, found) = (Vec::new(), Files::new(), None, Found::default());
        let mut work = Self { pinned, checks, files, now, line, found };
        match work.verify(data) {
            Err(Stop::Refused { check, detail }) => {
                work.checks.push(Check { name: check, ok: Some(false), detail });
            }
            Err(Stop::Unchecked(detail)) => work.leave_out("rest", &detail),
            Ok(()) if has_copy => {
                work.leave_out(
                    "received_copy",
                    "not checked: this version of the library compares no copies",
                );
            }
            Ok(()) => {}
        }
        Found { checks: work.checks, ..work.found }
    }

    /// The result of a step; None: it could not be judged here.
    fn told<T>(&mut self, name: &str, result: Checked<T>) -> Checked<Option<T>> {
        match result {
            Ok(value) => {
                self.checks.push(Check { name: name.to_owned(), ok: Some(true), detail: "holds".to_owned() });
                Ok(Some(value))
            }
            Err(Stop::Unchecked(why)) => {
                self.leave_out(name, &format!("not checked: {why}; acuse verify checks it"));
                Ok(None)
            }
            Err(refused) => Err(refused),
        }
    }

    fn leave_out(&mut self, name: &str, detail: &str) {
        self.checks.push(Check { name: name.to_owned(), ok: None, detail: detail.to_owned() });
    }

    fn file(&self, name: &str) -> &[u8] {
        self.files.get(name).map_or(&[], Vec::as_slice)
    }

    fn verify(&mut self, data: &[u8]) -> Checked {
        self.files = container::read(data)?;
        self.told("bundle", Ok(()))?;
        let sums = self.check_sums();
        self.told("sums", sums)?;
        let entries = self.check_entries();
        self.told("entries", entries)?;
        let own = documents::canonical(self.files.get("policy.json"), "trust");
        let own = own.and_then(|value| Trusted::read(&value))?;
        self.told("trust", Ok(()))?;
        let trusted = self.pinned.cloned().unwrap_or(own);
        let manifest = documents::canonical(self.files.get("manifest.json"), "manifest")?;
        documents::check_manifest(&manifest)?;
        self.told("manifest", Ok(()))?;
        let names = "accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type";
        let manifest = Fields::of(&manifest, "manifest", names, "acknowledgement")?;
        let canonical_hash = sha256_hex(self.file("manifest.json"));
        self.check_content(&manifest, &canonical_hash)?;
        self.begin_line(&manifest)?;
        let (proof, entry) = (self.file("proof.tlog-proof").to_vec(), sha256(self.file("manifest.json")));
        let text =
            self.check_leaf(&trusted, &proof, manifest.origin("log")?, &entry, "", "constancia.tsr")?;
        let same = self.file("checkpoint.txt") == text.as_bytes();
        let stamped = need(same, "stamped_checkpoint", "checkpoint.txt is another checkpoint");
        self.told("stamped_checkpoint", stamped)?;
        self.check_times()?;
        self.check_outcomes(&trusted, &manifest, &canonical_hash)?;
        self.check_line(&trusted)?;
        if self.files.keys().any(|name| name.starts_with("revocation/")) {
            let why =
                "not checked: this version of the library reads no CRL and no OCSP answer; acuse verify does";
            self.leave_out("revocation", why);
        }
        Ok(())
    }

    /// SHA256SUMS is exactly that of the entries, in the order of the table.
    fn check_sums(&self) -> Checked {
        let mut names: Vec<&String> = self.files.keys().filter(|name| *name != "SHA256SUMS").collect();
        names.sort_by_key(|name| (row_of(name).map(|(row, _)| row), (*name).clone()));
        let line = |name: &&String| format!("{}  {name}\n", sha256_hex(self.file(name)));
        let lines: String = names.iter().map(line).collect();
        let same = self.file("SHA256SUMS") == lines.as_bytes();
        need(same, "sums", "SHA256SUMS is not that of the entries")
    }

    /// Each chain, document and list belongs to a time-stamp.
    fn check_entries(&self) -> Checked {
        let stamped: BTreeSet<String> = self.files.keys().filter_map(|name| stamp_of(name)).collect();
        for name in self.files.keys() {
            if let Some(chain) = name.strip_prefix("chain/").and_then(|rest| rest.strip_suffix(".pem")) {
                need(stamped.contains(chain), "entries", "a chain belongs to no time-stamp")?;
            }
            if let Some(stamp) = name.strip_prefix("issued/").and_then(|rest| rest.strip_suffix(".bin")) {
                need(stamped.contains(stamp), "entries", "a document belongs to no time-stamp")?;
            }
            if let Some(base) = name.strip_suffix(".sums").or_else(|| name.strip_suffix(".list")) {
                let is_stamped = self.files.contains_key(&format!("{base}.tsr"));
                need(is_stamped, "entries", "a list belongs to no time-stamp")?;
            }
        }
        Ok(())
    }

    /// Section 4.
    fn check_content(&mut self, manifest: &Fields<'_>, canonical_hash: &str) -> Checked {
        let openings = documents::canonical(self.files.get("openings.json"), "openings")?;
        content::check_openings(&self.files, &openings, manifest, canonical_hash)?;
        self.told("openings", Ok(()))?;
        let root = Fields::of(
            &openings,
            "openings",
            "canonical_hash content envelope mail type",
            "submission withheld",
        )?;
        self.found.content = root.text("content")?.to_owned();
        self.found.is_in_part = self.found.content == "disclosed";
        self.found.withheld = root.texts("withheld", usize::MAX)?.len();
        if root.has("submission") {
            let opening = root.opening("submission", "")?;
            let submission = check_whole(&self.files, "submission.bin", &opening, "submission");
            self.told("submission", submission)?;
        }
        let mail = root.fields("mail", "parts", "body header raw")?;
        let facts = content::opened_parts(&mail)?;
        if mail.has("raw") {
            let message = self.file("message.eml").to_vec();
            let whole = check_whole(&self.files, "message.eml", &mail.opening("raw", "")?, "message");
            self.told("message", whole)?;
            self.told("message_relaxed", content::check_relaxed(&message, &mail))?;
            let found = parts_of(&message).and_then(|found| content::check_found(&found, &facts));
            self.told("message_parts", found)?;
        } else if !facts.is_empty() {
            let shown = content::check_shown(&self.files, &facts);
            self.told("message_parts", shown)?;
        }
        Ok(())
    }

    /// That the log holds an entry. Returns the text of its checkpoint.
    fn check_leaf(
        &mut self,
        trusted: &Trusted,
        proof: &[u8],
        origin: &str,
        entry: &[u8],
        prefix: &str,
        token: &str,
    ) -> Checked<String> {
        // When its keys must have been trusted: as the time-stamp over it says, if it can be read.
        let at = self.files.get(token).map_or(Some(self.now), |token| stated_time(token));
        let check = format!("{prefix}checkpoint");
        let refused = |why: Problem| Stop::refused(&check, why);
        let proof = LogProof::read(proof).map_err(refused)?;
        let head = TreeHead::read(&proof.note.text).map_err(refused)?;
        need(head.origin == origin, &check, "a checkpoint of another log")?;
        let log_keys = trusted_at(&trusted.log_keys, at);
        let signers = proof.note.signers(&log_keys).map_err(refused)?;
        let is_signed = signers.iter().any(|key| key.name == origin);
        need(is_signed, &check, "not signed by a trusted key of its log")?;
        let seconds = second_signed(&trusted.second_keys, origin, at, &proof.note).map_err(refused)?;
        self.told(&check, Ok(()))?;
        let check = format!("{prefix}inclusion");
        let held = is_included(leaf_hash(entry), proof.index, head.size, &proof.path, &head.root);
        self.told(&check, need(held, &check, "the path does not lead to the root"))?;
        let check = format!("{prefix}witness");
        let cosigned = self.check_witnesses(trusted, at, &proof.note, &check);
        let cosigned = self.told(&check, cosigned)?;
        if let Some(line) = &mut self.line {
            line.cosigned.extend(cosigned.unwrap_or_default());
            line.has_second |= !seconds.is_empty();
            line.leaves.push(line::Leaf { index: proof.index, head });
        }
        Ok(proof.note.text)
    }

    /// Section 7, but for the time-stamps.
    fn check_times(&mut self) -> Checked {
        let is_token = |name: &&String| name.starts_with("renewal/") && name.ends_with(".tsr");
        let count = self.files.keys().filter(is_token).count();
        need(count <= RENEWALS_MAX, "renewal", "too many renewals")?;
        for number in (1..=count).rev() {
            let covers = format!("renewal.{number:02}.covers");
            let renewed = self.check_renewed(number, &covers);
            self.told(&covers, renewed)?;
            let is_there = self.files.contains_key(&format!("renewal/{number:02}.tsr"));
            need(is_there, "renewal", "the renewals have a gap")?;
            self.leave_out(&format!("renewal.{number:02}"), NO_TIMES);
        }
        self.leave_out("timestamp", NO_TIMES);
        if self.files.contains_key("message-constancia.tsr") {
            self.leave_out("message_timestamp", NO_TIMES);
        }
        Ok(())
    }

    /// A renewal stamps what was to be renewed, or a list that it is on.
    fn check_renewed(&self, number: usize, check: &str) -> Checked {
        let sums = self.file(&format!("renewal/{number:02}.sums"));
        let text = String::from_utf8_lossy(sums);
        let listed: BTreeSet<&str> = text.lines().filter_map(|line| line.get(130..)).collect();
        let mut names: BTreeSet<String> =
            ["checkpoint.txt", "constancia.tsr", "chain/constancia.pem"].map(str::to_owned).into();
        for earlier in 1..number {
            let base = format!("renewal/{earlier:02}");
            names.extend([format!("{base}.sums"), format!("{base}.tsr")]);
            names.insert(format!("chain/renewal-{earlier:02}.pem"));
            let list = format!("{base}.list");
            if self.files.contains_key(&list) {
                names.insert(list);
            }
        }
        let is_revocation =
            |name: &&String| name.starts_with("revocation/") && listed.contains(name.as_str());
        names.extend(self.files.keys().filter(is_revocation).cloned());
        let mut lines = String::new();
        for name in &names {
            need(self.files.contains_key(name), check, &format!("{name} is missing"))?;
            lines.push_str(&format!("{}  {name}\n", sha512_hex(self.file(name))));
        }
        need(lines.as_bytes() == sums, check, "not what was to be renewed")?;
        let Some(list) = self.files.get(&format!("renewal/{number:02}.list")) else {
            return Ok(());
        };
        let list = std::str::from_utf8(list).unwrap_or_default();
        let each: Vec<&str> = list.strip_suffix('\n').unwrap_or_default().split('\n').collect();
        let is_hash = |line: &&str| {
            line.len() == 128 && line.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_sorted = each.windows(2).all(|pair| pair[0] < pair[1]);
        let is_list = each.len() <= LISTED_MAX && each.iter().all(is_hash) && is_sorted;
        need(is_list, check, "a list of another form")?;
        need(each.contains(&sha512_hex(sums).as_str()), check, "not on its list")
    }

    fn begin_line(&mut self, manifest: &Fields<'_>) -> Checked {
        let openings = documents::canonical(self.files.get("openings.json"), "openings")?;
        let names = "canonical_hash content envelope mail type";
        let openings = Fields::of(&openings, "openings", names, "submission withheld")?;
        let withheld = openings.texts("withheld", usize::MAX)?.into_iter().map(str::to_owned).collect();
        let is_token = |(name, data): (&String, &Vec<u8>)| {
            name.ends_with(".tsr").then(|| Some((name.clone(), stated_time(data)?))).flatten()
        };
        self.line = Some(Line {
            now: self.now,
            accepted: manifest.millis("accepted_at")?,
            origin: manifest.origin("log")?.to_owned(),
            hash: sha256(self.file("manifest.json")),
            withheld,
            leaves: Vec::new(),
            outcomes: Vec::new(),
            cosigned: Vec::new(),
            stamps: self.files.iter().filter_map(is_token).collect(),
            counted: None,
            has_second: false,
        });
        Ok(())
    }

    /// True if it is one story. Times are compared as tokens state them; that they hold is not checked here.
    fn check_line(&mut self, trusted: &Trusted) -> Checked {
        let Some(mut line) = self.line.take() else { return Ok(()) };
        if line.says_outcomes(&self.files) {
            let counted = line.count_outcomes(&self.files, trusted);
            line.counted = self.told("outcomes", counted)?;
        }
        let history = line.check_history(&self.files);
        self.found.is_one_log = self.told("history", history)? == Some(true);
        self.told("order", line.check_order())?;
        line.check_times()?;
        self.leave_out("times", NO_TIMES);
        self.found.is_counted = line.counted.is_some();
        self.found.warnings = line.warnings();
        if line.has_second {
            let detail = "ML-DSA-44 signature not checked here";
            self.found.warnings.push(Remark::of("mldsa44_not_checked", detail));
        }
        let Some(end) = self.files.get("log-end.note") else { return Ok(()) };
        let own = trusted.log_keys.iter().filter(|pinned| pinned.key.name == line.origin);
        let ends: Vec<LogEnd> = own.filter_map(|pinned| LogEnd::read(end, &pinned.key).ok()).collect();
        if !ends.is_empty() {
            let admitted = ends.iter().all(|end| line.leaves.iter().all(|leaf| end.admits(&leaf.head)));
            let within = need(admitted, "log_end", "a tree that the log had not published at its end");
            self.told("log_end", within.and_then(|()| line.check_end(&ends)))?;
        }
        Ok(())
    }

    /// Every cosignature of a trusted witness verifies, and enough operators cosigned, at times at which they
    /// can have seen the message. Returns these.
    fn check_witnesses(
        &self,
        trusted: &Trusted,
        at: Option<i64>,
        note: &Note,
        check: &str,
    ) -> Checked<Vec<i64>> {
        let Some(line) = &self.line else { return Ok(Vec::new()) };
        let (mut operators, mut times) = (BTreeSet::new(), Vec::new());
        for key in trusted_at(&trusted.witness_keys, at) {
            let cosigned = note.cosigned_at(&key).map_err(|why| Stop::refused(check, why))?;
            if let Some(seconds) = cosigned.filter(|seconds| line.can_have_seen(*seconds)) {
                operators.insert(key.operator());
                times.push(millis(seconds));
            }
        }
        let wanted = trusted.reached.unwrap_or(trusted.quorum);
        let detail = format!("{} witnesses cosigned, {wanted} are required", operators.len());
        need(operators.len() as u64 >= wanted, check, &detail)?;
        Ok(times)
    }

    /// Section 5: where the recipient acknowledged by mail, and that is opened.
    fn check_mail(&mut self, base: &str, manifest: &Fields<'_>, check: &str) -> Checked {
        let Some(data) = self.files.get(&format!("{base}.openings.json")) else { return Ok(()) };
        let opened = documents::canonical(Some(data), check)?;
        let opened = Fields::of(&opened, check, "canonical_hash dsn facts transcript type", "")?;
        let facts = opened.fields("facts", "salt value", "")?;
        let facts = facts.fields("value", "ip mx reply reported_by_mail tls", "acknowledgement")?;
        let act = match facts.get("acknowledgement") {
            Some(act @ Json::Object(members)) if members.contains_key("dkim") => act,
            _ => return Ok(()),
        };
        let names = "claims dkim mail_from peer sha256 spf vouched_by";
        let came = facts.fields("reported_by_mail", names, "")?.hash("sha256")?;
        let kept = opened.opening("dsn", "")?.hash("sha256")?;
        need(came == kept, check, "the mail is not kept as it came")?;
        let openings = documents::canonical(self.files.get("openings.json"), check)?;
        let names = "canonical_hash content envelope mail type";
        let openings = Fields::of(&openings, check, names, "submission withheld")?;
        let envelope = openings.fields("envelope", "", "mail_from rcpt_to")?;
        let recipient = match envelope.has("rcpt_to") {
            true => Some(envelope.fields("rcpt_to", "salt sha256 value", "")?.text("value")?),
            false => None,
        };
        let key =
            Fields::of(act, check, "dkim", "")?.fields("dkim", "algorithm domain public_key selector", "")?;
        let mail = self.file(&format!("{base}.dsn.eml"));
        let held = check_reply(mail, &key, manifest.text("message_id")?, recipient, check);
        self.told(check, held)?;
        Ok(())
    }

    /// Section 5: each outcome is chained to the one before.
    fn check_outcomes(&mut self, trusted: &Trusted, manifest: &Fields<'_>, canonical_hash: &str) -> Checked {
        let of_outcome = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        let bases: BTreeSet<String> =
            self.files.keys().filter(|name| name.starts_with("delivery/")).map(of_outcome).collect();
        let mut previous = canonical_hash.to_owned();
        for (at, base) in bases.iter().enumerate() {
            let number = at + 1;
            let check = format!("delivery.{number:02}");
            let is_next = base.starts_with(&format!("delivery/{number:02}-"));
            need(is_next, "delivery", "the outcomes have a gap")?;
            let is_closed = !self.files.contains_key(&format!("{base}.openings.json"));
            self.found.is_in_part |= is_closed && self.found.content == "complete";
            let leaf = Leaf { manifest, canonical_hash, previous: &previous };
            let outcome = content::check_outcome(&self.files, base, number, &leaf, &check);
            let Some((log, occurred)) = self.told(&check, outcome)? else { continue };
            self.check_mail(base, manifest, &format!("{check}.reply"))?;
            let entry = sha256(self.file(&format!("{base}.json")));
            let (proof, token) = (self.file(&format!("{base}.tlog-proof")).to_vec(), format!("{base}.tsr"));
            self.check_leaf(trusted, &proof, &log, &entry, &format!("{check}."), &token)?;
            let is_stamped = self.files.contains_key(&token);
            if is_stamped {
                self.leave_out(&format!("{check}.timestamp"), NO_TIMES);
            }
            if let Some(line) = &mut self.line {
                line.outcomes.push(Told { hash: entry, occurred, token: is_stamped.then_some(token) });
            }
            previous = hex(&entry);
        }
        Ok(())
    }
}

/// The name of the chain of a time-stamp: delivery/01-sent.tsr → delivery-01.
fn stamp_of(name: &str) -> Option<String> {
    let base = name.strip_suffix(".tsr")?;
    let base = match base.strip_prefix("delivery/") {
        Some(rest) => format!("delivery-{}", rest.split('-').next().unwrap_or_default()),
        None => base.replace('/', "-"),
    };
    Some(base)
}

fn sha512_hex(data: &[u8]) -> String {
    hex(digest(&SHA512, data).as_ref())
}
