package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.JsonObject;
import dev.acuse.OperationId;
import dev.acuse.Page;
import dev.acuse.Pages;
import dev.acuse.Sent;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Finds operations in the client's own classes and calls them by their neutral names. */
final class Reflection {
  private Reflection() {}

  private record Found(Method accessor, Method method) {}

  private static Map<String, Found> operations(Class<?> surface) {
    Map<String, Found> out = new TreeMap<>();
    for (Method accessor : surface.getMethods()) {
      if (accessor.getParameterCount() > 0) {
        continue;
      }
      for (Method method : accessor.getReturnType().getMethods()) {
        if (method.isAnnotationPresent(OperationId.class)) {
          String name = method.getName().replaceAll("_$", "");
          out.put(accessor.getName() + "." + name, new Found(accessor, method));
        }
      }
    }
    return out;
  }

  static Object info(Class<?> surface) {
    return Values.map(
        "language",
        "java",
        "version",
        Acuse.VERSION,
        "user_agent",
        "acuse-java/" + Acuse.VERSION,
        "level",
        Proofs.LEVEL,
        "operations",
        new ArrayList<>(operations(surface).keySet()));
  }

  /** The result of the operation: of futures, one. */
  static Object invoke(Class<?> surface, Object client, Map<String, Object> args) throws Exception {
    Found found = operations(surface).get((String) args.get("operation"));
    if (found == null) {
      throw new UnsupportedOperationException("no such operation: " + args.get("operation"));
    }
    Map<String, Object> params = new TreeMap<>(Values.object(args.get("params")));
    List<Object> values = new ArrayList<>();
    for (Parameter parameter : found.method.getParameters()) {
      values.add(value(parameter, params, args));
    }
    return found.method.invoke(found.accessor.invoke(client), values.toArray());
  }

  private static Object value(
      Parameter parameter, Map<String, Object> params, Map<String, Object> args) throws Exception {
    String name = parameter.getName();
    if (name.equals("query")) {
      Consumer<Object> fill = query -> params.forEach((key, value) -> set(query, key, value));
      return fill;
    }
    if (name.equals("idempotencyKey")) {
      return args.get("idempotency_key");
    }
    if (name.equals("content")) {
      Object body = args.get("body");
      return String.valueOf(body).getBytes(StandardCharsets.UTF_8);
    }
    if (name.equals("body")) {
      return decode(parameter.getType(), Values.object(args.get("body")));
    }
    String neutral = name.replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT);
    return String.valueOf(params.remove(neutral));
  }

  private static void set(Object query, String name, Object value) {
    try {
      query.getClass().getMethod("set", String.class, Object.class).invoke(query, name, value);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Object decode(Class<?> type, Map<String, Object> json) throws Exception {
    return type.getMethod("fromJson", Map.class).invoke(null, json);
  }

  static Object shown(Object result) {
    Object first = result instanceof Pages<?> pages ? pages.first() : result;
    if (first instanceof Page<?> page) {
      return Values.map("data", json(page.data()), "next_cursor", page.nextCursor());
    }
    if (result instanceof Sent<?> sent) {
      return ((JsonObject) sent.message()).toJson();
    }
    if (result instanceof byte[] bytes) {
      return Values.map("base64", Base64.getEncoder().encodeToString(bytes));
    }
    if (result instanceof String text) {
      return Values.map("text", text);
    }
    return result instanceof JsonObject object ? object.toJson() : result;
  }

  private static List<Object> json(List<?> records) {
    return records.stream().<Object>map(each -> ((JsonObject) each).toJson()).toList();
  }

  static Object list(Object lazy, Map<String, Object> args) {
    long take = Values.number(args, "take", Long.MAX_VALUE);
    List<Object> items = new ArrayList<>();
    Iterator<?> iterator = ((Pages<?>) lazy).iterator();
    while (items.size() < take && iterator.hasNext()) {
      items.add(((JsonObject) iterator.next()).toJson());
    }
    return Values.map("items", items, "more", items.size() == take);
  }

  static Object pages(Object lazy, Map<String, Object> args) {
    long take = Values.number(args, "take", Long.MAX_VALUE);
    List<Object> out = new ArrayList<>();
    for (Page<?> page : ((Pages<?>) lazy).pages()) {
      out.add(json(page.data()));
      if (out.size() >= take) {
        break;
      }
    }
    return Values.map("pages", out);
  }

  static Object roundtrip(Map<String, Object> args) throws Exception {
    String schema = (String) args.get("schema");
    String name = schema.equals("Error") ? "ErrorAnswer" : schema;
    Class<?> type;
    try {
      type = Class.forName("dev.acuse.model." + name);
    } catch (ClassNotFoundException union) {
      // Unions are no class: such a value stays as JSON has it.
      return args.get("value");
    }
    if (!JsonObject.class.isAssignableFrom(type)) {
      return args.get("value");
    }
    return ((JsonObject) decode(type, Values.object(args.get("value")))).toJson();
  }
}
