package dev.acuse.verify;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mail by which a recipient acknowledges, and its DKIM signature. RFC 6376, RFC 8463 */
final class Reply {
  private static final List<String> SIGNED = List.of("from", "to", "subject");
  private static final int MAX_SIGNATURES = 8;

  /** RFC 8301 §3.2 */
  private static final int MIN_RSA_BITS = 1024;

  private static final Pattern ADDRESS =
      Pattern.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+");
  private static final Pattern FORM = Pattern.compile("(relaxed|simple)?(?:/(relaxed|simple))?");
  private static final Pattern SIGNATURE =
      Pattern.compile("(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*", Pattern.DOTALL);

  private final Mime.Split mail;
  private final Map<?, ?> key;

  private Reply(byte[] mail, Map<?, ?> key) {
    this.mail = Mime.split(mail);
    this.key = key;
  }

  /** Throws unless the mail is the recipient's; null recipient: not opened. */
  static void check(byte[] mail, Map<?, ?> key, String messageId, String recipient) {
    Reply reply = new Reply(mail, key);
    Map<String, String> values = new HashMap<>();
    for (String name : SIGNED) {
      List<Mime.Field> found = reply.fields(name);
      Refused.unless(found.size() == 1, "not one field " + name);
      String line = Bytes.latin1(Mime.relaxed(found.get(0)));
      values.put(name, line.substring(name.length() + 1, line.length() - 2));
    }
    String place = "ack+" + messageId.replace("-", "") + "-";
    boolean own = oneAddress(values.get("to"), "To").startsWith(place);
    Refused.unless(own, "it goes to another address than that of this message");
    String sender = oneAddress(values.get("from"), "From");
    Refused.unless(
        recipient == null || lower(recipient).equals(sender), "From is not the recipient");
    String domain = sender.substring(sender.indexOf('@') + 1);
    boolean aligned = isAligned(lower((String) key.get("domain")), domain);
    Refused.unless(aligned, "signed by another domain than that of From");
    boolean held =
        reply.fields("dkim-signature").stream().limit(MAX_SIGNATURES).anyMatch(reply::holds);
    Refused.unless(held, "no signature holds under the key of the facts");
  }

  private List<Mime.Field> fields(String name) {
    return mail.fields().stream().filter(field -> field.is(name)).toList();
  }

  private static String oneAddress(String value, String name) {
    String bare = value.replaceAll("\"[^\"]*\"", "");
    int open = bare.indexOf('<');
    String before = open < 0 ? "" : bare.substring(0, open);
    String address = bare;
    if (open >= 0) {
      address = bare.endsWith(">") ? bare.substring(open + 1, bare.length() - 1) : "";
    }
    boolean one =
        ADDRESS.matcher(address).matches()
            && before.chars().noneMatch(c -> "@,;:()<>".indexOf(c) >= 0);
    Refused.unless(one, name + " is not one address");
    return lower(address);
  }

  /** Of ASCII alone. */
  private static String lower(String text) {
    StringBuilder out = new StringBuilder();
    text.chars().forEach(c -> out.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c)));
    return out.toString();
  }

  /** The same domain, or one of the two is above the other; never one of a single label. */
  private static boolean isAligned(String signer, String domain) {
    if (!signer.contains(".") || !domain.contains(".")) {
      return false;
    }
    return signer.equals(domain) || signer.endsWith("." + domain) || domain.endsWith("." + signer);
  }

  private boolean holds(Mime.Field field) {
    String line = Bytes.latin1(field.raw());
    int colon = line.indexOf(':') + 1;
    String value = line.substring(colon);
    Map<String, String> tags = tags(value);
    Matcher forms = FORM.matcher(tags.getOrDefault("c", ""));
    List<String> of = List.of(lower(tags.getOrDefault("d", "")), tag(tags, "s"), tag(tags, "a"));
    List<?> wanted = List.of(key.get("domain"), key.get("selector"), key.get("algorithm"));
    List<String> names = List.of(lower(tag(tags, "h")).split(":", -1));
    if (!of.equals(wanted) || !forms.matches() || !names.containsAll(SIGNED)) {
      return false;
    }
    byte[] bodyHash = Bytes.base64(tag(tags, "bh"));
    byte[] made = Bytes.sha256(body("relaxed".equals(forms.group(2))));
    if (!tag(tags, "v").equals("1")
        || tags.containsKey("l")
        || bodyHash == null
        || !Bytes.equal(bodyHash, made)) {
      return false;
    }
    boolean relaxed = "relaxed".equals(forms.group(1));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    List<Mime.Field> left = new ArrayList<>(mail.fields());
    for (String name : names) {
      for (int at = left.size() - 1; at >= 0; at--) {
        if (!name.isEmpty() && left.get(at).is(name)) {
          text.writeBytes(formed(left.remove(at), relaxed));
          text.writeBytes(Bytes.utf8("\r\n"));
          break;
        }
      }
    }
    String unsigned = line.substring(0, colon) + SIGNATURE.matcher(value).replaceFirst("$1$2");
    byte[] own = unsigned.getBytes(StandardCharsets.ISO_8859_1);
    text.writeBytes(formed(new Mime.Field(field.name(), own, 0), relaxed));
    byte[] signature = Bytes.base64(tag(tags, "b"));
    return signature != null && isSigned(text.toByteArray(), signature);
  }

  private static String tag(Map<String, String> tags, String name) {
    return tags.getOrDefault(name, "");
  }

  /** None for a value that is not ASCII or has a tag twice. RFC 6376 §3.2 */
  private static Map<String, String> tags(String value) {
    Map<String, String> tags = new HashMap<>();
    if (value.chars().anyMatch(c -> c > 0x7e)) {
      return Map.of();
    }
    for (String part : value.split(";", -1)) {
      int equals = part.indexOf('=');
      if (equals >= 0) {
        String text = part.substring(equals + 1).replaceAll("[ \t\r\n]+", "");
        if (tags.put(part.substring(0, equals).strip(), text) != null) {
          return Map.of();
        }
      }
    }
    return tags;
  }

  private byte[] body(boolean relaxed) {
    if (relaxed) {
      return Mime.relaxedBody(mail.body());
    }
    String body = Bytes.latin1(mail.body());
    int end = body.length();
    while (body.startsWith("\r\n", end - 2)) {
      end -= 2;
    }
    return (body.substring(0, end) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Without the CRLF at its end. */
  private static byte[] formed(Mime.Field field, boolean relaxed) {
    if (!relaxed) {
      return field.raw();
    }
    byte[] line = Mime.relaxed(field);
    return java.util.Arrays.copyOf(line, line.length - 2);
  }

  private boolean isSigned(byte[] text, byte[] signature) {
    byte[] material = Bytes.base64((String) key.get("public_key"));
    if (material == null) {
      return false;
    }
    if (key.get("algorithm").equals("ed25519-sha256")) {
      return new Key("", Key.LOG, new byte[4], material).verifies(signature, Bytes.sha256(text));
    }
    try {
      PublicKey read =
          KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(material));
      if (((RSAPublicKey) read).getModulus().bitLength() < MIN_RSA_BITS) {
        return false;
      }
      Signature verifier = Signature.getInstance("SHA256withRSA");
      verifier.initVerify(read);
      verifier.update(text);
      return verifier.verify(signature);
    } catch (GeneralSecurityException | RuntimeException malformed) {
      return false;
    }
  }
}
