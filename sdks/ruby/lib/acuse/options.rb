# frozen_string_literal: true

require 'ipaddr'
require 'uri'

module Acuse
  # What `on_attempt` is told of one attempt; `duration_ms` and `retry_in_ms` in milliseconds, `error` the name
  # of the error's class, nil for a success.
  AttemptEvent = Struct.new(
    :operation, :attempt, :status, :code, :request_id, :duration_ms, :retry_in_ms, :error,
    keyword_init: true
  )

  # The options of a client, checked. Times are seconds.
  class Options
    DEFAULTS = {
      api_key: nil, base_url: nil, max_retries: 3, connect_timeout: 10, timeout: 60, deadline: 180,
      ca_file: nil, proxy: nil, app_info: nil, on_attempt: nil, allow_insecure: false,
      clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) },
      wall_clock: -> { Time.now.to_f },
      sleep: ->(seconds) { Kernel.sleep(seconds) },
      random: -> { Kernel.rand }
    }.freeze
    # A request's body has a second more for each of these bytes.
    BYTES_PER_SECOND = 256 * 1024
    BASE_URL = 'The base URL (base_url, or ACUSE_URL)'
    private_constant :BASE_URL

    attr_reader(*DEFAULTS.keys, :url)

    # @raise [ConfigurationError]
    def initialize(given)
      unknown = given.keys - DEFAULTS.keys
      unless unknown.empty?
        known = DEFAULTS.keys.join(', ')
        raise ConfigurationError, "Unknown option: #{unknown.join(', ')}. There are: #{known}."
      end

      DEFAULTS.merge(given).each { |name, value| instance_variable_set("@#{name}", value) }
      @api_key = checked_key(@api_key || ENV.fetch('ACUSE_API_KEY', nil))
      @url = checked_url(@base_url || address)
      check_numbers
      check_texts
      freeze
    end

    # @return [Options] the same with other values
    def with(changes) = Options.new(DEFAULTS.keys.to_h { |name| [name, public_send(name)] }.merge(changes))

    # What HTTPS_PROXY and NO_PROXY say for the address; contract/vectors/README.md of the project has the rule.
    # @param env [#[]]
    # @return [String, nil]
    # @raise [ConfigurationError] for a proxy that is none
    def environment_proxy(env = ENV)
      return nil if url.scheme != 'https' || loopback_host?(url.hostname)

      named = named_in(env, 'https_proxy').strip
      return nil if named.empty? || excepted?(named_in(env, 'no_proxy'))

      found = named.include?('://') ? named : "http://#{named}"
      return found if found.match?(%r{\Ahttp://[^/]})

      raise ConfigurationError, 'HTTPS_PROXY must be like http://proxy.example.com:3128.'
    end

    def inspect = Redact.call("#<Acuse::Options base_url=#{url} api_key=#{api_key}>")
    alias to_s inspect

    private

    def named_in(env, name) = [env[name], env[name.upcase]].find { |each| each && !each.empty? }.to_s

    def excepted?(list)
      host = url.hostname.downcase
      list.downcase.split(/[\s,]+/).any? do |entry|
        next true if entry == '*'

        name, only = entry.sub(/\A\*?\.?/, '').split(':', 2)
        next false if name.to_s.empty? || (only && only != url.port.to_s)

        host == name || host.end_with?(".#{name}")
      end
    end

    def checked_key(key)
      if key.nil? || key.empty?
        raise ConfigurationError, 'There is no API key: pass api_key, or set ACUSE_API_KEY.'
      end
      return key.dup.freeze if key.match?(/\A[!-~]+\z/)

      raise ConfigurationError,
            'The API key has white space, control characters or letters that no key has: ' \
            'copy it again, without the line end.'
    end

    # ACUSE_BASE_URL is what it was called before.
    def address
      found = ENV.values_at('ACUSE_URL', 'ACUSE_BASE_URL').find { |each| each && !each.empty? }
      found || raise(ConfigurationError, 'There is no address of the service: pass base_url, or set ACUSE_URL.')
    end

    def checked_url(text)
      unless text.match?(/\A[!-~]+\z/)
        raise ConfigurationError, "#{BASE_URL} has white space, control or non-ASCII characters."
      end

      url = URI.parse(text)
      unless url.is_a?(URI::HTTP) && url.hostname && !url.hostname.empty?
        raise ConfigurationError, "#{BASE_URL} must begin with https:// (or http:// for this machine)."
      end

      check_parts(url)
      url.path = url.path.sub(%r{/+\z}, '')
      url.freeze
    rescue URI::InvalidURIError
      # Its cause would show what may be a password.
      raise ConfigurationError, "#{BASE_URL} cannot be read: it is like https://mail.example.", cause: nil
    end

    def check_parts(url)
      if url.userinfo
        raise ConfigurationError, "#{BASE_URL} has credentials: the API key is all that is needed."
      end
      if url.query || url.fragment
        raise ConfigurationError, "#{BASE_URL} has a query or a fragment: leave them out."
      end

      if url.scheme == 'http' && proxy && !allow_insecure
        raise ConfigurationError,
              'The proxy would see the API key in plain http: use https; allow_insecure: true lifts this.'
      end

      return if url.scheme == 'https' || loopback_host?(url.hostname) || allow_insecure

      raise ConfigurationError,
            "#{BASE_URL} is plain http to #{url.hostname}: anyone on the way could read the API key. " \
            'Use https; allow_insecure: true lifts this.'
    end

    def loopback_host?(host)
      return true if host == 'localhost' || host.end_with?('.localhost')

      IPAddr.new(host).loopback?
    rescue IPAddr::Error
      false
    end

    def check_numbers
      unless max_retries.is_a?(Integer) && (0..100).cover?(max_retries)
        raise ConfigurationError, 'max_retries must be a whole number from 0 to 100.'
      end

      %i[connect_timeout timeout deadline].each do |name|
        value = public_send(name)
        next if value.is_a?(Numeric) && value.positive? && value < 86_400

        raise ConfigurationError, "#{name} must be a number of seconds above 0 and below a day."
      end
    end

    def check_texts
      return if app_info.nil? || app_info.match?(/\A[ -~]{0,200}\z/)

      raise ConfigurationError, 'app_info must be at most 200 printable ASCII characters.'
    end
  end
end
