package dev.acuse.verify;

import java.time.Instant;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** One verification, step by step, as section 9 of the evidence format lists them. */
final class Verification {
  private static final long MAX_SECONDS = 8_640_000_000_000L;
  private static final String SKIPPED = "not checked because ";

  private final Policy pinned;
  private final List<Report.Check> checks = new ArrayList<>();
  private final Instant at;
  final Instant now;
  private Map<String, byte[]> entries;
  private Policy.Trusted trusted;
  private Stamps stamps;
  private Content content;
  private Line line;

  Verification(Policy pinned, Instant at, Instant now) {
    this.pinned = pinned;
    this.at = at;
    this.now = now;
  }

  Report run(byte[] bundle, byte[] eml) {
    Stamp.Held seal = null;
    entries = check("bundle", () -> Container.read(bundle));
    if (entries != null) {
      seal = verify();
    }
    boolean failed = !isSound();
    Verdict judged = judge();
    return new Report(
        judged.word(),
        judged.reasons(),
        line == null ? List.of() : line.warnings,
        !failed && checks.stream().noneMatch(each -> each.ok() == null),
        pinned.trusted == null ? "bundle" : "pinned",
        seal == null ? null : text(seal.time()),
        seal != null && seal.authority().development(),
        checks,
        eml == null ? null : compare(eml, failed));
  }

  boolean isSound() {
    return checks.stream().noneMatch(each -> Boolean.FALSE.equals(each.ok()));
  }

  List<String> withheld() {
    return content == null ? List.of() : content.withheld;
  }

  private Verdict judge() {
    if (!isSound()) {
      return Verdict.rejected(
          checks.stream()
              .filter(each -> Boolean.FALSE.equals(each.ok()))
              .filter(each -> !each.detail().startsWith(SKIPPED))
              .map(each -> new Report.Remark(each.name(), each.detail()))
              .toList());
    }
    boolean development = stamps.held.values().stream().anyMatch(h -> h.authority().development());
    return new Verdict.Facts(
            pinned.trusted == null,
            development,
            checks.stream().anyMatch(each -> each.ok() == null),
            line.counted != null,
            content == null ? 0 : content.withheld.size(),
            line.oneLog,
            content == null ? "complete" : (String) content.openings.get("content"),
            hasClosedOutcome())
        .judge();
  }

  /** Nothing opens what one of the outcomes rests on. */
  private boolean hasClosedOutcome() {
    long opened =
        entries.keySet().stream()
            .filter(name -> name.matches("delivery/.*\\.openings\\.json"))
            .count();
    return line != null && opened < line.outcomes.size();
  }

  private Report.Copy compare(byte[] eml, boolean failed) {
    return failed || content == null
        ? new Report.Copy("not_comparable", false, false, false)
        : Received.compare(eml, content, entries.get("message.eml"));
  }

  private static String text(Instant time) {
    return new DateTimeFormatterBuilder().appendInstant(3).toFormatter().format(time);
  }

  /** The step's value, or null if it failed or was not made. */
  <T> T check(String name, Supplier<T> step) {
    try {
      T value = step.get();
      checks.add(new Report.Check(name, true, "holds"));
      return value;
    } catch (Refused refused) {
      checks.add(
          new Report.Check(name, refused.isUnchecked() ? null : false, refused.getMessage()));
    } catch (RuntimeException stumbled) {
      // Bytes that make this code stumble are refused all the same.
      checks.add(
          new Report.Check(name, false, "malformed: " + stumbled.getClass().getSimpleName()));
    }
    return null;
  }

  boolean holds(String name, Runnable step) {
    return check(
            name,
            () -> {
              step.run();
              return true;
            })
        != null;
  }

  private boolean isUnchecked(String name) {
    return checks.stream().anyMatch(each -> each.name().equals(name) && each.ok() == null);
  }

  void skip(String name, String failed) {
    checks.add(new Report.Check(name, false, SKIPPED + failed + " failed"));
  }

  private Stamp.Held verify() {
    holds(
        "sums",
        () ->
            Refused.unless(
                Container.sums(entries).equals(Bytes.text(entries.get("SHA256SUMS"))),
                "SHA256SUMS does not match the entries"));
    holds("entries", () -> Container.nothingStray(entries.keySet()));
    trusted =
        check(
            "trust",
            () -> {
              Policy.Trusted own = Policy.read(Doc.canonical(entries.get("policy.json")));
              return pinned.trusted == null ? own : pinned.trusted;
            });
    Map<String, Object> manifest =
        check("manifest", () -> Content.manifest(entries.get("manifest.json")));
    if (trusted == null || manifest == null) {
      for (String name : List.of("openings", "checkpoint", "timestamp", "delivery")) {
        skip(name, "manifest or trust");
      }
      return null;
    }
    stamps = new Stamps(this, entries, trusted);
    byte[] hash = Bytes.sha256(entries.get("manifest.json"));
    checkContent(manifest, Bytes.hex(hash));
    line = new Line(this, entries, trusted, manifest, stamps.held);
    String origin = (String) manifest.get("log");
    Note note = leaf("", "proof.tlog-proof", "constancia.tsr", origin, hash);
    Stamp.Held seal = checkTime(hash, note);
    checkOutcomes(manifest, Bytes.hex(hash));
    if (isSound()) {
      line.check(this);
    }
    if (isSound() && stamps.revocation.revokedLater) {
      String detail = "a certificate was revoked later, after a renewal by others";
      line.warnings.add(new Report.Remark("revoked_later", detail));
    }
    if (isSound() && line.secondLeftOut) {
      String detail = "ML-DSA-44 signature not checked here";
      line.warnings.add(new Report.Remark("mldsa44_not_checked", detail));
    }
    if (entries.containsKey("log-end.note")) {
      checkLogEnd(origin);
    }
    if (isSound() && !stamps.revocation.isEmpty()) {
      holds("revocation", stamps.revocation::checkUsed);
    }
    return seal;
  }

  private void checkContent(Map<String, Object> manifest, String hash) {
    content = check("openings", () -> Content.open(entries, manifest, hash));
    if (content == null) {
      return;
    }
    if (content.hash("submission") != null) {
      holds("submission", () -> same(entry("submission.bin"), content.hash("submission")));
    }
    if (content.hash("raw") != null) {
      checkMessage(content);
    } else if (!content.parts.isEmpty()) {
      holds("message_parts", () -> partsAlone(content));
    }
  }

  private byte[] entry(String name) {
    Refused.unless(entries.containsKey(name), name + " is missing");
    return entries.get(name);
  }

  private static void same(byte[] content, String hash) {
    Refused.unless(Bytes.hex(Bytes.sha256(content)).equals(hash), "another content");
  }

  private void checkMessage(Content content) {
    List<Map<String, Object>> found =
        check(
            "message",
            () -> {
              byte[] message = entry("message.eml");
              same(message, content.hash("raw"));
              return Mime.parts(message);
            });
    if (found == null) {
      skip("message_relaxed", "message");
      skip("message_parts", "message");
      return;
    }
    Mime.Split split = Mime.split(entry("message.eml"));
    holds(
        "message_relaxed",
        () -> {
          if (content.hash("header") != null) {
            same(Mime.relaxedHeader(split.fields()), content.hash("header"));
          }
          if (content.hash("body") != null) {
            same(Mime.relaxedBody(split.body()), content.hash("body"));
          }
        });
    holds("message_parts", () -> compareParts(content, found));
  }

  private static void compareParts(Content content, List<Map<String, Object>> found) {
    boolean unknown = false;
    for (Map.Entry<Integer, Map<String, Object>> each : content.parts.entrySet()) {
      Refused.unless(each.getKey() < found.size(), "a part is missing");
      Map<String, Object> facts = found.get(each.getKey());
      boolean convertible = facts.get("sha256") != null;
      Refused.unless(!convertible || facts.equals(each.getValue()), "a part is another one");
      unknown |= !convertible;
    }
    if (unknown) {
      throw Refused.notChecked("a part is in a charset that this library does not convert");
    }
  }

  private void partsAlone(Content content) {
    content.parts.forEach(
        (index, facts) -> {
          byte[] part = entry(Content.partEntry(index));
          same(part, (String) facts.get("sha256"));
          Refused.unless(facts.get("size").equals((long) part.length), "another size");
        });
  }

  /** Adds checkpoint, inclusion and witness. The note, or null. */
  private Note leaf(String prefix, String proofEntry, String token, String origin, byte[] hash) {
    Instant then = timeOf(token);
    Proof[] proof = new Proof[1];
    Proof.Checkpoint[] checkpoint = new Proof.Checkpoint[1];
    Note note =
        check(
            prefix + "checkpoint",
            () -> {
              proof[0] = Proof.parse(entries.getOrDefault(proofEntry, new byte[0]));
              Note read = Note.parse(proof[0].note());
              List<Key> known =
                  trustedAt(trusted.logs(), then).stream().filter(read::hasSignatureOf).toList();
              Refused.unless(!known.isEmpty(), "not signed by a known key");
              known.forEach(read::assertSigned);
              checkpoint[0] = Proof.checkpoint(read.text());
              boolean own = checkpoint[0].origin().equals(origin);
              Refused.unless(own && known.get(0).name().equals(origin), "of another log");
              line.seconds(read, origin, then);
              return read;
            });
    if (note == null) {
      skip(prefix + "inclusion", prefix + "checkpoint");
      return null;
    }
    boolean held =
        holds(prefix + "inclusion", () -> proof[0].assertIncluded(hash, checkpoint[0]))
            && holds(prefix + "witness", () -> witnesses(note, then));
    if (held) {
      line.leaves.add(new Line.Leaf(proof[0].index(), checkpoint[0]));
    }
    return held ? note : null;
  }

  /**
   * When the keys under a checkpoint must have been trusted: at the genTime of the token over it;
   * null for one that cannot be read, which checks of its own refuse.
   */
  private Instant timeOf(String token) {
    if (!entries.containsKey(token)) {
      return now;
    }
    try {
      return Token.read(entries.get(token)).time;
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  static List<Key> trustedAt(List<Policy.Pinned> keys, Instant at) {
    return keys.stream()
        .filter(each -> at == null || each.window().holds(at))
        .map(Policy.Pinned::key)
        .toList();
  }

  private void checkLogEnd(String origin) {
    List<LogEnd> ends = new ArrayList<>();
    for (Policy.Pinned each : trusted.logs()) {
      try {
        if (each.key().name().equals(origin)) {
          ends.add(LogEnd.open(entries.get("log-end.note"), each.key()));
        }
      } catch (RuntimeException other) {
        continue;
      }
    }
    if (!ends.isEmpty()) {
      holds("log_end", () -> ends.forEach(line::assertWithin));
    }
  }

  private void witnesses(Note note, Instant then) {
    Set<String> operators = new TreeSet<>();
    for (Key key : trustedAt(trusted.witnesses(), then)) {
      if (note.hasSignatureOf(key)) {
        long seconds = note.assertSigned(key);
        Instant time = seconds > MAX_SECONDS ? Instant.MAX : Instant.ofEpochSecond(seconds);
        if (line.canHaveSeen(time)) {
          line.cosigned.add(time);
          operators.add(key.operator());
        }
      }
    }
    Refused.unless(operators.size() >= trusted.needed(), "too few witnesses cosigned");
  }

  private Stamp.Held checkTime(byte[] hash, Note note) {
    Stamp.Held seal = checkConstancia(note);
    if (entries.containsKey("message-constancia.tsr")) {
      stamps.check("message_timestamp", "message-constancia.tsr", "message-constancia", hash);
    }
    return seal;
  }

  private Stamp.Held checkConstancia(Note note) {
    byte[] text = entries.get("checkpoint.txt");
    boolean stamped =
        note != null
            && holds(
                "stamped_checkpoint",
                () ->
                    Refused.unless(
                        Bytes.equal(text, Bytes.utf8(note.text())),
                        "checkpoint.txt is not the text that the log signed"));
    if (!stamped) {
      skip("timestamp", "checkpoint");
      return null;
    }
    return stamps.constancia(Bytes.sha256(text), at);
  }

  private void checkOutcomes(Map<String, Object> manifest, String hash) {
    Set<String> bases = new TreeSet<>();
    for (String name : entries.keySet()) {
      if (name.startsWith("delivery/")) {
        bases.add(name.substring(0, name.indexOf('.')));
      }
    }
    boolean numbered =
        holds(
            "delivery",
            () -> {
              Refused.unless(bases.size() <= Line.MAX_OUTCOMES, "too many outcomes");
              int number = 0;
              for (String base : bases) {
                String expected = String.format("delivery/%02d-", ++number);
                Refused.unless(base.startsWith(expected), "an outcome is missing");
              }
            });
    String previous = hash;
    for (String base : numbered ? bases : Set.<String>of()) {
      String name = "delivery." + base.substring(9, 11);
      if (previous == null) {
        skip(name, "the outcome before it");
      } else {
        previous = checkOutcome(name, base, manifest, new String[] {hash, previous});
      }
    }
  }

  /** Where the recipient acknowledged by mail: does that mail say so? */
  private boolean isReplyHeld(String name, String base, Map<String, Object> message) {
    Map<?, ?> opened = Outcome.openings(entries, base);
    if (!(Outcome.facts(opened).get("acknowledgement") instanceof Map<?, ?> act)
        || !(act.get("dkim") instanceof Map<?, ?> key)) {
      return true;
    }
    return check(
            name,
            () -> {
              Map<?, ?> mail = (Map<?, ?>) Outcome.facts(opened).get("reported_by_mail");
              Object kept = ((Map<?, ?>) opened.get("dsn")).get("sha256");
              Refused.unless(kept.equals(mail.get("sha256")), "the mail is not kept as it came");
              Refused.unless(content != null, "the openings do not hold");
              Map<?, ?> envelope = (Map<?, ?>) content.openings.get("envelope");
              Map<?, ?> to = (Map<?, ?>) envelope.get("rcpt_to");
              String recipient = to == null ? null : (String) to.get("value");
              String id = (String) message.get("message_id");
              Reply.check(entry(base + ".dsn.eml"), key, id, recipient);
              return true;
            })
        != null;
  }

  /** Its canonical hash, or null. chain: the message's hash and that of the leaf before. */
  private String checkOutcome(
      String name, String base, Map<String, Object> message, String[] chain) {
    byte[] hash =
        check(
            name,
            () -> {
              byte[] bytes = entry(base + ".json");
              Map<String, Object> outcome = Outcome.manifest(bytes);
              boolean own =
                  Objects.equals(outcome.get("log"), message.get("log"))
                      && Objects.equals(outcome.get("message_id"), message.get("message_id"))
                      && chain[0].equals(outcome.get("message_canonical_hash"));
              Refused.unless(own, "of another message or log");
              Refused.unless(chain[1].equals(outcome.get("previous")), "not chained");
              Refused.unless(base.endsWith("-" + outcome.get("kind")), "of another kind");
              Outcome.assertTimeRanOut(outcome, message.get("acknowledgement"));
              byte[] own256 = Bytes.sha256(bytes);
              Outcome.open(entries, base, outcome, Bytes.hex(own256));
              return own256;
            });
    if (hash == null || !isReplyHeld(name + ".reply", base, message)) {
      return null;
    }
    String origin = (String) message.get("log");
    Note note = leaf(name + ".", base + ".tlog-proof", base + ".tsr", origin, hash);
    if (note == null) {
      return null;
    }
    Instant sealed = null;
    if (entries.containsKey(base + ".tsr")) {
      byte[] imprint = Bytes.sha256(Bytes.utf8(note.text()));
      String chainName = "delivery-" + base.substring(9, 11);
      String check = name + ".timestamp";
      Stamp.Held held = stamps.check(check, base + ".tsr", chainName, imprint);
      if (held == null && !isUnchecked(check + "_revocation")) {
        return null;
      }
      sealed = held == null ? null : held.time();
    }
    Map<String, Object> outcome = Outcome.manifest(entries.get(base + ".json"));
    line.outcomes.add(new Line.Told(hash, Window.time(outcome.get("occurred_at")), sealed));
    return Bytes.hex(hash);
  }
}
