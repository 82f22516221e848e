package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.acuse.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Revocation lists and OCSP answers, signed with the public keys of contract/vectors. */
class RevocationTest {
  private static final Path VECTORS = Path.of("../../contract/vectors");
  private static final byte[] SHA256_RSA = Bytes.fromHex("300d06092a864886f70d01010b0500");
  private static final byte[] SHA1 = Bytes.fromHex("300706052b0e03021a");
  private static final byte[] BASIC = Bytes.fromHex("06092b0601050507300101");
  private static final byte[] OCSP_SIGNING = Bytes.fromHex("300a06082b06010505070309");
  private static final byte[] TIME_STAMPING = Bytes.fromHex("300a06082b06010505070308");
  private static final byte[] EXTENDED_KEY_USAGE = Bytes.fromHex("0603551d25");
  private static final byte[] GOOD = {(byte) 0x80, 0};
  private static final byte[] UNKNOWN = {(byte) 0x82, 0};
  private static final byte[] NONE = {};
  private static final String NOW = "20300101000000Z";
  private static final String BEFORE = "20291231235959Z";
  private static final String AFTER = "20300101000001Z";
  private static final int MUTANTS = 1000;

  private static byte[] der(int tag, byte[]... content) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Arrays.stream(content).forEach(body::writeBytes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (body.size() > 255) {
      out.write(0x82);
      out.write(body.size() >> 8);
    } else if (body.size() > 127) {
      out.write(0x81);
    }
    out.write(body.size());
    out.writeBytes(body.toByteArray());
    return out.toByteArray();
  }

  private static byte[] sequence(byte[]... content) {
    return der(Der.SEQUENCE, content);
  }

  private static byte[] time(String text) {
    return der(Der.GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  /** A signer and its root. */
  private static List<Cert> chain() throws Exception {
    byte[] bundle = Files.readAllBytes(VECTORS.resolve("bundles/good/sealed.zip"));
    String pem = Bytes.text(Container.read(bundle).get("chain/constancia.pem"));
    return Cert.readable(Cert.fromPem(pem));
  }

  private static PrivateKey key(String name) throws Exception {
    String pem = Files.readString(VECTORS.resolve("keys/" + name + ".pem"));
    byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  private static byte[] signed(byte[] body, String key, byte[] more) throws Exception {
    Signature signer = Signature.getInstance("SHA256withRSA");
    signer.initSign(key(key));
    signer.update(body);
    byte[] bits = der(Der.BIT_STRING, new byte[1], signer.sign());
    return sequence(body, SHA256_RSA, bits, more);
  }

  /** With an entry for the signer, unless that is null. */
  private static byte[] list(String revoked, String next, byte[] extensions) throws Exception {
    byte[] serial = der(Der.INTEGER, chain().get(0).serial);
    byte[] body =
        sequence(
            der(Der.INTEGER, new byte[] {1}),
            SHA256_RSA,
            chain().get(1).subject,
            time("20250101000000Z"),
            next == null ? NONE : time(next),
            revoked == null ? NONE : sequence(sequence(serial, time(revoked))),
            extensions.length == 0 ? NONE : der(Der.context(0), sequence(extensions)));
    return signed(body, "root", NONE);
  }

  private static byte[] answer(byte[] status, String key, byte[] carried) throws Exception {
    Cert root = chain().get(1);
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    Der.Fields spki = root.spki.fields();
    spki.any();
    byte[] id =
        sequence(
            SHA1,
            der(Der.OCTET_STRING, sha1.digest(root.subject)),
            der(Der.OCTET_STRING, sha1.digest(spki.any().bits())),
            der(Der.INTEGER, chain().get(0).serial));
    byte[] single = sequence(id, status, time(BEFORE), der(Der.context(0), time(AFTER)));
    byte[] data = sequence(der(Der.context(1), root.subject), time(BEFORE), sequence(single));
    byte[] certificates = carried.length == 0 ? NONE : der(Der.context(0), sequence(carried));
    byte[] basic = der(Der.OCTET_STRING, signed(data, key, certificates));
    byte[] successful = {0x0a, 1, 0};
    return sequence(successful, der(Der.context(0), sequence(BASIC, basic)));
  }

  /** A certificate of signer-2's key, made by the root or by somebody else. */
  private static byte[] responder(byte[] purposes, String by, String ends) throws Exception {
    RSAPrivateCrtKey own = (RSAPrivateCrtKey) key("signer-2");
    RSAPublicKeySpec open = new RSAPublicKeySpec(own.getModulus(), own.getPublicExponent());
    byte[] usage = sequence(EXTENDED_KEY_USAGE, der(Der.OCTET_STRING, purposes));
    byte[] body =
        sequence(
            der(Der.context(0), der(Der.INTEGER, new byte[] {2})),
            der(Der.INTEGER, new byte[] {0x55}),
            SHA256_RSA,
            chain().get(1).subject,
            sequence(time("20250101000000Z"), time(ends)),
            sequence(),
            KeyFactory.getInstance("RSA").generatePublic(open).getEncoded(),
            der(Der.context(3), sequence(usage)));
    return signed(body, by, NONE);
  }

  /** good, revoked, doubted, unknown, or idle where the piece speaks of nobody. */
  private static String said(byte[] bytes, String kind, List<Cert> chain) {
    return said(bytes, kind, chain, Instant.parse("2030-01-01T00:00:00.250Z"));
  }

  private static String said(byte[] bytes, String kind, List<Cert> chain, Instant at) {
    Revocation revocation = new Revocation(Map.of("revocation/x." + kind, bytes));
    String said = "good";
    try {
      revocation.check(chain, at, true, List.of());
    } catch (Refused refused) {
      String why = refused.getMessage();
      said = why.contains("revoked") ? "revoked" : "unknown";
      said = why.contains("revoked later") ? "doubted" : said;
    }
    try {
      revocation.checkUsed();
    } catch (Refused idle) {
      return "idle";
    }
    return said;
  }

  private static String ofList(String revoked, String next, byte[] extensions) throws Exception {
    return said(list(revoked, next, extensions), "crl", chain());
  }

  private static String ofAnswer(byte[] status, String key, byte[] carried) throws Exception {
    return said(answer(status, key, carried), "ocsp", chain());
  }

  @Test
  void listsSayWhoWasRevokedAndWhen() throws Exception {
    assertEquals(2, chain().size());
    assertEquals("good", ofList(null, NOW, NONE));
    assertEquals("doubted", ofList(AFTER, NOW, NONE));
    assertEquals("revoked", ofList(BEFORE, NOW, NONE));
    assertEquals("revoked", ofList(NOW, NOW, NONE));
    assertEquals("unknown", ofList(null, BEFORE, NONE));
    assertEquals("unknown", ofList(null, null, NONE));
  }

  @Test
  void listsThatLeaveSomebodyOutSayNothing() throws Exception {
    byte[] point = Bytes.fromHex("300c0603551d1c0101ff04023000");
    byte[] some = Bytes.fromHex("300f0603551d1c0101ff040530038101ff");
    byte[] delta = Bytes.fromHex("300d0603551d1b0101ff0403020101");
    assertEquals("good", ofList(null, NOW, point));
    assertEquals("idle", ofList(null, NOW, some));
    assertEquals("idle", ofList(null, NOW, delta));
  }

  @Test
  void answersAreTheIssuersOrItsRespondersOwn() throws Exception {
    assertEquals("good", ofAnswer(GOOD, "root", NONE));
    assertEquals("unknown", ofAnswer(UNKNOWN, "root", NONE));
    assertEquals("revoked", ofAnswer(der(Der.context(1), time(NOW)), "root", NONE));
    assertEquals("doubted", ofAnswer(der(Der.context(1), time(AFTER)), "root", NONE));
    assertEquals("idle", ofAnswer(GOOD, "stranger", NONE));
    byte[] own = responder(OCSP_SIGNING, "root", AFTER);
    assertEquals("good", ofAnswer(GOOD, "signer-2", own));
    assertEquals("idle", ofAnswer(GOOD, "signer-2", responder(TIME_STAMPING, "root", AFTER)));
    assertEquals("idle", ofAnswer(GOOD, "signer-2", responder(OCSP_SIGNING, "stranger", AFTER)));
    byte[] ended = responder(OCSP_SIGNING, "root", "20291231235958Z");
    assertEquals("idle", ofAnswer(GOOD, "signer-2", ended));
  }

  @Test
  @SuppressWarnings("unchecked")
  void whatEachReasonMeans() throws Exception {
    String text = Files.readString(VECTORS.resolve("revocation.json"));
    Map<String, Object> told = (Map<String, Object>) Json.parse(text);
    for (Map<String, Object> each : (List<Map<String, Object>>) told.get("reasons")) {
      int code = ((Number) each.get("code")).intValue();
      assertEquals(each.get("good_before"), RevokedEntry.GOOD_BEFORE.contains(code));
    }
    List<Cert> chain = Cert.readable(Cert.fromPem((String) told.get("chain")));
    Instant at = Instant.parse((String) told.get("at"));
    for (Map<String, Object> each : (List<Map<String, Object>>) told.get("cases")) {
      byte[] data = Base64.getDecoder().decode((String) each.get("data"));
      Object wanted = each.get("standing") == null ? "idle" : each.get("standing");
      assertEquals(wanted, said(data, (String) each.get("kind"), chain, at), each.toString());
    }
  }

  @Test
  void noSingleBitMayChangeAndNothingMayBeCut() throws Exception {
    Random random = new Random(13);
    List<Cert> chain = chain();
    Map<String, byte[]> pieces =
        Map.of("crl", list(NOW, NOW, NONE), "ocsp", answer(GOOD, "root", NONE));
    for (Map.Entry<String, byte[]> each : pieces.entrySet()) {
      byte[] good = each.getValue();
      for (int round = 0; round < MUTANTS; round++) {
        byte[] changed = good.clone();
        int bit = random.nextInt(8 * changed.length);
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        assertEquals("idle", said(changed, each.getKey(), chain), each.getKey() + ", bit " + bit);
      }
      for (int length = 0; length < good.length; length++) {
        byte[] cut = Arrays.copyOf(good, length);
        assertEquals("idle", said(cut, each.getKey(), chain), each.getKey() + " of " + length);
      }
      assertEquals("idle", said(Arrays.copyOf(good, good.length + 1), each.getKey(), chain));
    }
  }
}
