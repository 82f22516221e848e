package dev.acuse.verify;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A responder's answer about certificates, read strictly. RFC 6960 §4.2 */
final class Ocsp {
  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_CERTIFICATES = 8;
  private static final int ENUMERATED = 0x0a;
  private static final String BASIC = "1.3.6.1.5.5.7.48.1.1";
  private static final String OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";
  private static final int GOOD = Der.primitive(0);
  private static final int REVOKED = Der.context(1);
  private static final int UNKNOWN = Der.primitive(2);
  private static final Map<String, String> HASHES = new HashMap<>(Algorithms.HASHES);

  static {
    // SHA-1 picks a name here, and nothing rests on it. RFC 5019 §2.1.1
    HASHES.put("1.3.14.3.2.26", "SHA-1");
  }

  private byte[] tbs;
  private Algorithms.Identifier algorithm;
  private byte[] signature;
  private Instant producedAt;
  private List<byte[]> certificates = List.of();
  private final List<Single> answers = new ArrayList<>();

  /** The statement about one certificate; revoked is null unless it was. */
  record Single(
      Id id, boolean known, RevokedEntry revoked, Instant thisUpdate, Instant nextUpdate) {}

  private record Id(String hash, byte[] name, byte[] key, byte[] serial) {
    boolean isAbout(Cert certificate, Cert issuer) {
      Der.Fields spki = issuer.spki.fields();
      spki.any();
      return hash != null
          && Bytes.equal(serial, certificate.serial)
          && Bytes.equal(name, digest(hash, issuer.subject))
          && Bytes.equal(key, digest(hash, spki.any().bits()));
    }
  }

  private Ocsp() {}

  /** Refuses an answer that refuses to tell, too. */
  static Ocsp read(byte[] bytes) {
    Refused.unless(bytes.length <= MAX_BYTES, "an OCSP answer is too large");
    Der.Fields outer = Der.only(bytes).fields();
    byte[] status = outer.next(ENUMERATED).content();
    Refused.unless(status.length == 1 && status[0] == 0, "an OCSP answer refuses to tell");
    Der.Fields inner = outer.next(Der.context(0)).unwrap().fields();
    outer.end();
    Refused.unless(BASIC.equals(inner.any().oid()), "an OCSP answer of another kind");
    Der.Fields basic = Der.only(inner.next(Der.OCTET_STRING).content()).fields();
    inner.end();
    Ocsp out = new Ocsp();
    Der tbs = basic.next(Der.SEQUENCE);
    out.tbs = tbs.whole();
    out.algorithm = Algorithms.Identifier.read(basic.next(Der.SEQUENCE));
    out.signature = basic.any().bits();
    Der carried = basic.optional(Der.context(0));
    basic.end();
    if (carried != null) {
      out.certificates =
          carried.unwrap().is(Der.SEQUENCE).children().stream().map(Der::whole).toList();
    }
    Refused.unless(out.certificates.size() <= MAX_CERTIFICATES, "too many certificates");
    out.readData(tbs.fields());
    return out;
  }

  private void readData(Der.Fields fields) {
    fields.optional(Der.context(0));
    Refused.unless(fields.optional(Der.context(1), Der.context(2)) != null, "no responder");
    producedAt = fields.next(Der.GENERALIZED_TIME).time();
    for (Der each : fields.next(Der.SEQUENCE).children()) {
      answers.add(readSingle(each.fields()));
    }
    refuseCritical(fields.optional(Der.context(1)));
    fields.end();
  }

  private static Single readSingle(Der.Fields fields) {
    Der.Fields names = fields.any().fields();
    String hash = HASHES.get(Algorithms.Identifier.read(names.any()).oid());
    byte[] name = names.next(Der.OCTET_STRING).content();
    byte[] key = names.next(Der.OCTET_STRING).content();
    Id id = new Id(hash, name, key, names.any().integer());
    names.end();
    Der status = fields.any();
    boolean sound = status.tag() == GOOD || status.tag() == REVOKED || status.tag() == UNKNOWN;
    Refused.unless(sound, "a status of another form");
    Instant thisUpdate = fields.next(Der.GENERALIZED_TIME).time();
    Der next = fields.optional(Der.context(0));
    Der extensions = fields.optional(Der.context(1));
    fields.end();
    RevokedEntry revoked = readRevoked(status, thisUpdate, extensions);
    Instant nextUpdate = next == null ? null : next.unwrap().is(Der.GENERALIZED_TIME).time();
    return new Single(id, status.tag() != UNKNOWN, revoked, thisUpdate, nextUpdate);
  }

  /** Null unless it was revoked. A list states the reason with the extensions, an answer apart. */
  private static RevokedEntry readRevoked(Der status, Instant thisUpdate, Der wrapped) {
    boolean isRevoked = status.tag() == REVOKED;
    Der.Fields fields = new Der.Fields(isRevoked ? status.children() : List.of());
    Instant time = isRevoked ? fields.next(Der.GENERALIZED_TIME).time() : thisUpdate;
    Der reason = fields.optional(Der.context(0));
    fields.end();
    RevokedEntry said = RevokedEntry.read(time, wrapped == null ? null : wrapped.unwrap());
    Refused.unless(said.understood(), "an OCSP answer has a critical extension");
    boolean harmless = reason != null && RevokedEntry.isHarmless(reason.unwrap());
    return isRevoked ? new RevokedEntry(said.since(), harmless, true) : null;
  }

  private static void refuseCritical(Der extensions) {
    boolean critical =
        extensions != null
            && RevokedEntry.extensions(extensions.unwrap()).values().stream()
                .anyMatch(RevokedEntry.Extension::critical);
    Refused.unless(!critical, "an OCSP answer has a critical extension");
  }

  /** Null if it is not about this certificate, or the issuer does not vouch for it. */
  Single about(Cert certificate, Cert issuer) {
    for (Single each : answers) {
      if (each.id.isAbout(certificate, issuer)) {
        return isVouchedFor(issuer) ? each : null;
      }
    }
    return null;
  }

  /** By the issuer, or a responder that it certified for this, at that time. RFC 6960 §4.2.2.2 */
  private boolean isVouchedFor(Cert issuer) {
    if (isSignedBy(issuer)) {
      return true;
    }
    for (Cert responder : Cert.readable(certificates)) {
      boolean may =
          Bytes.equal(responder.issuer, issuer.subject)
              && responder.purposes.contains(OCSP_SIGNING)
              && !responder.unknownCritical
              && responder.isValidAt(producedAt);
      if (may && responder.isSignedBy(issuer) && isSignedBy(responder)) {
        return true;
      }
    }
    return false;
  }

  private boolean isSignedBy(Cert signer) {
    return Algorithms.verifies(signer.key, algorithm, null, tbs, signature);
  }

  private static byte[] digest(String hash, byte[] bytes) {
    try {
      return MessageDigest.getInstance(hash).digest(bytes);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
