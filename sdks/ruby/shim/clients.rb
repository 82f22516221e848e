# frozen_string_literal: true

# The library's acts for one request.
Record = Struct.new(:attempts, :sleeps, :cancelled_at)

# The shim's clients, by their options, and its words for errors.
module Clients
  TOLD = %i[status code message fix request_id retry_after attempts phase idempotency_key reason].freeze
  PLAIN = %w[api_key base_url app_info ca_file proxy allow_insecure max_retries].freeze
  LOCK = Mutex.new
  MADE = {} # rubocop:disable Style/MutableConstant

  module_function

  # One for each text of options, shared.
  def for(options)
    LOCK.synchronize { MADE[JSON.generate(options.sort)] ||= make(options.compact) }
  end

  def record = Thread.current.thread_variable_get(:record)

  def make(given)
    settings = given.slice(*PLAIN).transform_keys(&:to_sym)
    %w[connect_timeout timeout deadline].each do |name|
      settings[name.to_sym] = given["#{name}_ms"] / 1_000.0 if given["#{name}_ms"]
    end
    settings[:wall_clock] = -> { given['now_ms'] / 1_000.0 } if given['now_ms']
    Acuse::Client.new(
      **settings,
      random: -> { given.fetch('random', 0) },
      sleep: lambda { |seconds|
        record.sleeps << (seconds * 1_000).round
        sleep(seconds) if given['sleep'] == 'real'
      },
      on_attempt: lambda { |event|
        record.attempts << event.to_h
        raise 'the hook throws' if given['hook'] == 'throw'
      }
    )
  end

  def error(error, record)
    known = error.is_a?(Acuse::Error) || error.is_a?(Cancelled)
    found = { class: known ? error.class.name.split('::').last : 'ShimError' }
    found[:text] = known ? error.message : error.full_message(highlight: false)
    TOLD.each { |name| found[name] = error.public_send(name) if known && error.respond_to?(name) }
    found[:outcome_unknown] = error.outcome_unknown? if error.is_a?(Acuse::Error)
    found[:elapsed_ms] = ((now - record.cancelled_at) * 1_000).round if record.cancelled_at
    found.compact
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
