# frozen_string_literal: true

require 'time'

module Acuse
  # How one attempt ended. `kind`: :answer, :no_connection, :lost_answer, :timeout, :tls, :malformed or
  # :cancelled; `status` and `code` of an answer.
  Outcome = Struct.new(:kind, :status, :code) do
    # True if the request may have been carried out.
    def unknown?
      return status >= 500 if kind == :answer

      !%i[no_connection tls].include?(kind)
    end
  end

  # The step after an attempt: `retry`, after `delay` ms, with `budget` tokens left; `retry_after` ms that the
  # answer asked for; `unknown`; `because`: what forbids a retry.
  Decision = Struct.new(:retry, :delay, :budget, :retry_after, :unknown, :because, keyword_init: true)

  # Decides if and when a call is tried again: pure, tested with contract/vectors/client-decisions.json.
  module Decide
    BASE_DELAY_MS = 500
    MAX_DELAY_MS = 8_000
    # A server that wants more has the error returned at once.
    MAX_RETRY_AFTER_MS = 60_000
    # Tokens of a client: without them nothing is tried again.
    BUDGET = 500
    RETRY_COST = 5
    TIMEOUT_COST = 10
    SUCCESS_GAIN = 1

    MAX_DIGITS = 9
    MANY_SECONDS = 999_999_999
    MONTHS = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze
    HTTP_DATE = /\A(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT\z/
    private_constant :MAX_DIGITS, :MANY_SECONDS, :MONTHS, :HTTP_DATE

    class << self
      # @param attempt [Integer] the one that has just ended, from 1
      # @param u [Float] random, in [0, 1)
      # @param time_left [Numeric] ms until the deadline of the call
      # @param now [Integer] ms since 1970
      # @return [Decision]
      def decide(retry_class, outcome, attempt:, max_retries:, headers:, u:, budget:, time_left:, now:)
        after = outcome.kind == :answer ? retry_after_ms(headers, now) : nil
        delay = delay_ms(attempt, u, after)
        cost = cost_of(outcome)
        because =
          if !retriable?(retry_class, outcome) then :outcome
          elsif attempt > max_retries then :attempts
          elsif after && after > MAX_RETRY_AFTER_MS then :retry_after
          elsif delay >= time_left then :deadline
          elsif budget < cost then :budget
          end
        Decision.new(
          retry: because.nil?, delay: because ? nil : delay, budget: because ? budget : budget - cost,
          retry_after: after, unknown: outcome.unknown?, because: because
        )
      end

      # @param retry_number [Integer] from 1
      def delay_ms(retry_number, u, retry_after)
        base = [MAX_DELAY_MS, BASE_DELAY_MS * (2**([retry_number, 20].min - 1))].min
        backoff = (base * (0.5 + (0.5 * u))).floor
        retry_after.nil? ? backoff : [backoff, retry_after + (retry_after / 10.0 * u).floor].max
      end

      # @return [Integer] tokens that a retry after this takes
      def cost_of(outcome) = outcome.kind == :timeout ? TIMEOUT_COST : RETRY_COST

      # @param spent [Integer] what the retries of the call have cost; 0 when the first attempt succeeded
      def budget_after_success(budget, spent) = [BUDGET, budget + (spent.zero? ? SUCCESS_GAIN : spent)].min

      # A DELETE that is answered 404 after an attempt of unknown outcome has deleted.
      def deleted?(outcomes)
        *before, last = outcomes
        return false unless last.kind == :answer
        return true if (200..299).cover?(last.status)

        last.status == 404 && before.any?(&:unknown?)
      end

      # nil: there is none, or nothing that can be read. A moment counts from the answer's own Date.
      # RFC 9110 §10.2.3
      def retry_after_ms(headers, now)
        value = header(headers, 'retry-after')
        return nil if value.nil?
        return (value.length > MAX_DIGITS ? MANY_SECONDS : value.to_i) * 1_000 if value.match?(/\A[0-9]+\z/)

        at = http_date_ms(value)
        at && [0, at - (http_date_ms(header(headers, 'date') || '') || now)].max
      end

      # The one form that may be written; the day of the week is not compared. RFC 9110 §5.6.7
      def http_date_ms(text)
        match = HTTP_DATE.match(text)
        month = match && MONTHS.index(match[2])
        return nil if month.nil?

        day, year, hour, minute, second = [1, 3, 4, 5, 6].map { |at| match[at].to_i }
        return nil if year < 1970 || hour > 23 || minute > 59 || second > 59
        return nil unless Date.valid_date?(year, month + 1, day)

        Time.utc(year, month + 1, day, hour, minute, second).to_i * 1_000
      end

      private

      def retriable?(retry_class, outcome)
        again = retry_class != :once
        case outcome.kind
        when :no_connection then true
        when :lost_answer, :timeout then again
        when :answer then answered?(again, outcome)
        else false
        end
      end

      def answered?(again, outcome)
        case outcome.status
        when 429 then outcome.code == 'rate_limited'
        when 408 then outcome.code == 'request_timeout'
        else again && [500, 502, 503, 504].include?(outcome.status)
        end
      end

      def header(headers, wanted)
        found = headers.find { |name, _| name.downcase == wanted }
        found && found[1].gsub(/\A[ \t]+|[ \t]+\z/, '')
      end
    end
  end
end
