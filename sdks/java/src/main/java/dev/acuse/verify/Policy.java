package dev.acuse.verify;

import dev.acuse.ConfigurationException;
import dev.acuse.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The trusted parties: logs, time-stamping authorities and witnesses. */
public final class Policy {
  /**
   * Trusts the policy in the bundle itself, which is the operator's statement about itself: compare
   * it with what you know before you rely on a verdict.
   */
  public static final Policy TRUST_BUNDLE = new Policy(null);

  private static final int MAX = 16;
  private static final int MAX_OF_AUTHORITY = 32;
  private static final Pattern OID = Pattern.compile("[0-2](?:\\.(?:0|[1-9]\\d*)){1,20}");
  final Trusted trusted;

  /** The content of a policy. {@code seconds}: the ML-DSA-44 keys of logs. */
  record Trusted(
      List<Pinned> logs,
      List<Pinned> seconds,
      List<Authority> authorities,
      List<Pinned> witnesses,
      long quorum,
      Long reached) {
    long needed() {
      return reached == null ? quorum : reached;
    }
  }

  /** A key and when it is trusted: at the time of what it signed. */
  record Pinned(Key key, Window window) {}

  /** A time-stamping authority. */
  record Authority(
      String profile,
      String name,
      List<Cert> roots,
      boolean development,
      List<String> leafEku,
      List<String> policies,
      List<String> hashes,
      boolean revocationRequired,
      Window window) {}

  private Policy(Trusted trusted) {
    this.trusted = trusted;
  }

  /**
   * Reads a policy of your own.
   *
   * @param file {@code policy.json}
   * @return a policy; it requires its whole quorum of witnesses
   * @throws IOException if the file cannot be read
   * @throws ConfigurationException for anything but a policy
   */
  public static Policy load(Path file) throws IOException {
    return of(Files.readAllBytes(file));
  }

  /**
   * Reads a policy of your own.
   *
   * @param json of {@code policy.json}
   * @return a policy; it requires its whole quorum of witnesses
   * @throws ConfigurationException for anything but a policy
   */
  public static Policy of(byte[] json) {
    try {
      String text = Bytes.text(json);
      Refused.unless(text != null, "not UTF-8");
      Trusted read = read(Json.parse(text));
      return new Policy(
          new Trusted(
              read.logs, read.seconds, read.authorities, read.witnesses, read.quorum, null));
    } catch (Refused | IllegalArgumentException malformed) {
      throw new ConfigurationException("The policy cannot be used: " + malformed.getMessage());
    }
  }

  static Trusted read(Object value) {
    Set<String> fields =
        Set.of("log_keys", "time_stamps", "type", "witness_keys", "witness_quorum");
    Map<String, Object> root = Doc.object(value, fields, Set.of("witness_reached"));
    Doc.oneOf(root.get("type"), "acuse/policy/v1");
    List<Pinned> listed = keys(root.get("log_keys"), Key::parseOfLog);
    List<Pinned> logs = listed.stream().filter(each -> each.key.type() == Key.LOG).toList();
    List<Pinned> seconds = listed.stream().filter(each -> each.key.type() == Key.SECOND).toList();
    List<Pinned> witnesses = keys(root.get("witness_keys"), text -> Key.parse(text, Key.WITNESS));
    Set<String> seen = new HashSet<>();
    for (Pinned each : witnesses) {
      Key key = each.key;
      boolean single = seen.add("n" + key.name()) & seen.add("k" + Bytes.hex(key.material()));
      Refused.unless(single, "a witness has two keys, or a key two names");
      Refused.unless(
          logs.stream().noneMatch(log -> isOwn(key, log.key)), "a log is its own witness");
    }
    long quorum = Doc.whole(root.get("witness_quorum"));
    Long reached = null;
    if (root.containsKey("witness_reached")) {
      reached = Doc.whole(root.get("witness_reached"));
      Refused.unless(reached < quorum, "witness_reached is not below witness_quorum");
    }
    List<Authority> authorities = new ArrayList<>();
    for (Object each : Doc.list(root.get("time_stamps"), MAX)) {
      authorities.add(authority(each));
    }
    return new Trusted(logs, seconds, authorities, witnesses, quorum, reached);
  }

  private static boolean isOwn(Key witness, Key log) {
    return Bytes.equal(witness.material(), log.material()) || witness.host().equals(log.host());
  }

  /** A text alone is the form of older bundles: a key without a window. */
  private static List<Pinned> keys(Object value, Function<String, Key> parse) {
    List<Pinned> keys = new ArrayList<>();
    for (Object each : Doc.list(value, MAX)) {
      Object full = each instanceof String ? Map.of("key", each) : each;
      Map<String, Object> pinned = Doc.object(full, Set.of("key"), Window.FIELDS);
      keys.add(new Pinned(parse.apply(Doc.text(pinned.get("key"))), Window.read(pinned)));
    }
    return keys;
  }

  private static Authority authority(Object value) {
    Set<String> optional =
        Set.of(
            "development",
            "leafEku",
            "policies",
            "hashAlgorithms",
            "nonce",
            "revocation",
            "from",
            "until");
    Map<String, Object> root = Doc.object(value, Set.of("profile", "name", "roots"), optional);
    String name = Doc.text(root.get("name"));
    int length = name.codePointCount(0, name.length());
    boolean sound = length > 0 && length <= 200 && name.chars().noneMatch(Character::isISOControl);
    Refused.unless(sound, "the name of an authority is not a short text");
    List<Cert> roots = new ArrayList<>();
    for (Object each : Doc.list(root.get("roots"), MAX_OF_AUTHORITY)) {
      List<byte[]> ders = Cert.fromPem(Doc.text(each));
      Refused.unless(!ders.isEmpty(), "a root is not PEM");
      ders.forEach(der -> roots.add(Cert.read(der)));
    }
    Refused.unless(!roots.isEmpty(), "an authority pins no root");
    flag(root, "nonce");
    List<String> hashes = texts(root, "hashAlgorithms", Pattern.compile("sha(?:256|384|512)"));
    return new Authority(
        Doc.oneOf(root.get("profile"), "rfc3161", "nom151"),
        name,
        roots,
        flag(root, "development"),
        texts(root, "leafEku", OID),
        texts(root, "policies", OID),
        root.containsKey("hashAlgorithms") ? hashes : List.of("sha256", "sha384", "sha512"),
        required(root),
        Window.read(root));
  }

  private static boolean required(Map<String, Object> root) {
    if (root.containsKey("revocation")) {
      Doc.oneOf(root.get("revocation"), "required");
    }
    return root.containsKey("revocation");
  }

  private static boolean flag(Map<String, Object> root, String name) {
    Object value = root.get(name);
    Refused.unless(!root.containsKey(name) || value instanceof Boolean, "not true or false");
    return Boolean.TRUE.equals(value);
  }

  private static List<String> texts(Map<String, Object> root, String name, Pattern shape) {
    List<String> out = new ArrayList<>();
    for (Object each :
        root.containsKey(name) ? Doc.list(root.get(name), MAX_OF_AUTHORITY) : List.of()) {
      out.add(Doc.text(each, shape));
    }
    return out;
  }

  @Override
  public String toString() {
    return trusted == null ? "Policy{TRUST_BUNDLE}" : "Policy{pinned}";
  }
}
