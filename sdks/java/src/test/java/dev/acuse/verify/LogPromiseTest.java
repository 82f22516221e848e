package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.ConfigurationException;
import dev.acuse.Json;
import dev.acuse.LogException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogPromiseTest {
  private static final Path NOTES = Path.of("../../contract/vectors/notes.json");

  @Test
  @SuppressWarnings("unchecked")
  void readsPromisesAsTheVectorsDo() throws IOException {
    Map<String, Object> all = (Map<String, Object>) Json.parse(Files.readString(NOTES));
    int read = 0;
    for (Map<String, Object> each : (List<Map<String, Object>>) all.get("cases")) {
      if (!each.get("kind").equals("promise")) {
        continue;
      }
      read++;
      String key = (String) all.get("log_key");
      Map<String, Object> says = (Map<String, Object>) each.get("says");
      assertEquals(said(says), opened((String) each.get("note"), key), (String) each.get("why"));
    }
    assertEquals(45, read);
  }

  @Test
  @SuppressWarnings("unchecked")
  void whiteSpaceAroundPinnedKeyIsNoPartOfIt() throws IOException {
    Map<String, Object> all = (Map<String, Object>) Json.parse(Files.readString(NOTES));
    String key = (String) all.get("log_key");
    String note =
        ((List<Map<String, Object>>) all.get("cases"))
            .stream()
                .filter(each -> each.get("kind").equals("checkpoint"))
                .map(each -> (String) each.get("note"))
                .findFirst()
                .orElseThrow();
    for (String around : List.of("", " ", "\t", "\n", "\r\n", " \t\r\n")) {
      LogCheckpoint checkpoint = LogCheckpoint.open(note, around + key + around);
      assertEquals(100, checkpoint.size());
      assertEquals(key, checkpoint.key());
    }
    List<String> wrong =
        List.of(
            "",
            " \r\n",
            key.replaceFirst("\\+", "+ "),
            key + "\n" + key,
            key + "\u2003",
            key + "\f",
            (String) all.get("witness_key"));
    for (String text : wrong) {
      ConfigurationException refused =
          assertThrows(ConfigurationException.class, () -> LogCheckpoint.open(note, text));
      assertTrue(refused.getMessage().contains("name+id+base64"), refused.getMessage());
    }
  }

  private static String said(Map<String, Object> says) {
    return says == null
        ? "refused"
        : says.get("canonical_hash") + " " + ((Number) says.get("deadline")).longValue();
  }

  private static String opened(String note, String key) {
    try {
      LogPromise promise = LogPromise.open(note, key);
      return promise.canonicalHash() + " " + promise.deadline();
    } catch (LogException refused) {
      return "refused";
    }
  }
}
