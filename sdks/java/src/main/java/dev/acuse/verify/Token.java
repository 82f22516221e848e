package dev.acuse.verify;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A time-stamp taken apart: TimeStampResp or ContentInfo, SignedData, TSTInfo. Read, not judged.
 */
final class Token {
  private static final int MAX_BYTES = 256 * 1024;
  private static final int MAX_CERTIFICATES = 16;
  private static final int MAX_SIGNERS = 4;
  private static final int MAX_SERIAL_BITS = 160;
  static final String TST_INFO = "1.2.840.113549.1.9.16.1.4";
  private static final String SIGNED_DATA = "1.2.840.113549.1.7.2";

  Integer status;
  boolean trailing;
  int version;
  String contentType;
  byte[] content;
  List<byte[]> certificates = List.of();
  int signerCount;
  byte[] sidIssuer;
  byte[] sidSerial;
  byte[] sidKey;
  String digest;
  byte[] signedBytes;
  final Map<String, List<Der>> attributes = new HashMap<>();
  Algorithms.Identifier algorithm;
  byte[] signature;

  int infoVersion;
  String policy;
  String hash;
  byte[] imprint;
  Instant time;

  static Token read(byte[] bytes) {
    Refused.unless(bytes.length <= MAX_BYTES, "the time-stamp is too large");
    Token out = new Token();
    Der outer = Der.at(bytes, 0);
    out.trailing = outer.whole().length != bytes.length;
    Der.Fields fields = outer.fields();
    Der first = fields.any();
    Der token = outer;
    if (first.tag() != Der.OID) {
      token = fields.optional(Der.SEQUENCE);
      fields.end();
      out.status = first.fields().any().small();
      Refused.unless(token != null || out.status > 1, "granted, but there is no token");
    }
    if (token != null) {
      out.readSignedData(token);
      out.readInfo();
    }
    return out;
  }

  /** RFC 5652 §5.1 */
  private void readSignedData(Der token) {
    Der.Fields info = token.fields();
    Refused.unless(SIGNED_DATA.equals(info.any().oid()), "not a SignedData");
    Der.Fields fields = info.next(Der.context(0)).unwrap().fields();
    info.end();
    version = fields.any().small();
    List<Der> digests = fields.next(Der.SET).children();
    Der.Fields encapsulated = fields.any().fields();
    Der set = fields.optional(Der.context(0));
    fields.optional(Der.context(1));
    List<Der> signers = fields.next(Der.SET).children();
    fields.end();
    contentType = encapsulated.any().oid();
    content = encapsulated.next(Der.context(0)).unwrap().is(Der.OCTET_STRING).content();
    encapsulated.end();
    if (set != null) {
      certificates =
          set.children().stream().filter(c -> c.tag() == Der.SEQUENCE).map(Der::whole).toList();
    }
    Refused.unless(
        certificates.size() <= MAX_CERTIFICATES, "the time-stamp has too many certificates");
    signerCount = signers.size();
    Refused.unless(signerCount > 0 && signerCount <= MAX_SIGNERS, "no signer, or too many");
    String oid = readSigner(signers.get(0).fields());
    boolean listed =
        digests.stream().anyMatch(each -> Algorithms.Identifier.read(each).oid().equals(oid));
    Refused.unless(listed, "the digest algorithms lack the signer's");
  }

  /** The OID of its digest algorithm. RFC 5652 §5.3 */
  private String readSigner(Der.Fields fields) {
    int signerVersion = fields.any().small();
    Der sid = fields.any();
    if (sid.tag() == Der.primitive(0)) {
      sidKey = sid.content();
    } else {
      Der.Fields names = sid.fields();
      sidIssuer = names.next(Der.SEQUENCE).whole();
      sidSerial = names.any().integer();
      names.end();
    }
    Refused.unless(signerVersion == (sidKey == null ? 1 : 3), "a signer of another version");
    String oid = Algorithms.Identifier.read(fields.any()).oid();
    digest = Algorithms.HASHES.get(oid);
    Der signed = fields.optional(Der.context(0));
    algorithm = Algorithms.Identifier.read(fields.any());
    signature = fields.next(Der.OCTET_STRING).content();
    fields.optional(Der.context(1));
    fields.end();
    if (signed != null) {
      signedBytes = signed.whole().clone();
      signedBytes[0] = Der.SET;
      for (Der each : signed.children()) {
        Der.Fields attribute = each.fields();
        String name = attribute.any().oid();
        List<Der> values = attribute.next(Der.SET).children();
        attribute.end();
        attributes.computeIfAbsent(name, none -> new ArrayList<>()).addAll(values);
      }
    }
    return oid;
  }

  /** RFC 3161 §2.4.2 */
  private void readInfo() {
    Der.Fields fields = Der.only(content).fields();
    infoVersion = fields.any().small();
    policy = fields.any().oid();
    Der.Fields message = fields.any().fields();
    BigInteger serial = fields.any().unsigned();
    time = fields.next(Der.GENERALIZED_TIME).time();
    Der accuracy = fields.optional(Der.SEQUENCE);
    Der ordering = fields.optional(Der.BOOLEAN);
    Der nonce = fields.optional(Der.INTEGER);
    fields.optional(Der.context(0));
    Der extensions = fields.optional(Der.context(1));
    fields.end();
    hash = Algorithms.HASHES.get(Algorithms.Identifier.read(message.any()).oid());
    imprint = message.next(Der.OCTET_STRING).content();
    message.end();
    Refused.unless(serial.bitLength() <= MAX_SERIAL_BITS, "the serial number is too long");
    if (accuracy != null) {
      accuracy.children();
    }
    if (ordering != null) {
      ordering.bool();
    }
    if (nonce != null) {
      nonce.unsigned();
    }
    for (Der each : extensions == null ? List.<Der>of() : extensions.children()) {
      Der.Fields extension = each.fields();
      extension.any().oid();
      Der flag = extension.optional(Der.BOOLEAN);
      Refused.unless(flag == null || !flag.bool(), "a critical extension of the time-stamp");
    }
  }

  /** The only value of a signed attribute, or null. */
  Der attribute(String oid) {
    List<Der> values = attributes.getOrDefault(oid, List.of());
    return values.size() == 1 ? values.get(0) : null;
  }

  boolean isNamed(Cert certificate) {
    if (sidKey != null) {
      return certificate.keyIdentifier != null && Bytes.equal(certificate.keyIdentifier, sidKey);
    }
    return Bytes.equal(certificate.issuer, sidIssuer) && Bytes.equal(certificate.serial, sidSerial);
  }
}
