import dev.acuse.Webhooks;
import dev.acuse.verify.Policy;
import dev.acuse.verify.Verifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

public final class Check {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> headers = new HashMap<>();
    for (String line : Files.readAllLines(Path.of("headers.txt"))) {
      String[] parts = line.split(": ", 2);
      headers.put(parts[0], parts[1]);
    }
    var body = Files.readAllBytes(Path.of("body.json"));
    var event = Webhooks.verify(body, headers, Files.readString(Path.of("secret.txt")));
    var report = Verifier.verify(Path.of("proof.zip"), Policy.TRUST_BUNDLE);
    System.out.println(report.verdict() + " " + event.type());
  }
}
