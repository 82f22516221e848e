package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.model.NewApiKey;
import dev.acuse.model.Send;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransportTest {
  private static final Send MESSAGE =
      Send.builder("a@sandbox.test", "delivered@sandbox.test").subject("S").text("T").build();

  private static String message() {
    Map<String, Object> examples = Vectors.object(Vectors.read("examples.json"));
    return Json.write(Vectors.object(examples.get("Message")).get("minimal"));
  }

  private static final String OK = FaultServer.answer(201, "Request-Id: r1\r\n", message());
  private static final String AGAIN =
      FaultServer.answer(200, "Idempotent-Replayed: true\r\n", message());

  @Test
  void sendsAgainWithTheSameKeyAfterALostAnswer() throws Exception {
    try (FaultServer server = new FaultServer(FaultServer.DROP, AGAIN)) {
      var sent = server.client().messages().send(MESSAGE, null);
      assertTrue(sent.replayed());
      assertEquals(2, sent.attempts());
      assertEquals(2, server.requests.size());
      assertTrue(server.requests.get(0).contains("Acuse-Attempt: 1"));
      for (String request : server.requests) {
        assertTrue(request.contains("Idempotency-Key: " + sent.idempotencyKey()));
        assertTrue(request.endsWith(Json.write(MESSAGE.toJson())));
        assertTrue(request.contains("User-Agent: acuse-java/" + Acuse.VERSION + " (java/"));
        assertFalse(request.contains("Accept-Encoding"));
      }
    }
  }

  @Test
  void takesAShortBodyForALostAnswer() throws Exception {
    String cut = "HTTP/1.1 201 x\r\nContent-Length: 9999\r\n\r\n{\"id\":";
    String chunked = "HTTP/1.1 201 x\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n{\"id\":";
    for (String answer : List.of(cut, chunked)) {
      try (FaultServer server = new FaultServer(answer, OK)) {
        assertEquals(2, server.client().messages().send(MESSAGE, "k").attempts());
      }
    }
  }

  @Test
  void neverSendsAgainWhatMustBeDoneOnce() throws Exception {
    NewApiKey key = NewApiKey.fromJson(Map.of("name", "n", "scopes", List.of("messages:send")));
    try (FaultServer server = new FaultServer(OK, FaultServer.DROP)) {
      Acuse acuse = server.client();
      acuse.messages().send(MESSAGE, "k");
      // On the connection of the first call, which the server drops.
      ConnectionException lost =
          assertThrows(ConnectionException.class, () -> acuse.apiKeys().create(key));
      assertTrue(lost.outcomeUnknown());
      assertEquals(1, lost.attempts());
      assertEquals(2, server.requests.size());
    }
  }

  @Test
  void saysTheKeyToTryAgainWithWhenAllIsLost() throws Exception {
    try (FaultServer server = new FaultServer(FaultServer.DROP)) {
      ConnectionException lost =
          assertThrows(
              ConnectionException.class, () -> server.client().messages().send(MESSAGE, null));
      assertEquals(4, lost.attempts());
      assertTrue(lost.idempotencyKey().startsWith("auto_"));
      assertTrue(server.requests.get(3).contains(lost.idempotencyKey()));
    }
  }

  @Test
  void refusesWhatTheContractDoesNotKnow() throws Exception {
    for (String body : List.of("[]", "{}", "<html>", "{\"id\":1}")) {
      try (FaultServer server = new FaultServer(FaultServer.answer(200, "", body))) {
        ProtocolException refused =
            assertThrows(
                ProtocolException.class, () -> server.client().messages().send(MESSAGE, "k"));
        assertTrue(refused.outcomeUnknown());
        assertEquals(1, server.requests.size());
      }
    }
  }

  @Test
  void followsNoRedirect() throws Exception {
    String to = "Location: http://127.0.0.1:1/\r\n";
    try (FaultServer server = new FaultServer(FaultServer.answer(307, to, ""))) {
      assertThrows(AcuseException.class, () -> server.client().account().get());
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void classifiesErrorsAndShowsNoHtml() throws Exception {
    for (var each :
        Map.of(
                401, AuthenticationException.class,
                409, ConflictException.class,
                413, InvalidRequestException.class,
                418, ApiException.class,
                422, RefusedException.class)
            .entrySet()) {
      try (FaultServer server = new FaultServer(FaultServer.error(each.getKey(), "new_code"))) {
        assertThrows(each.getValue(), () -> server.client().account().get());
      }
    }
    String page = FaultServer.answer(500, "", "<html>canary</html>");
    try (FaultServer server = new FaultServer(page)) {
      ServerException failed =
          assertThrows(ServerException.class, () -> server.client().account().get());
      assertFalse(failed.toString().contains("canary"));
      assertEquals(4, server.requests.size());
    }
  }

  @Test
  void endsACallWhoseFutureIsCancelled() throws Exception {
    try (FaultServer server = new FaultServer(FaultServer.HANG)) {
      CompletableFuture<?> future = server.client().async().account().get();
      while (server.requests.isEmpty()) {
        Thread.sleep(5);
      }
      future.cancel(true);
      Thread.sleep(200);
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void givesUpOnSilence() throws Exception {
    try (FaultServer server = new FaultServer(FaultServer.HANG, AGAIN)) {
      Acuse acuse = server.client().withOptions(o -> o.timeout(Duration.ofMillis(300)));
      assertTrue(acuse.messages().send(MESSAGE, "k").replayed());
    }
    try (FaultServer server = new FaultServer(FaultServer.HANG)) {
      Acuse acuse =
          server.client().withOptions(o -> o.timeout(Duration.ofMillis(200)).maxRetries(0));
      ExecutionException failed =
          assertThrows(
              ExecutionException.class, () -> acuse.async().messages().send(MESSAGE, "k").get());
      assertInstanceOf(CallTimeoutException.class, failed.getCause());
    }
  }

  @Test
  void leavesNoFileOfACutDownload(@TempDir Path folder) throws Exception {
    String cut = "HTTP/1.1 200 x\r\nContent-Length: 9999\r\n\r\nPK";
    try (FaultServer server = new FaultServer(cut)) {
      Path file = folder.resolve("proof.zip");
      assertThrows(
          ConnectionException.class, () -> server.client().evidence().downloadBundle("id", file));
      try (var left = Files.list(folder)) {
        assertEquals(0, left.count());
      }
    }
  }

  @Test
  void stopsAtARepeatedCursor() throws Exception {
    String page = "{\"data\":[" + message() + "],\"next_cursor\":\"c\"}";
    try (FaultServer server = new FaultServer(FaultServer.answer(200, "", page))) {
      assertThrows(
          ProtocolException.class, () -> server.client().messages().list().forEach(m -> {}));
      assertEquals(2, server.requests.size());
      assertTrue(server.client().messages().list().stream().findFirst().isPresent());
      assertEquals(3, server.requests.size());
    }
  }

  @Test
  void printsNoKey() throws Exception {
    try (FaultServer server = new FaultServer(FaultServer.error(401, "unauthorized"))) {
      Acuse acuse = server.client();
      var failed = assertThrows(AuthenticationException.class, () -> acuse.account().get());
      assertFalse((acuse + " " + failed + " " + MESSAGE).contains("canary"));
      assertEquals("Send{...}", MESSAGE.toString());
    }
  }

  @Test
  void refusesBeforeAnyRequest() {
    for (String url :
        List.of(
            "http://example.com",
            "https://u:p@example.com",
            "https://example.com/?a",
            "ftp://localhost",
            "https://example.com/#x")) {
      assertThrows(
          ConfigurationException.class, () -> Acuse.of(o -> o.apiKey("acuse_a_b").baseUrl(url)));
    }
    assertThrows(ConfigurationException.class, () -> Acuse.of(o -> o.apiKey("acuse a\n")));
    Acuse acuse = Acuse.of(o -> o.apiKey("acuse_a_b").baseUrl("http://localhost"));
    for (String key : List.of("", "a\r\nb", "é", "x".repeat(256))) {
      assertThrows(ConfigurationException.class, () -> acuse.messages().send(MESSAGE, key));
    }
  }
}
