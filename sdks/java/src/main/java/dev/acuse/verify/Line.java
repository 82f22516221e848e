package dev.acuse.verify;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Is what a bundle says one story? All outcomes that the log counted are here, all trees are one
 * log, and no time contradicts another. Looked at once everything else holds.
 */
final class Line {
  static final Duration TOLERANCE = Duration.ofMinutes(5);
  static final Duration DAY = Duration.ofDays(1);
  static final int MAX_OUTCOMES = 32;
  private static final Duration OLD_COUNT = Duration.ofDays(30);
  private static final int MAX_PATH = 64;
  private static final long MAX_SECONDS = 253_402_300_799L;

  /** A leaf of the log that the bundle proves. */
  record Leaf(long index, Proof.Checkpoint tree) {}

  /** An outcome, when it occurred, and when its own time-stamp was made, or null. */
  record Told(byte[] hash, Instant occurred, Instant sealed) {}

  /** A time that a bundle states, and the size of the tree that it stamps; 0 for none. */
  private record Stated(String what, Instant time, long size) {
    Stated(String what, Instant time) {
      this(what, time, 0);
    }

    boolean isAfter(Instant other, Duration margin) {
      return time.isAfter(other.plus(margin));
    }

    @Override
    public String toString() {
      return what + " at " + time;
    }
  }

  private final Map<String, byte[]> entries;
  private final Policy.Trusted trusted;
  private final String origin;
  private final Instant now;
  private final Instant accepted;
  private final byte[] hash;
  private final List<String> withheld;
  private final Map<String, Stamp.Held> stamps;

  /** The leaf of the message, then that of each outcome. */
  final List<Leaf> leaves = new ArrayList<>();

  final List<Told> outcomes = new ArrayList<>();
  final List<Instant> cosigned = new ArrayList<>();
  final List<Report.Remark> warnings = new ArrayList<>();
  Instant counted;
  boolean oneLog;

  /** A signature of ML-DSA-44 was not checked. */
  boolean secondLeftOut;

  Line(
      Verification of,
      Map<String, byte[]> entries,
      Policy.Trusted trusted,
      Map<String, Object> manifest,
      Map<String, Stamp.Held> stamps) {
    this.entries = entries;
    this.trusted = trusted;
    this.origin = (String) manifest.get("log");
    this.now = of.now;
    this.accepted = Window.time(manifest.get("accepted_at"));
    this.hash = Bytes.sha256(entries.get("manifest.json"));
    this.withheld = of.withheld();
    this.stamps = stamps;
  }

  /** Can a witness have seen the message then? */
  boolean canHaveSeen(Instant time) {
    return time.getEpochSecond() > 0
        && !time.isBefore(accepted.minus(TOLERANCE))
        && !time.isAfter(now.plus(DAY));
  }

  void check(Verification list) {
    boolean said =
        entries.containsKey("outcomes.note")
            || entries.containsKey("log-end.note")
            || !withheld.isEmpty();
    if (said) {
      counted = list.check("outcomes", this::countOutcomes);
    }
    Boolean shown = list.check("history", this::checkHistory);
    oneLog = Boolean.TRUE.equals(shown);
    list.holds("order", this::checkOrder);
    List<Stated> all = list.check("times", this::checkTimes);
    if (all != null && list.isSound()) {
      warn(all);
    }
  }

  /** The time at which they were counted. */
  private Instant countOutcomes() {
    byte[] bytes = entries.get("outcomes.note");
    Refused.unless(bytes != null, "outcomes.note is missing, and something here rests on it");
    String content = Bytes.text(bytes);
    Refused.unless(content != null, "outcomes.note is not UTF-8");
    Note note = Note.parse(content);
    Proof.Checkpoint stated = Proof.checkpoint(note.text());
    String own = origin + "/m/" + Bytes.hex(hash);
    Refused.unless(stated.origin().equals(own), "outcomes.note is of another message");
    boolean three = note.text().chars().filter(each -> each == '\n').count() == 3;
    Refused.unless(three, "outcomes.note has more than three lines");
    Refused.unless(stated.size() > 0, "outcomes.note does not count the message");
    Instant asOf = countedBy(note);
    int here = outcomes.size() + withheld.size();
    Refused.unless(here <= MAX_OUTCOMES, "too many outcomes");
    List<byte[]> all = new ArrayList<>(List.of(hash));
    outcomes.forEach(each -> all.add(each.hash));
    withheld.forEach(each -> all.add(Bytes.fromHex(each)));
    Refused.unless(
        stated.size() == all.size(),
        "the operator counted " + (stated.size() - 1) + " outcomes, " + here + " are here");
    Refused.unless(Bytes.equal(LogTree.rootOf(all), stated.root()), "other outcomes were counted");
    return asOf;
  }

  private Instant countedBy(Note note) {
    List<Policy.Pinned> keys =
        new ArrayList<>(
            trusted.logs().stream().filter(each -> each.key().name().equals(origin)).toList());
    if (entries.containsKey("log-end.note")) {
      keys.add(new Policy.Pinned(successor(keys), Window.ALWAYS));
    }
    Instant asOf = null;
    String by = null;
    String why = "outcomes.note is not signed by a trusted key of the log";
    for (Policy.Pinned each : keys) {
      Key cosigner = each.key().cosigner();
      if (!note.hasSignatureOf(cosigner)) {
        continue;
      }
      // All that one of them signed must verify; a key may stand twice, for two times.
      long seconds = note.assertSigned(cosigner);
      boolean isTime = seconds >= 0 && seconds <= MAX_SECONDS;
      if (asOf == null && isTime && each.window().holds(Instant.ofEpochSecond(seconds))) {
        asOf = Instant.ofEpochSecond(seconds);
        by = cosigner.name();
      }
      why = "outcomes.note was signed when its key was not trusted";
    }
    Refused.unless(asOf != null, why);
    for (long also : secondsOfCounter(note, by, asOf)) {
      boolean isSame = also == asOf.getEpochSecond();
      Refused.unless(isSame, "the signatures of outcomes.note are of two times");
    }
    return asOf;
  }

  /**
   * Throws unless each second key of this name that was trusted then signed too. The times that
   * they state; none are looked at where the time is null: it cannot be read, which is refused
   * anyway.
   */
  List<Long> seconds(Note note, String name, Instant then) {
    List<Long> stated = new ArrayList<>();
    if (then != null) {
      for (Key key : Verification.trustedAt(trusted.seconds(), then)) {
        if (key.name().equals(name)) {
          stated.add(note.assertSecond(key));
          secondLeftOut = true;
        }
      }
    }
    return stated;
  }

  /**
   * The same of whoever counted the outcomes: the log itself, or the log that goes on. The end of a
   * log, which names the latter, has no second signature: it must not spare the count one, whatever
   * time that states.
   */
  private List<Long> secondsOfCounter(Note note, String name, Instant then) {
    boolean isKnown =
        Verification.trustedAt(trusted.seconds(), then).stream()
            .anyMatch(key -> key.name().equals(origin));
    if (name.equals(origin) || !isKnown) {
      return seconds(note, name, then);
    }
    List<Key> listed =
        trusted.seconds().stream()
            .map(Policy.Pinned::key)
            .filter(key -> key.name().equals(name))
            .toList();
    Refused.unless(!listed.isEmpty(), "outcomes.note is counted by a log without a second key");
    secondLeftOut = true;
    return listed.stream().map(note::assertSecond).toList();
  }

  private Key successor(List<Policy.Pinned> keys) {
    for (Policy.Pinned each : keys) {
      try {
        LogEnd end = LogEnd.open(entries.get("log-end.note"), each.key());
        if (each.window().holds(end.endedAt())) {
          return end.successor();
        }
      } catch (RuntimeException other) {
        continue;
      }
    }
    throw new Refused("log-end.note is not the end of this log, signed by a trusted key");
  }

  /** True if the bundle shows its trees to be one log. */
  private boolean checkHistory() {
    TreeMap<Long, byte[]> trees = new TreeMap<>();
    for (Leaf each : leaves) {
      byte[] other = trees.put(each.tree.size(), each.tree.root());
      boolean same = other == null || Bytes.equal(other, each.tree.root());
      Refused.unless(same, "the log signed two trees of " + each.tree.size() + " leaves");
    }
    byte[] bytes = entries.get("history.txt");
    if (bytes == null) {
      return trees.size() == 1;
    }
    Refused.unless(trees.size() > 1, "history.txt is there, and every proof is of one tree");
    String text = Bytes.text(bytes);
    String[] blocks = text == null ? new String[0] : text.split("\n\n", -1);
    boolean formed = blocks.length == trees.size() && blocks[blocks.length - 1].isEmpty();
    Refused.unless(formed, "history.txt is not a proof for each tree");
    List<Long> sizes = List.copyOf(trees.keySet());
    for (int i = 1; i < sizes.size(); i++) {
      long from = sizes.get(i - 1);
      long to = sizes.get(i);
      List<String> lines = Arrays.asList(blocks[i - 1].split("\n", -1));
      boolean named = lines.get(0).equals("consistency " + from + " " + to);
      Refused.unless(named && lines.size() <= MAX_PATH + 1, "history.txt lacks a proof");
      List<byte[]> path = lines.subList(1, lines.size()).stream().map(Proof::hash).toList();
      Refused.unless(
          LogTree.isConsistent(from, trees.get(from), to, trees.get(to), path),
          "the tree of " + from + " leaves is not shown to be the beginning of that of " + to);
    }
    return true;
  }

  private void checkOrder() {
    for (int i = 1; i < leaves.size(); i++) {
      boolean later = leaves.get(i).index > leaves.get(i - 1).index;
      Refused.unless(later, "outcome " + i + " is in the log before what it follows");
    }
  }

  /** All of it came to the log, and was published, before it ended. */
  void assertWithin(LogEnd end) {
    leaves.forEach(each -> end.assertWithin(each.tree()));
    end.assertAfter(accepted, TOLERANCE);
    outcomes.forEach(each -> end.assertAfter(each.occurred, TOLERANCE));
    boolean past = !end.endedAt().isAfter(now.plus(DAY));
    Refused.unless(past, "the log ended at " + end.endedAt() + ", and it is " + now + " here");
  }

  private List<Stated> occurred() {
    List<Stated> out = new ArrayList<>();
    for (Told each : outcomes) {
      out.add(new Stated("outcome " + (out.size() + 1), each.occurred));
    }
    return out;
  }

  private Stated sealed() {
    Instant time = stamps.get("constancia.tsr").time();
    return new Stated("sealed", time, leaves.get(0).tree.size());
  }

  private List<Stated> stamped() {
    List<Stated> out = new ArrayList<>(List.of(sealed()));
    if (stamps.containsKey("message-constancia.tsr")) {
      Instant time = stamps.get("message-constancia.tsr").time();
      out.add(new Stated("the message's own time-stamp", time));
    }
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i).sealed != null) {
        long size = leaves.get(i + 1).tree.size();
        out.add(new Stated("outcome " + (i + 1) + " sealed", outcomes.get(i).sealed, size));
      }
    }
    return out;
  }

  /** All times that are stated. Throws if one of them contradicts another. */
  private List<Stated> checkTimes() {
    Stated begin = new Stated("accepted", accepted);
    List<Stated> occurred = occurred();
    List<Stated> stamped = stamped();
    List<Stated> renewed = new ArrayList<>();
    new TreeMap<>(stamps)
        .tailMap("renewal/")
        .forEach((name, held) -> renewed.add(new Stated("renewed", held.time())));
    List<Stated> count =
        counted == null ? List.of() : List.of(new Stated("outcomes counted", counted));
    stamped.forEach(each -> notAfter(begin, each));
    for (int i = 0; i < occurred.size(); i++) {
      Stated outcome = occurred.get(i);
      notAfter(begin, outcome);
      for (Stated stamp : stamped) {
        if (stamp.size > leaves.get(i + 1).index) {
          notAfter(outcome, stamp);
        }
      }
      count.forEach(each -> notAfter(outcome, each));
    }
    count.forEach(each -> notAfter(sealed(), each));
    Stated before = sealed();
    for (Stated renewal : renewed) {
      notAfter(before, renewal);
      before = renewal;
    }
    List<Stated> all = new ArrayList<>(List.of(begin));
    List.of(occurred, stamped, renewed, count).forEach(all::addAll);
    for (Stated each : all) {
      Refused.unless(!each.isAfter(now, DAY), each + ", and it is " + now + " here");
    }
    return all;
  }

  private static void notAfter(Stated earlier, Stated later) {
    Refused.unless(!earlier.isAfter(later.time, TOLERANCE), earlier + ", yet " + later);
  }

  private void warn(List<Stated> all) {
    List<Stated> clocks = new ArrayList<>(all);
    cosigned.forEach(time -> clocks.add(new Stated("cosigned", time)));
    clocks.stream()
        .filter(each -> each.isAfter(now, TOLERANCE))
        .findFirst()
        .ifPresent(
            each ->
                add("clock", each + ", and it is " + now + " here: one of the clocks is wrong"));
    Stated sealed = sealed();
    if (sealed.isAfter(accepted, DAY)) {
      add("sealed_late", sealed + ": that it was accepted before is the operator's word");
    }
    List<Stated> occurred = occurred();
    boolean ordered = true;
    for (int i = 0; i < occurred.size(); i++) {
      Stated earlier = occurred.get(i);
      ordered &=
          occurred.subList(i + 1, occurred.size()).stream()
              .noneMatch(later -> earlier.isAfter(later.time, TOLERANCE));
    }
    if (!ordered) {
      add("occurred_order", "an outcome occurred after one that was recorded later");
    }
    if (outcomes.stream().anyMatch(each -> each.sealed == null)) {
      add("outcome_unstamped", "when an outcome was recorded is the operator's word");
    }
    if (counted != null && counted.isBefore(now.minus(OLD_COUNT))) {
      add("outcomes_old", counted + ": later outcomes are not in this file");
    }
  }

  private void add(String name, String detail) {
    warnings.add(new Report.Remark(name, detail));
  }
}
