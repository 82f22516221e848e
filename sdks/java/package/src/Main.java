import dev.acuse.Acuse;
import dev.acuse.model.Send;

/** A program that knows nothing but the jar: sends one message, twice under one key. */
public final class Main {
  public static void main(String[] arguments) {
    Acuse acuse = Acuse.fromEnv();
    Send message =
        Send.builder("billing@sandbox.test", "delivered@sandbox.test")
            .subject("Sent with the jar alone")
            .text("Hello.")
            .build();
    String key = "jar-" + System.nanoTime();
    var first = acuse.messages().send(message, key);
    var second = acuse.messages().send(message, key);
    boolean same = first.message().id().equals(second.message().id());
    if (first.replayed() || !second.replayed() || !same) {
      throw new IllegalStateException("the second send was not a replay of the first");
    }
    System.out.println("sent " + first.message().id() + " once");
  }
}
