package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.model.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExamplesTest {
  /** Numbers are equal by value: 71.5 may be read as a double. */
  private static Object plain(Object value) {
    return Json.parse(Json.write(value));
  }

  @Test
  void everySchemaReadsAndWritesWithoutLoss() throws Exception {
    Map<String, Object> examples = Vectors.object(Vectors.read("examples.json"));
    int count = 0;
    for (Map.Entry<String, Object> each : examples.entrySet()) {
      String name = each.getKey().equals("Error") ? "ErrorAnswer" : each.getKey();
      Map<String, Object> forms = Vectors.object(each.getValue());
      if (!(forms.get("full") instanceof Map)) {
        continue;
      }
      Class<?> type = Class.forName("dev.acuse.model." + name);
      List<Object> values = new ArrayList<>(List.of(forms.get("full"), forms.get("minimal")));
      if (forms.get("future") instanceof Map) {
        values.add(forms.get("future"));
      }
      for (Object value : values) {
        JsonObject read =
            (JsonObject) type.getMethod("fromJson", Map.class).invoke(null, Vectors.object(value));
        assertEquals(plain(value), plain(read.toJson()), name);
        count++;
      }
    }
    assertTrue(count > 200, count + " examples");
  }

  @Test
  void onlyWhatCarriesTheMeaningMustBeThere() throws Exception {
    Map<String, Object> examples = Vectors.object(Vectors.read("examples.json"));
    Map<String, Object> whole = Vectors.object(Vectors.object(examples.get("Message")).get("full"));
    for (String name : whole.keySet()) {
      Map<String, Object> less = new LinkedHashMap<>(whole);
      less.remove(name);
      if (name.equals("id")) {
        assertThrows(IllegalArgumentException.class, () -> Message.fromJson(less));
      } else {
        assertEquals(whole.get("id"), Message.fromJson(less).id(), name);
      }
    }
    Message least = Message.fromJson(Map.of("id", "m1"));
    assertEquals("m1", least.toJson().get("id"));
    assertNull(least.subject());
    assertEquals(0, least.attempts());
  }
}
