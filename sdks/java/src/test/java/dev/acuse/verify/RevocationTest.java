package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.acuse.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Revocation lists and OCSP answers, as the vectors have them. */
class RevocationTest {
  private static final int MUTANTS = 1000;

  @SuppressWarnings("unchecked")
  private static final Map<String, Object> TOLD = (Map<String, Object>) Json.parse(text());

  private static final List<Cert> CHAIN = Cert.readable(Cert.fromPem((String) TOLD.get("chain")));
  private static final Instant AT = Instant.parse((String) TOLD.get("at"));

  private static String text() {
    try {
      return Files.readString(Path.of("../../contract/vectors/revocation.json"));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> rows(String name) {
    return (List<Map<String, Object>>) TOLD.get(name);
  }

  private static byte[] data(Map<String, Object> row) {
    return Base64.getDecoder().decode((String) row.get("data"));
  }

  /** good, revoked, doubted, unknown, or idle where the piece speaks of nobody. */
  private static String said(byte[] bytes, String kind) {
    Revocation revocation = new Revocation(Map.of("revocation/x." + kind, bytes));
    String said = "good";
    try {
      revocation.check(CHAIN, AT, true, List.of());
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

  @Test
  void saysWhatTheVectorsSay() {
    for (Map<String, Object> each : rows("reasons")) {
      int code = ((Number) each.get("code")).intValue();
      assertEquals(each.get("good_before"), RevokedEntry.GOOD_BEFORE.contains(code));
    }
    for (Map<String, Object> each : rows("cases")) {
      Object wanted = each.get("standing") == null ? "idle" : each.get("standing");
      assertEquals(wanted, said(data(each), (String) each.get("kind")), each.toString());
    }
  }

  @Test
  void noSingleBitMayChangeAndNothingMayBeCut() {
    Random random = new Random(13);
    for (Map<String, Object> each : rows("cases")) {
      if (!each.get("name").equals("nobody revoked")) {
        continue;
      }
      byte[] good = data(each);
      String kind = (String) each.get("kind");
      for (int round = 0; round < MUTANTS; round++) {
        byte[] changed = good.clone();
        int bit = random.nextInt(8 * changed.length);
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        assertEquals("idle", said(changed, kind), kind + ", bit " + bit);
      }
      for (int length = 0; length < good.length; length++) {
        assertEquals("idle", said(Arrays.copyOf(good, length), kind), kind + " of " + length);
      }
      assertEquals("idle", said(Arrays.copyOf(good, good.length + 1), kind));
    }
  }
}
