package dev.acuse;

import dev.acuse.model.Attachment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;

/** Makes an attachment of a file. */
public final class AttachedFile {
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("csv", "text/csv"),
          Map.entry("doc", "application/msword"),
          Map.entry(
              "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
          Map.entry("eml", "message/rfc822"),
          Map.entry("gif", "image/gif"),
          Map.entry("gz", "application/gzip"),
          Map.entry("htm", "text/html"),
          Map.entry("html", "text/html"),
          Map.entry("ics", "text/calendar"),
          Map.entry("jpeg", "image/jpeg"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("json", "application/json"),
          Map.entry("md", "text/markdown"),
          Map.entry("pdf", "application/pdf"),
          Map.entry("png", "image/png"),
          Map.entry(
              "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("txt", "text/plain"),
          Map.entry("webp", "image/webp"),
          Map.entry("xls", "application/vnd.ms-excel"),
          Map.entry("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
          Map.entry("xml", "application/xml"),
          Map.entry("zip", "application/zip"));

  private AttachedFile() {}

  /**
   * Reads a file. Its media type is that of its extension, from a fixed table.
   *
   * @param file to attach under its own name
   * @return an attachment
   * @throws IOException if it cannot be read
   */
  public static Attachment of(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    String content = Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    return Attachment.builder(name, content)
        .contentType(TYPES.getOrDefault(extension, "application/octet-stream"))
        .build();
  }
}
