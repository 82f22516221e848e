# frozen_string_literal: true

module Acuse
  # Everything that this library raises of itself.
  class Error < StandardError
    # @return [String, nil] of a send: pass it again to try the same message again
    attr_accessor :idempotency_key
    # @return [String, nil] what the server calls the request: tell it to the operator
    attr_accessor :request_id
    # @return [Integer] how many requests were made
    attr_accessor :attempts

    def initialize(message = nil)
      super(message.nil? ? nil : Redact.plain(Redact.call(message)))
      @attempts = 0
    end

    # @return [Boolean] whether the server may have carried the request out
    def outcome_unknown? = false

    # @return [String]
    def inspect = "#<#{self.class}: #{message}>"
  end

  # Nothing was requested: what was passed cannot be right.
  class ConfigurationError < Error; end

  # No whole answer came.
  class ConnectionError < Error
    # @return [Symbol] :connect, :tls, :send or :receive
    attr_reader :phase
    attr_writer :outcome_unknown

    def initialize(message, phase:, outcome_unknown: false)
      super(message)
      @phase = phase
      @outcome_unknown = outcome_unknown
    end

    def outcome_unknown? = @outcome_unknown
  end

  # The attempt took too long.
  class TimeoutError < ConnectionError; end

  # The answer is not what the contract says.
  class ProtocolError < Error
    # @return [Integer, nil] HTTP status
    attr_reader :status
    attr_writer :outcome_unknown

    def initialize(message, status: nil, outcome_unknown: false)
      super(message)
      @status = status
      @outcome_unknown = outcome_unknown
    end

    def outcome_unknown? = @outcome_unknown
  end

  # The server refused.
  class ApiError < Error
    # @return [Integer] HTTP status
    attr_reader :status
    # @return [String] see ErrorCodes; a newer server may have others
    attr_reader :code
    # @return [Float, nil] seconds that the server asks to wait
    attr_reader :retry_after
    attr_writer :outcome_unknown

    def initialize(status, code, message, request_id: nil, retry_after: nil)
      super(message)
      @status = status
      @code = code
      @retry_after = retry_after
      self.request_id = request_id
      @outcome_unknown = false
    end

    # @return [String, nil] what to do about it
    def fix = FIXES.dig(code, 1)

    def outcome_unknown? = @outcome_unknown

    # @return [Class] the class for a status, and of 429 for a code
    def self.class_for(status, code)
      return code == 'quota_exceeded' ? QuotaExceededError : RateLimitedError if status == 429

      BY_STATUS[status] || (status >= 500 ? ServerError : ApiError)
    end
  end

  # 400, 405, 408, 413, 415
  class InvalidRequestError < ApiError; end

  # 401
  class AuthenticationError < ApiError; end

  # 403
  class PermissionError < ApiError; end

  # 404
  class NotFoundError < ApiError; end

  # 409
  class ConflictError < ApiError; end

  # 422
  class RefusedError < ApiError; end

  # 429: the month's quota is used up.
  class QuotaExceededError < ApiError; end

  # 429: too many requests.
  class RateLimitedError < ApiError; end

  # 5xx
  class ServerError < ApiError; end

  # 503
  class UnavailableError < ServerError; end

  # A webhook delivery that is not genuine, or cannot be told to be.
  class WebhookError < Error
    # @return [Symbol]
    attr_reader :reason

    def initialize(reason, message)
      super(message)
      @reason = reason
    end
  end

  class ApiError
    BY_STATUS = {
      400 => InvalidRequestError, 405 => InvalidRequestError, 408 => InvalidRequestError,
      413 => InvalidRequestError, 415 => InvalidRequestError, 401 => AuthenticationError,
      403 => PermissionError, 404 => NotFoundError, 409 => ConflictError, 422 => RefusedError,
      503 => UnavailableError
    }.freeze
    private_constant :BY_STATUS
  end
end
