/** Client of Acuse: transactional email with evidence. */
module dev.acuse {
  requires transitive java.net.http;
  // The outbox alone needs it.
  requires static transitive java.sql;

  exports dev.acuse;
  exports dev.acuse.model;
  exports dev.acuse.testing;
  exports dev.acuse.verify;
}
