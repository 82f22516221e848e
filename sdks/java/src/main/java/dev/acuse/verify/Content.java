package dev.acuse.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A manifest's commitments and what opens them, sections 3 and 4 of the evidence format. */
final class Content {
  private static final int MAX_PARTS = 128;
  final Map<String, Object> openings;
  final Map<String, Object> mail;
  final List<String> withheld = new ArrayList<>();
  final Map<Integer, Map<String, Object>> parts = new LinkedHashMap<>();

  private Content(Map<String, Object> openings, Map<String, Object> mail) {
    this.openings = openings;
    this.mail = mail;
  }

  static Map<String, Object> manifest(byte[] bytes) {
    Map<String, Object> root =
        Doc.object(
            Doc.canonical(bytes),
            Set.of(
                "accepted_at",
                "dkim",
                "envelope",
                "log",
                "mail",
                "message_id",
                "submission",
                "tenant_id",
                "tenant_sequence",
                "type"),
            Set.of("acknowledgement"));
    Doc.oneOf(root.get("type"), "acuse/message/v1");
    Window.time(root.get("accepted_at"));
    if (root.containsKey("acknowledgement")) {
      Object asked = root.get("acknowledgement");
      Window.time(Doc.object(asked, Set.of("until"), Set.of()).get("until"));
    }
    Doc.text(root.get("message_id"), Doc.UUID);
    Doc.text(root.get("tenant_id"), Doc.UUID);
    Doc.text(root.get("tenant_sequence"), java.util.regex.Pattern.compile("0|[1-9]\\d{0,19}"));
    Doc.hex(root.get("submission"));
    Refused.unless(Key.isName(Doc.text(root.get("log"))), "log is malformed");
    Set<String> fields = Set.of("asserted_by", "mail_from", "rcpt_to");
    Map<String, Object> envelope = Doc.object(root.get("envelope"), fields, Set.of());
    Doc.oneOf(envelope.get("asserted_by"), "operator");
    Doc.hex(envelope.get("mail_from"));
    Doc.hex(envelope.get("rcpt_to"));
    Set<String> layers = Set.of("body", "header", "parts", "raw");
    Map<String, Object> mail = Doc.object(root.get("mail"), layers, Set.of());
    List.of("body", "header", "raw").forEach(name -> Doc.hex(mail.get(name)));
    Doc.list(mail.get("parts"), MAX_PARTS).forEach(Doc::hex);
    Doc.list(root.get("dkim"), 8).forEach(Content::dkim);
    return root;
  }

  static void dkim(Object value) {
    Set<String> fields = Set.of("algorithm", "domain", "public_key", "selector");
    Map<String, Object> key = Doc.object(value, fields, Set.of());
    Doc.oneOf(key.get("algorithm"), "rsa-sha256", "ed25519-sha256");
    java.util.regex.Pattern name = java.util.regex.Pattern.compile("[\\x21-\\x7e]{1,253}");
    Doc.text(key.get("domain"), name);
    Doc.text(key.get("selector"), name);
    Doc.text(key.get("public_key"), java.util.regex.Pattern.compile("[A-Za-z0-9+/=]{1,2048}"));
  }

  /** Throws unless each opening opens its commitment, and as many are opened as it says. */
  static Content open(
      Map<String, byte[]> entries, Map<String, Object> manifest, String canonicalHash) {
    Map<String, Object> root =
        Doc.object(
            Doc.canonical(entries.get("openings.json")),
            Set.of("canonical_hash", "content", "envelope", "mail", "type"),
            Set.of("submission", "withheld"));
    Doc.oneOf(root.get("type"), "acuse/openings/v1");
    Refused.unless(
        Doc.hex(root.get("canonical_hash")).equals(canonicalHash), "openings of another manifest");
    Map<String, Object> mail =
        Doc.object(root.get("mail"), Set.of("parts"), Set.of("body", "header", "raw"));
    Content content = new Content(root, mail);
    Map<String, Object> committed = object(manifest.get("mail"));
    int opened = content.openEnvelope(object(manifest.get("envelope")));
    for (String name : List.of("body", "header", "raw")) {
      opened += opens(mail, name, committed.get(name));
    }
    opened += opens(root, "submission", manifest.get("submission"));
    List<Object> commitments = Doc.list(committed.get("parts"), MAX_PARTS);
    content.openParts(commitments);
    opened += content.parts.size();
    String state = Doc.oneOf(root.get("content"), "complete", "disclosed", "erased");
    content.readWithheld(state);
    boolean complete = opened == 6 + commitments.size();
    boolean sound = !state.equals("complete") || complete;
    Refused.unless(sound && (!state.equals("erased") || opened == 0), "not as much as it says");
    content.nothingUnopened(entries.keySet());
    return content;
  }

  private void readWithheld(String state) {
    if (!openings.containsKey("withheld")) {
      return;
    }
    Doc.list(openings.get("withheld"), Line.MAX_OUTCOMES)
        .forEach(each -> withheld.add(Doc.hex(each)));
    boolean sound = !withheld.isEmpty() && state.equals("disclosed");
    Refused.unless(sound, "withheld is empty, or the content is not said to be disclosed");
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private static int opens(Map<String, Object> from, String name, Object commitment) {
    if (!from.containsKey(name)) {
      return 0;
    }
    Map<String, Object> opening = Doc.object(from.get(name), Set.of("salt", "sha256"), Set.of());
    Doc.opens(opening.get("salt"), opening.get("sha256"), (String) commitment);
    return 1;
  }

  private int openEnvelope(Map<String, Object> committed) {
    Map<String, Object> envelope =
        Doc.object(openings.get("envelope"), Set.of(), Set.of("mail_from", "rcpt_to"));
    envelope.forEach(
        (name, value) -> {
          Map<String, Object> opening =
              Doc.object(value, Set.of("salt", "sha256", "value"), Set.of());
          byte[] hash = Bytes.sha256(Bytes.utf8(Doc.text(opening.get("value"))));
          Refused.unless(Bytes.hex(hash).equals(opening.get("sha256")), "another address");
          Doc.opens(opening.get("salt"), opening.get("sha256"), (String) committed.get(name));
        });
    return envelope.size();
  }

  private void openParts(List<Object> commitments) {
    long last = -1;
    for (Object each : Doc.list(mail.get("parts"), MAX_PARTS)) {
      Set<String> fields = Set.of("filename", "index", "media_type", "salt", "sha256", "size");
      Map<String, Object> part = Doc.object(each, fields, Set.of());
      long index = Doc.whole(part.get("index"));
      boolean sound = index > last && index < commitments.size();
      Refused.unless(sound, "the parts are not in order, or there is one too many");
      Doc.nullableText(part.get("filename"));
      Doc.text(part.get("media_type"));
      Doc.hex(part.get("sha256"));
      Doc.whole(part.get("size"));
      Map<String, Object> facts = new LinkedHashMap<>(part);
      facts.keySet().removeAll(List.of("index", "salt"));
      String hash = Bytes.hex(Bytes.sha256(Bytes.utf8(Doc.write(facts))));
      Doc.opens(part.get("salt"), hash, (String) commitments.get((int) index));
      parts.put((int) index, facts);
      last = index;
    }
  }

  static String partEntry(int index) {
    return String.format("parts/%02d.bin", index);
  }

  private void nothingUnopened(Set<String> names) {
    Set<String> shown = new TreeSet<>();
    if (mail.containsKey("raw")) {
      shown.add("message.eml");
    } else {
      parts.keySet().forEach(index -> shown.add(partEntry(index)));
    }
    if (openings.containsKey("submission")) {
      shown.add("submission.bin");
    }
    for (String name : names) {
      boolean content =
          name.equals("message.eml") || name.equals("submission.bin") || name.startsWith("parts/");
      Refused.unless(!content || shown.contains(name), name + " is there but not opened");
    }
  }

  /** What an opening says that the content's hash is, or null. */
  String hash(String layer) {
    Object opening = layer.equals("submission") ? openings.get(layer) : mail.get(layer);
    return opening == null ? null : (String) object(opening).get("sha256");
  }
}
