package dev.acuse.verify;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** One outcome's manifest and openings, section 5 of the evidence format. */
final class Outcome {
  private static final String ETSI = "http://uri.etsi.org/19522/Event/";
  private static final String TRUST =
      "{\"operator_asserted\":[\"attempt\",\"dsn\",\"facts\",\"kind\",\"occurred_at\",\"source\","
          + "\"transcript\"],\"third_party_verifiable\":[\"message_canonical_hash\",\"previous\"]}";
  private static final String[] RESULTS = {
    "fail", "neutral", "none", "not_checked", "pass", "permerror", "softfail", "temperror"
  };

  private Outcome() {}

  static Map<String, Object> manifest(byte[] bytes) {
    Map<String, Object> root =
        Doc.object(
            Doc.canonical(bytes),
            Set.of(
                "attempt",
                "dsn",
                "etsi",
                "facts",
                "kind",
                "log",
                "message_canonical_hash",
                "message_id",
                "occurred_at",
                "previous",
                "source",
                "transcript",
                "trust",
                "type"),
            Set.of());
    Doc.oneOf(root.get("type"), "acuse/delivery/v1");
    String kind = Doc.text(root.get("kind"));
    String source = Doc.text(root.get("source"));
    Refused.unless(
        java.util.Objects.equals(event(kind, source), root.get("etsi")), "another event");
    Refused.unless(Key.isName(Doc.text(root.get("log"))), "log is malformed");
    Doc.text(root.get("message_id"), Doc.UUID);
    Window.time(root.get("occurred_at"));
    Doc.whole(root.get("attempt"));
    for (String name : List.of("facts", "message_canonical_hash", "previous")) {
      Doc.hex(root.get(name));
    }
    for (String name : List.of("dsn", "transcript")) {
      if (root.get(name) != null) {
        Doc.hex(root.get(name));
      }
    }
    boolean unreported =
        source.equals("recipient_page") || kind.equals("cancelled") || kind.equals("unanswered");
    Refused.unless(!unreported || root.get("dsn") == null, "a report of nothing");
    Refused.unless(!isReply(kind, source) || root.get("dsn") != null, "a reply that is not there");
    boolean session = source.equals("session");
    Refused.unless(session || root.get("transcript") == null, "a transcript without a session");
    Refused.unless(Doc.write(root.get("trust")).equals(TRUST), "another trust field");
    return root;
  }

  private static String event(String kind, String source) {
    return switch (kind + " " + source) {
      case "sent session" -> ETSI + "RelayToNonERDS";
      case "bounced session", "bounced operator" -> ETSI + "RelayToNonERDSFailure";
      case "bounced reported_by_mail",
              "complained reported_by_mail",
              "acknowledged reported_by_mail",
              "displayed reported_by_mail" ->
          ETSI + "ReceivedFromNonERDS";
      case "cancelled operator",
              "acknowledged recipient_page",
              "refused recipient_page",
              "unanswered operator" ->
          null;
      default -> throw new Refused("an outcome that no such source states");
    };
  }

  /** The recipient's own reply by mail, which is the proof itself. */
  private static boolean isReply(String kind, String source) {
    return kind.equals("acknowledged") && source.equals("reported_by_mail");
  }

  /** `asked`: what the message's manifest says, or null. Both times are the operator's own word. */
  static void assertTimeRanOut(Map<String, Object> manifest, Object asked) {
    if (!manifest.get("kind").equals("unanswered")) {
      return;
    }
    Refused.unless(asked != null, "it answers what the message did not ask for");
    Object until = Doc.object(asked, Set.of("until"), Set.of()).get("until");
    boolean over = !Window.time(manifest.get("occurred_at")).isBefore(Window.time(until));
    Refused.unless(over, "unanswered while the recipient still had time to answer");
  }

  /** Throws unless the openings, if there are any, open all of it and the contents match. */
  static void open(
      Map<String, byte[]> entries, String base, Map<String, Object> manifest, String hash) {
    Map<String, Object> opened = Map.of();
    if (entries.containsKey(base + ".openings.json")) {
      Set<String> fields = Set.of("canonical_hash", "dsn", "facts", "transcript", "type");
      byte[] bytes = entries.get(base + ".openings.json");
      opened = Doc.object(Doc.canonical(bytes), fields, Set.of());
      Doc.oneOf(opened.get("type"), "acuse/delivery-openings/v1");
      Refused.unless(hash.equals(opened.get("canonical_hash")), "openings of another outcome");
      Map<String, Object> facts =
          Doc.object(opened.get("facts"), Set.of("salt", "value"), Set.of());
      facts(facts.get("value"), (String) manifest.get("kind"), (String) manifest.get("source"));
      String made = Bytes.hex(Bytes.sha256(Bytes.utf8(Doc.write(facts.get("value")))));
      Doc.opens(facts.get("salt"), made, (String) manifest.get("facts"));
    }
    for (String label : List.of("transcript", "dsn")) {
      byte[] content = entries.get(base + (label.equals("dsn") ? ".dsn.eml" : ".transcript.json"));
      Object opening = opened.get(label);
      Refused.unless((opening == null) == (content == null), label + " without its opening");
      boolean whole = opened.isEmpty() || (opening == null) == (manifest.get(label) == null);
      Refused.unless(whole, label + " is not opened");
      if (opening != null) {
        Map<String, Object> pair = Doc.object(opening, Set.of("salt", "sha256"), Set.of());
        boolean same = Bytes.hex(Bytes.sha256(content)).equals(pair.get("sha256"));
        Refused.unless(same, "another " + label);
        Doc.opens(pair.get("salt"), pair.get("sha256"), (String) manifest.get(label));
      }
    }
  }

  /** Those that were opened; empty where there are none. */
  static Map<?, ?> openings(Map<String, byte[]> entries, String base) {
    byte[] bytes = entries.get(base + ".openings.json");
    return bytes == null ? Map.of() : (Map<?, ?>) Doc.canonical(bytes);
  }

  static Map<?, ?> facts(Map<?, ?> openings) {
    return openings.get("facts") instanceof Map<?, ?> facts
        ? (Map<?, ?>) facts.get("value")
        : Map.of();
  }

  private static void facts(Object value, String kind, String source) {
    Set<String> fields = Set.of("ip", "mx", "reply", "reported_by_mail", "tls");
    Map<String, Object> facts = Doc.object(value, fields, Set.of("acknowledgement"));
    act(facts, kind, source);
    Doc.nullableText(facts.get("ip"));
    Doc.nullableText(facts.get("mx"));
    reply(facts.get("reply"));
    if (facts.get("tls") != null) {
      Set<String> names = Set.of("cipher", "peer_certificate_sha256", "version");
      Map<String, Object> tls = Doc.object(facts.get("tls"), names, Set.of());
      Doc.text(tls.get("cipher"));
      Doc.text(tls.get("version"));
      Doc.nullableText(tls.get("peer_certificate_sha256"));
    }
    boolean mailed = source.equals("reported_by_mail");
    boolean spoken = facts.get("ip") == null && facts.get("mx") == null && facts.get("tls") == null;
    Refused.unless(source.equals("session") || spoken, "a server without a session");
    Refused.unless((facts.get("reported_by_mail") != null) == mailed, "another source");
    boolean answered = source.equals("session") || source.equals("operator");
    Refused.unless(answered || facts.get("reply") == null, "a reply without a session");
    if (mailed) {
      report(facts.get("reported_by_mail"));
    }
  }

  /** The recipient's own act, in the facts of the outcomes that have one. */
  private static void act(Map<String, Object> facts, String kind, String source) {
    boolean page = source.equals("recipient_page");
    boolean due = page || isReply(kind, source);
    Refused.unless(facts.containsKey("acknowledgement") == due, "an act in another place");
    Object act = facts.get("acknowledgement");
    if (page) {
      Set<String> fields = Set.of("code_sent_at", "ip", "language", "name", "reason", "sentence");
      Map<String, Object> found = Doc.object(act, fields, Set.of());
      Window.time(found.get("code_sent_at"));
      List.of("ip", "name", "sentence").forEach(name -> Doc.text(found.get(name)));
      Doc.nullableText(found.get("reason"));
      Doc.oneOf(found.get("language"), "en", "es");
    } else if (due) {
      Content.dkim(Doc.object(act, Set.of("dkim"), Set.of()).get("dkim"));
    }
  }

  private static void reply(Object value) {
    if (value == null) {
      return;
    }
    Map<String, Object> reply = Doc.object(value, Set.of("code", "enhanced", "text"), Set.of());
    if (reply.get("code") != null) {
      Doc.whole(reply.get("code"));
    }
    Doc.nullableText(reply.get("enhanced"));
    Doc.nullableText(reply.get("text"));
  }

  private static void report(Object value) {
    Set<String> fields =
        Set.of("claims", "dkim", "mail_from", "peer", "sha256", "spf", "vouched_by");
    Map<String, Object> report = Doc.object(value, fields, Set.of());
    Set<String> texts =
        Set.of("feedback_type", "final_recipient", "original_recipient", "remote_mta");
    Map<String, Object> claims = Doc.object(report.get("claims"), texts, Set.of("reply"));
    Refused.unless(claims.containsKey("reply"), "reply is missing");
    texts.forEach(name -> Doc.nullableText(claims.get(name)));
    reply(claims.get("reply"));
    Map<String, Object> dkim =
        Doc.object(report.get("dkim"), Set.of("domains", "result"), Set.of());
    Doc.list(dkim.get("domains"), 8).forEach(Doc::text);
    Doc.oneOf(dkim.get("result"), RESULTS);
    Doc.text(report.get("mail_from"));
    Doc.hex(report.get("sha256"));
    Map<String, Object> spf = Doc.object(report.get("spf"), Set.of("domain", "result"), Set.of());
    Doc.nullableText(spf.get("domain"));
    Doc.oneOf(spf.get("result"), RESULTS);
    if (report.get("vouched_by") != null) {
      Doc.oneOf(report.get("vouched_by"), "dkim", "helo", "network", "spf");
    }
    Map<String, Object> peer =
        Doc.object(report.get("peer"), Set.of("helo", "ip", "tls"), Set.of());
    Doc.text(peer.get("helo"));
    Doc.text(peer.get("ip"));
    if (peer.get("tls") != null) {
      Map<String, Object> tls = Doc.object(peer.get("tls"), Set.of("cipher", "version"), Set.of());
      tls.values().forEach(Doc::text);
    }
  }
}
