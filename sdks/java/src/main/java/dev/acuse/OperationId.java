package dev.acuse;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the operations of the contract that a method calls. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OperationId {
  /**
   * The contract's operationId.
   *
   * @return an id
   */
  String value();
}
