package dev.acuse.verify;

import java.security.PublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An X.509 v3 certificate, read strictly. RFC 5280 §4.1 */
final class Cert {
  private static final int MAX_BYTES = 16 * 1024;
  private static final int MAX_PEM = 32;
  private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
  private static final String END = "-----END CERTIFICATE-----";

  /** Harmless when critical: alternative names, policies, the authority's key. */
  private static final Set<String> UNJUDGED = Set.of("2.5.29.17", "2.5.29.32", "2.5.29.35");

  /** Limits on names and policies of what is below, critical or not. RFC 5280 §4.2.1.10 */
  private static final Set<String> LIMITING = Set.of("2.5.29.30", "2.5.29.33", "2.5.29.36");

  /** Pointers, which decide nothing, and are unknown when critical. */
  private static final Set<String> POINTERS = Set.of("2.5.29.31", "1.3.6.1.5.5.7.1.1");

  static final int DIGITAL_SIGNATURE = 0;
  static final int NON_REPUDIATION = 1;
  static final int CERT_SIGN = 5;
  static final int CRL_SIGN = 6;

  byte[] der;
  byte[] tbs;
  byte[] serial;
  byte[] issuer;
  byte[] subject;
  Der spki;
  Instant notBefore;
  Instant notAfter;
  PublicKey key;
  Algorithms.Identifier algorithm;
  byte[] signature;
  boolean authority;
  int pathLength = Integer.MAX_VALUE;
  BitSet keyUsage;
  List<String> purposes = List.of();
  boolean purposesCritical;
  byte[] keyIdentifier;
  boolean unknownCritical;

  private Cert() {}

  boolean hasKeyOf(Cert other) {
    return Bytes.equal(spki.whole(), other.spki.whole());
  }

  static Cert read(byte[] bytes) {
    Refused.unless(bytes.length <= MAX_BYTES, "a certificate is too large");
    Cert out = new Cert();
    out.der = bytes;
    Der.Fields outer = Der.only(bytes).fields();
    Der tbs = outer.next(Der.SEQUENCE);
    Der algorithm = outer.next(Der.SEQUENCE);
    out.signature = outer.any().bits();
    outer.end();
    out.tbs = tbs.whole();
    out.algorithm = Algorithms.Identifier.read(algorithm);
    out.readBody(tbs.fields(), algorithm);
    return out;
  }

  private void readBody(Der.Fields fields, Der outerAlgorithm) {
    Der version = fields.optional(Der.context(0));
    Refused.unless(version != null && version.unwrap().small() == 2, "a certificate is not v3");
    serial = fields.any().integer();
    boolean same = Bytes.equal(fields.next(Der.SEQUENCE).whole(), outerAlgorithm.whole());
    Refused.unless(same, "a certificate names two signature algorithms");
    issuer = fields.next(Der.SEQUENCE).whole();
    Der.Fields validity = fields.any().fields();
    notBefore = validity.any().time();
    notAfter = validity.any().time();
    validity.end();
    subject = fields.next(Der.SEQUENCE).whole();
    spki = fields.next(Der.SEQUENCE);
    key = Algorithms.key(spki);
    fields.optional(Der.primitive(1));
    fields.optional(Der.primitive(2));
    Der extensions = fields.optional(Der.context(3));
    fields.end();
    Set<String> seen = new HashSet<>();
    if (extensions != null) {
      for (Der each : extensions.unwrap().is(Der.SEQUENCE).children()) {
        readExtension(each.fields(), seen);
      }
    }
  }

  private void readExtension(Der.Fields fields, Set<String> seen) {
    String oid = fields.any().oid();
    Der flag = fields.optional(Der.BOOLEAN);
    boolean critical = flag != null && flag.bool();
    byte[] content = fields.next(Der.OCTET_STRING).content();
    fields.end();
    Refused.unless(seen.add(oid), "a certificate has an extension twice");
    switch (oid) {
      case "2.5.29.19" -> readConstraints(Der.only(content).fields());
      case "2.5.29.15" -> keyUsage = named(Der.only(content));
      case "2.5.29.37" -> {
        purposes = Der.only(content).is(Der.SEQUENCE).children().stream().map(Der::oid).toList();
        purposesCritical = critical;
      }
      case "2.5.29.14" -> keyIdentifier = Der.only(content).is(Der.OCTET_STRING).content();
      default -> unknownCritical |= critical && !UNJUDGED.contains(oid);
    }
    unknownCritical |= critical && POINTERS.contains(oid) || LIMITING.contains(oid);
  }

  private void readConstraints(Der.Fields fields) {
    Der flag = fields.optional(Der.BOOLEAN);
    Der length = fields.optional(Der.INTEGER);
    fields.end();
    authority = flag != null && flag.bool();
    pathLength = length == null ? Integer.MAX_VALUE : length.small();
  }

  private static BitSet named(Der node) {
    byte[] content = node.is(Der.BIT_STRING).content();
    boolean sound = content.length >= 2 && content.length <= 3 && content[0] >= 0 && content[0] < 8;
    Refused.unless(sound, "a key usage is not a list of bits");
    BitSet bits = new BitSet();
    for (int bit = 0; bit < 8 * (content.length - 1); bit++) {
      bits.set(bit, (content[1 + bit / 8] & 0x80 >> bit % 8) != 0);
    }
    return bits;
  }

  boolean may(int bit) {
    return keyUsage == null || keyUsage.get(bit);
  }

  boolean isValidAt(Instant time) {
    return !time.isBefore(notBefore) && !time.isAfter(notAfter);
  }

  boolean isSignedBy(Cert issuer) {
    return Algorithms.verifies(issuer.key, algorithm, null, tbs, signature);
  }

  boolean is(Cert other) {
    return Bytes.equal(der, other.der);
  }

  /** RFC 7468 §5: base64 in lines of 64. */
  static String pem(byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return BEGIN + "\n" + lines + "\n" + END + "\n";
  }

  /** Every certificate in a text; what is around them is ignored. */
  static List<byte[]> fromPem(String text) {
    List<byte[]> out = new ArrayList<>();
    String[] pieces = text.split(END, -1);
    for (String piece : Arrays.copyOf(pieces, pieces.length - 1)) {
      int begin = piece.lastIndexOf(BEGIN);
      String body = begin < 0 ? "!" : piece.substring(begin + BEGIN.length());
      if (!body.matches("[A-Za-z0-9+/=\\s]*")) {
        continue;
      }
      byte[] der = Bytes.base64(body.replaceAll("\\s+", ""));
      Refused.unless(der != null && out.size() < MAX_PEM, "PEM cannot be read");
      out.add(der);
    }
    return out;
  }

  /** Those that can be read, each once. */
  static List<Cert> readable(List<byte[]> ders) {
    List<Cert> out = new ArrayList<>();
    for (byte[] der : ders) {
      try {
        Cert read = read(der);
        if (out.stream().noneMatch(read::is)) {
          out.add(read);
        }
      } catch (Refused unreadable) {
        // It cannot help a chain.
      }
    }
    return out;
  }
}
