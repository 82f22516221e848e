package dev.acuse.verify;

import dev.acuse.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The entries of a bundle, as a ZIP or as JSON: their names, order and sizes. */
final class Container {
  static final int MAX_ENTRIES = 512;
  static final long MAX_CONTENT = 96L << 20;
  private static final long MAX_FILE = 144L << 20;
  private static final String KINDS =
      "delivery/\\d{2}-(?:sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)"
          + "\\.";

  private record Rule(Pattern name, long limit) {}

  private static Rule rule(String pattern, long kib) {
    return new Rule(Pattern.compile(pattern), kib * 1024);
  }

  /** In the order of SHA256SUMS. */
  private static final List<Rule> RULES =
      List.of(
          rule("VERIFY\\.md", 256),
          rule("report\\.pdf", 16 << 10),
          rule("manifest\\.json", 64),
          rule("openings\\.json", 256),
          rule("message\\.eml", 32 << 10),
          rule("submission\\.bin", 64 << 10),
          rule("parts/\\d{2,3}\\.bin", 32 << 10),
          rule("proof\\.tlog-proof", 320),
          rule("checkpoint\\.txt", 64),
          rule("history\\.txt", 128),
          rule("outcomes\\.note", 64),
          rule("log-end\\.note", 64),
          rule("(?:message-)?constancia\\.tsr", 256),
          rule("chain/(?:(?:message-)?constancia|(?:delivery|renewal)-\\d{2})\\.pem", 256),
          rule("revocation/[a-z0-9-]{1,64}\\.(?:crl|ocsp)", 16 << 10),
          rule("renewal/\\d{2}\\.sums", 64),
          rule("renewal/\\d{2}\\.list", 96),
          rule("renewal/\\d{2}\\.tsr", 256),
          rule(KINDS + "json", 64),
          rule(KINDS + "openings\\.json", 64),
          rule(KINDS + "tlog-proof", 320),
          rule(KINDS + "tsr", 256),
          rule(KINDS + "transcript\\.json", 4 << 10),
          rule(KINDS + "dsn\\.eml", 16 << 10),
          rule("issued/(?:(?:message-)?constancia|(?:delivery|renewal)-\\d{2})\\.bin", 2 << 10),
          rule("policy\\.json", 512),
          rule("SHA256SUMS", 256));

  private static final List<String> REQUIRED =
      List.of(
          "VERIFY.md",
          "manifest.json",
          "openings.json",
          "proof.tlog-proof",
          "checkpoint.txt",
          "constancia.tsr",
          "chain/constancia.pem",
          "policy.json",
          "SHA256SUMS");

  private Container() {}

  /** JSON or a ZIP, with the name that every bundle has. */
  static boolean looksLikeBundle(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    boolean packed = text.startsWith("{") || text.contains("PK\u0003\u0004");
    return packed && text.contains("proof.tlog-proof");
  }

  static Map<String, byte[]> read(byte[] bytes) {
    Refused.unless(bytes.length <= MAX_FILE, "the file is larger than a bundle");
    boolean json = bytes.length > 0 && bytes[0] == '{';
    Map<String, byte[]> entries = json ? readJson(bytes) : Zip.read(bytes);
    for (String name : REQUIRED) {
      Refused.unless(entries.containsKey(name), "the bundle lacks " + name);
    }
    return entries;
  }

  /** Throws for a name that no bundle has, and for one that is too large. */
  static void checkName(String name, long size) {
    int rank = rank(name);
    Refused.unless(rank < RULES.size(), "the bundle has an unknown entry");
    Refused.unless(size <= RULES.get(rank).limit, name + " is too large");
  }

  private static int rank(String name) {
    int rank = 0;
    while (rank < RULES.size() && !RULES.get(rank).name.matcher(name).matches()) {
      rank++;
    }
    return rank;
  }

  private static Map<String, byte[]> readJson(byte[] bytes) {
    String text = Bytes.text(bytes);
    Refused.unless(text != null, "the bundle is not UTF-8");
    Object value;
    try {
      value = Json.parse(text);
    } catch (IllegalArgumentException malformed) {
      throw new Refused("the bundle is neither a ZIP nor strict JSON");
    }
    Map<String, Object> root = Doc.object(value, Set.of("entries", "type"), Set.of());
    Refused.unless("acuse/bundle/v1".equals(root.get("type")), "the bundle has another type");
    Map<String, byte[]> entries = new LinkedHashMap<>();
    long total = 0;
    for (Object item : Doc.list(root.get("entries"), MAX_ENTRIES)) {
      Map<String, Object> entry = Doc.object(item, Set.of("name"), Set.of("base64", "text"));
      String name = Doc.text(entry.get("name"));
      Refused.unless(entry.size() == 2, "an entry has not one of text and base64");
      byte[] content =
          entry.containsKey("text")
              ? Bytes.utf8(Doc.text(entry.get("text")))
              : Bytes.base64(Doc.text(entry.get("base64")));
      Refused.unless(content != null, "an entry is not base64");
      checkName(name, content.length);
      Refused.unless(entries.put(name, content) == null, "the bundle has a name twice");
      total += content.length;
      Refused.unless(total <= MAX_CONTENT, "the bundle holds too many bytes");
    }
    return entries;
  }

  /** The text that SHA256SUMS must have. */
  static String sums(Map<String, byte[]> entries) {
    List<String> names = new ArrayList<>(entries.keySet());
    names.remove("SHA256SUMS");
    names.sort((a, b) -> rank(a) != rank(b) ? Integer.compare(rank(a), rank(b)) : a.compareTo(b));
    StringBuilder out = new StringBuilder();
    for (String name : names) {
      out.append(Bytes.hex(Bytes.sha256(entries.get(name)))).append("  ").append(name).append('\n');
    }
    return out.toString();
  }

  /** Throws for a chain, a document or a renewal's list whose token is not there. */
  static void nothingStray(Set<String> names) {
    for (String name : names) {
      String token = null;
      if (name.startsWith("chain/") || name.startsWith("issued/")) {
        token = name.substring(name.indexOf('/') + 1, name.length() - 4);
      } else if (name.matches("renewal/\\d\\d\\.(?:sums|list)")) {
        token = "renewal-" + name.substring(8, 10);
      }
      if (token == null) {
        continue;
      }
      boolean numbered = token.matches("(?:delivery|renewal)-\\d\\d");
      String begin = numbered ? token.replace('-', '/') : token + ".tsr";
      boolean there =
          names.stream().anyMatch(each -> each.startsWith(begin) && each.endsWith(".tsr"));
      Refused.unless(there, name + " belongs to a time-stamp that is not there");
    }
  }
}
