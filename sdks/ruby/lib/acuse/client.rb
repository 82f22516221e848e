# frozen_string_literal: true

module Acuse
  # The service, over one API key. One client serves all threads; after a fork its connections start anew.
  class Client
    # @param api_key [String] default: ACUSE_API_KEY
    # @param base_url [String] default: ACUSE_URL
    # @param options max_retries (3), connect_timeout (10 s), timeout (60 s an attempt and 1 s for each 256 KiB of
    #   body), deadline (180 s a call), ca_file, proxy, app_info, on_attempt, allow_insecure; for tests clock,
    #   wall_clock, sleep, random
    # @param transport [#request, #close] for tests, such as Acuse::Testing::FakeAcuse
    # @raise [ConfigurationError]
    def initialize(api_key: nil, base_url: nil, transport: nil, **options)
      chosen = Options.new(options.merge({ api_key: api_key, base_url: base_url }.compact))
      connect(Core.new(chosen, transport || Transport.new(chosen), Budget.new))
    end

    # A view with other options, over the same connections and budget; what connections are made of (base_url,
    # ca_file, proxy) stays.
    # @return [Client]
    def with_options(**changes)
      fixed = changes.keys & %i[base_url ca_file proxy]
      unless fixed.empty?
        raise ConfigurationError, "#{fixed.join(', ')} cannot change on a client that exists: make another."
      end

      view = dup
      view.send(:connect, Core.new(@core.options.with(changes), @core.transport, @core.budget))
      view
    end

    # Sends messages of the outbox that are due, each once, however often and from wherever this is called. Why a
    # message waits or was refused stands in the table.
    # @param connection [PG::Connection] one of its own, in no transaction
    # @param limit [Integer] the most messages that the call takes on
    # @return [Integer] how many came to their end, sent or refused
    def send_outbox(connection, limit: 100) = Outbox.send_due(@core, connection, limit)

    # Ends idle connections.
    def close = @core.transport.close

    # @!parse extend Resources
    Resources::ALL.each_key { |name| attr_reader name }

    def inspect = Redact.call("#<Acuse::Client base_url=#{@core.options.url} api_key=#{@core.options.api_key}>")
    alias to_s inspect

    private

    def connect(core)
      @core = core
      Resources::ALL.each { |name, resource| instance_variable_set("@#{name}", resource.new(core)) }
    end
  end
end
