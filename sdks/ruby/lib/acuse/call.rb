# frozen_string_literal: true

require 'erb'
require 'json'
require 'rbconfig'
require_relative 'sound'

module Acuse
  # Tokens for retries, shared by all calls of a client.
  class Budget
    attr_reader :tokens

    def initialize
      @tokens = Decide::BUDGET
      @lock = Mutex.new
    end

    # @return [Boolean] false, and nothing taken, when there are not enough
    def take(cost)
      @lock.synchronize do
        return false if cost > @tokens

        @tokens -= cost
        true
      end
    end

    def succeed(spent)
      @lock.synchronize { @tokens = Decide.budget_after_success(@tokens, spent) }
    end
  end

  # Shared by all calls of a client.
  Core = Struct.new(:options, :transport, :budget)
  # The outcome of a call.
  Answer = Struct.new(:status, :headers, :value, :attempts) do
    def info
      ResponseInfo.new(
        status: status, headers: headers, request_id: headers['request-id'], attempts: attempts
      ).freeze
    end
  end

  # One call: its attempts, the decisions between them, its answer.
  class Call
    # A JSON answer beyond this is refused.
    MAX_JSON_BYTES = 16 * 1024 * 1024
    # Content that is kept in memory: a proof bundle is a file of at most 144 MiB.
    MAX_CONTENT_BYTES = 160 * 1024 * 1024
    # Seconds that a download may stand still.
    BETWEEN_BYTES = 30
    CODE = /\A[a-z][a-z0-9_]{0,63}\z/
    PHASES = {
      connect: 'No connection', tls: 'No trusted TLS connection',
      send: 'The request could not be sent whole', receive: 'No whole answer came'
    }.freeze
    private_constant :CODE, :PHASES

    # @return [String] how a client names itself
    def self.user_agent(options)
      os = RbConfig::CONFIG['host_os'][/[a-z]+/i].downcase
      agent = "acuse-ruby/#{VERSION} (#{RUBY_ENGINE}/#{RUBY_ENGINE_VERSION}; #{os})"
      options.app_info ? "#{agent} #{options.app_info}" : agent
    end

    # @param query [Hash] nil values are left out
    # @param body [String, nil] bytes, the same in every attempt
    # @param sink [#call, nil] takes the content of a success in pieces
    # @param rewind [#call, nil] empties the sink before each attempt
    def initialize(core, operation, path: {}, query: {}, headers: {}, body: nil, sink: nil, rewind: nil)
      @core = core
      @options = core.options
      @operation = operation
      @target = @options.url.path + path_of(path) + query_of(query)
      @headers = headers
      @body = body
      @sink = sink
      @rewind = rewind
      @attempt = 0
      @unknown = false
      @spent = 0
    end

    # @return [Answer]
    # @raise [Error]
    # What ends the call from outside, such as Interrupt, gets the methods `idempotency_key` and `attempts`.
    def run
      attempts
    rescue Exception => e # rubocop:disable Lint/RescueException
      note(e) unless e.is_a?(Error)
      raise
    end

    private

    def note(ended)
      facts = { idempotency_key: @headers['idempotency-key'], attempts: @attempt }
      facts.each { |name, value| ended.define_singleton_method(name) { value } } unless ended.frozen?
    end

    def attempts
      ends = clock + @options.deadline
      loop do
        @attempt += 1
        began = clock
        @rewind&.call
        reply = @core.transport.request(attempt([ends - began, 0.001].max))
        outcome, result = read(reply)
        if result.is_a?(Answer)
          @core.budget.succeed(@spent)
          tell(reply, nil, nil, clock - began)
          return result
        end
        delay = delay_after(outcome, reply, ends - clock)
        tell(reply, result, delay, clock - began)
        raise final(result) if delay.nil?

        @options.sleep.call(delay)
      end
    end

    def clock = @options.clock.call

    def attempt(time_left)
      allowed = @options.timeout + (@body.to_s.bytesize.to_f / Options::BYTES_PER_SECOND)
      small = %i[json page none].include?(@operation.result)
      Attempt.new(
        http: @operation.http, path: @target, headers: headers, body: @body,
        timeout: @sink ? BETWEEN_BYTES : [allowed, time_left].min,
        connect_timeout: [@options.connect_timeout, time_left].min,
        max_bytes: small ? MAX_JSON_BYTES : MAX_CONTENT_BYTES, sink: @sink
      )
    end

    def headers
      made = {
        'authorization' => "Bearer #{@options.api_key}",
        'accept' => @operation.accept || 'application/json',
        'accept-encoding' => 'identity',
        'user-agent' => Call.user_agent(@options),
        'acuse-attempt' => @attempt.to_s
      }
      made['content-type'] = @operation.media || 'application/json' if @body
      made.merge(@headers)
    end

    # Seconds until the next attempt, which is paid for; nil when there is none.
    def delay_after(outcome, reply, time_left)
      @unknown ||= changes? && outcome.unknown?
      decision = Decide.decide(
        @operation.retry_class, outcome,
        attempt: @attempt, max_retries: @options.max_retries,
        headers: reply.is_a?(Reply) ? reply.headers : {}, u: @options.random.call,
        budget: @core.budget.tokens, time_left: time_left * 1_000, now: wall_clock_ms
      )
      cost = Decide.cost_of(outcome)
      return nil unless decision.retry && @core.budget.take(cost)

      @spent += cost
      decision.delay / 1_000.0
    end

    # @return [Array(Outcome, Error), Array(nil, Answer)]
    def read(reply)
      return [reply.outcome, no_answer(reply)] if reply.is_a?(Failure)
      return refusal(reply) if reply.status >= 400 && !reply.too_large

      raise Codec::Undecodable, 'the answer is larger than any that the contract has' if reply.too_large

      [nil, Answer.new(reply.status, reply.headers, value_of(reply), @attempt)]
    rescue Codec::Undecodable => e
      text = "#{@operation.name} was answered #{reply.status}, which is not what the contract says: #{e.message}."
      [Outcome.new(:malformed), ProtocolError.new(text, status: reply.status, outcome_unknown: changes?)]
    end

    def changes? = @operation.http != 'GET'

    def no_answer(failure)
      kind = failure.outcome.kind == :timeout || failure.cause.is_a?(Net::OpenTimeout) ? TimeoutError : ConnectionError
      text = "#{PHASES.fetch(failure.phase)} (#{@operation.name}): #{failure.cause.message}"
      kind.new(text, phase: failure.phase)
    end

    def refusal(reply)
      status = reply.status
      if @operation.http == 'DELETE' && status == 404 && @unknown
        return [nil, Answer.new(status, reply.headers, nil, @attempt)]
      end

      code, message = envelope(reply)
      after = Decide.retry_after_ms(reply.headers, wall_clock_ms)
      error = ApiError.class_for(status, code).new(
        status, code, message, request_id: request_id_of(reply), retry_after: after && (after / 1_000.0)
      )
      [Outcome.new(:answer, status, code), error]
    end

    # An error that another program made is named by its status, without its HTML.
    def envelope(reply)
      error = Sound.parse(utf8(reply.body))['error']
      code = error['code']
      message = error['message']
      return [code, message] if code.is_a?(String) && code.match?(CODE) && message.is_a?(String)

      unknown_error(reply)
    rescue JSON::ParserError, TypeError, NoMethodError, Codec::Undecodable
      unknown_error(reply)
    end

    def unknown_error(reply)
      ["http_#{reply.status}", "The server answered #{reply.status} without an error of Acuse's."]
    end

    def value_of(reply)
      raise Codec::Undecodable, 'it is neither a success nor an error' unless (200..299).cover?(reply.status)

      case @operation.result
      when :none then nil
      when :bytes then reply.body
      when :text then utf8(reply.body)
      else decoded(utf8(reply.body), reply)
      end
    end

    def decoded(text, reply)
      value = Codec.decode(@operation.type, Sound.parse(text), @operation.name)
      value.is_a?(Model) ? value.with_response(Answer.new(reply.status, reply.headers, nil, @attempt).info) : value
    rescue JSON::ParserError
      raise Codec::Undecodable, 'its body is not JSON'
    end

    def utf8(body)
      text = body.dup.force_encoding(Encoding::UTF_8)
      raise Codec::Undecodable, 'its body is not UTF-8' unless text.valid_encoding?

      text
    end

    def final(error)
      error.attempts = @attempt
      error.idempotency_key = @headers['idempotency-key']
      error.outcome_unknown = error.outcome_unknown? || @unknown
      error
    end

    def tell(reply, error, delay, seconds)
      answer = reply.is_a?(Reply) ? reply : nil
      request_id = answer && request_id_of(answer)
      error.request_id ||= request_id if error
      @options.on_attempt&.call(
        AttemptEvent.new(
          operation: @operation.name, attempt: @attempt, status: answer&.status,
          code: error.is_a?(ApiError) ? error.code : nil, request_id: request_id,
          duration_ms: (seconds * 1_000).round(3), retry_in_ms: delay && (delay * 1_000).round(3),
          error: error && error.class.name.split('::').last
        )
      )
    rescue StandardError
      # A hook that raises changes nothing: the message may be sent already.
      nil
    end

    # The server's name for a request, fit to be shown.
    def request_id_of(reply) = reply.headers['request-id']&.then { |found| Redact.plain(found) }

    def wall_clock_ms = (@options.wall_clock.call * 1_000).to_i

    # No id may lead to another path.
    def path_of(parameters)
      parameters.reduce(@operation.path) do |path, (name, given)|
        parts = name == 'path' ? given.to_s.split('/', -1) : [given.to_s]
        if parts.any? { |part| ['', '.', '..'].include?(part) }
          raise ConfigurationError, "#{name} must not be empty or a path: it is #{given.to_s.inspect}."
        end

        path.sub("{#{name}}") { parts.map { |part| ERB::Util.url_encode(part) }.join('/') }
      end
    end

    def query_of(query)
      pairs = query.compact.map do |name, value|
        text = [Codec.encode(value)].flatten.join(',')
        "#{ERB::Util.url_encode(name)}=#{ERB::Util.url_encode(text)}"
      end
      pairs.empty? ? '' : "?#{pairs.join('&')}"
    end
  end
end
