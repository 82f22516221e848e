package dev.acuse.verify;

import dev.acuse.AcuseException;

/** The file is something else than a proof bundle: it is no evidence, valid or not. */
public class NotABundleException extends AcuseException {
  private static final long serialVersionUID = 1L;

  NotABundleException() {
    super("The file is not a proof bundle: it has no entry proof.tlog-proof.", null);
  }
}
