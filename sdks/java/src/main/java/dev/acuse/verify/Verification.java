package dev.acuse.verify;

import java.time.Duration;
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
  private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(5);
  private static final int MAX_OUTCOMES = 32;

  private final Policy pinned;
  private final List<Report.Check> checks = new ArrayList<>();
  private final Instant at;
  private Map<String, byte[]> entries;
  private Policy.Trusted trusted;
  private Stamps stamps;
  private Content content;

  Verification(Policy pinned, Instant at) {
    this.pinned = pinned;
    this.at = at;
  }

  Report run(byte[] bundle, byte[] eml) {
    Stamp.Held seal = null;
    entries = check("bundle", () -> Container.read(bundle));
    if (entries != null) {
      seal = verify();
    }
    boolean failed = checks.stream().anyMatch(each -> Boolean.FALSE.equals(each.ok()));
    boolean open = checks.stream().anyMatch(each -> each.ok() == null);
    String verdict = failed ? Report.INVALID : open ? Report.INCOMPLETE : Report.VALID;
    return new Report(
        verdict,
        pinned.trusted == null ? "bundle" : "pinned",
        seal == null ? null : text(seal.time()),
        seal != null && seal.authority().development(),
        checks,
        eml == null ? null : compare(eml, failed));
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

  private boolean holds(String name, Runnable step) {
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
    checks.add(new Report.Check(name, false, "not checked because " + failed + " failed"));
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
    String origin = (String) manifest.get("log");
    Note note = leaf("", "proof.tlog-proof", origin, hash);
    Stamp.Held seal = checkTime(manifest, hash, note);
    checkOutcomes(manifest, Bytes.hex(hash));
    boolean sound = checks.stream().noneMatch(each -> Boolean.FALSE.equals(each.ok()));
    if (sound && !stamps.revocation.isEmpty()) {
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
  private Note leaf(String prefix, String proofEntry, String origin, byte[] hash) {
    Proof[] proof = new Proof[1];
    Proof.Checkpoint[] checkpoint = new Proof.Checkpoint[1];
    Note note =
        check(
            prefix + "checkpoint",
            () -> {
              proof[0] = Proof.parse(entries.getOrDefault(proofEntry, new byte[0]));
              Note read = Note.parse(proof[0].note());
              List<Key> known = trusted.logs().stream().filter(read::hasSignatureOf).toList();
              Refused.unless(!known.isEmpty(), "not signed by a known key");
              known.forEach(read::assertSigned);
              checkpoint[0] = Proof.checkpoint(read.text());
              boolean own = checkpoint[0].origin().equals(origin);
              Refused.unless(own && known.get(0).name().equals(origin), "of another log");
              return read;
            });
    if (note == null) {
      skip(prefix + "inclusion", prefix + "checkpoint");
      return null;
    }
    boolean held =
        holds(prefix + "inclusion", () -> proof[0].assertIncluded(hash, checkpoint[0]))
            && holds(prefix + "witness", () -> witnesses(note));
    return held ? note : null;
  }

  private void witnesses(Note note) {
    Set<String> operators = new TreeSet<>();
    for (Key key : trusted.witnesses()) {
      if (note.hasSignatureOf(key)) {
        note.assertSigned(key);
        operators.add(key.operator());
      }
    }
    Refused.unless(operators.size() >= trusted.needed(), "too few witnesses cosigned");
  }

  private Stamp.Held checkTime(Map<String, Object> manifest, byte[] hash, Note note) {
    if (entries.containsKey("message-constancia.tsr")) {
      stamps.check("message_timestamp", "message-constancia.tsr", "message-constancia", hash);
    }
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
    Stamp.Held seal = stamps.constancia(Bytes.sha256(text), at);
    if (seal != null) {
      Instant accepted = Instant.parse((String) manifest.get("accepted_at"));
      holds(
          "time_order",
          () ->
              Refused.unless(
                  !accepted.isAfter(seal.time().plus(CLOCK_TOLERANCE)),
                  "accepted after it was sealed"));
    }
    return seal;
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
              Refused.unless(bases.size() <= MAX_OUTCOMES, "too many outcomes");
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
              byte[] own256 = Bytes.sha256(bytes);
              Outcome.open(entries, base, outcome, Bytes.hex(own256));
              return own256;
            });
    if (hash == null) {
      return null;
    }
    String origin = (String) message.get("log");
    Note note = leaf(name + ".", base + ".tlog-proof", origin, hash);
    if (note == null) {
      return null;
    }
    if (entries.containsKey(base + ".tsr")) {
      byte[] imprint = Bytes.sha256(Bytes.utf8(note.text()));
      String chainName = "delivery-" + base.substring(9, 11);
      String check = name + ".timestamp";
      Stamp.Held held = stamps.check(check, base + ".tsr", chainName, imprint);
      if (held == null && !isUnchecked(check + "_revocation")) {
        return null;
      }
    }
    return Bytes.hex(hash);
  }
}
