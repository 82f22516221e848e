# frozen_string_literal: true

require 'support'

# What no vector has; exchanges and sdks/conformance have the rest.
class CallsTest < Minitest::Test
  def setup
    @sleeps = []
    @events = []
  end

  def teardown
    @server&.stop
  end

  def client(**options, &)
    @server = ScriptedServer.new(&)
    Acuse::Client.new(
      api_key: 'acuse_abc_canary', base_url: @server.url, sleep: ->(seconds) { @sleeps << seconds },
      random: -> { 0 }, on_attempt: ->(event) { @events << event }, **options
    )
  end

  def test_a_thread_that_is_ended_gives_its_connection_back_closed
    acuse = client { |_, _| sleep(5) }
    thread = Thread.new { acuse.messages.get('a') }
    sleep(0.01) until @server.requests.length == 1
    thread.kill.join
    assert_empty @sleeps
    assert_empty @events
  end
end

# Refusals before any request.
class ConfigurationTest < Minitest::Test
  def refused(**options)
    assert_raises(Acuse::ConfigurationError) { Acuse::Client.new(**{ api_key: 'acuse_a_b' }.merge(options)) }
  end

  def test_keys_and_addresses_that_cannot_be_right
    ENV.delete('ACUSE_API_KEY')
    ['', "acuse_a_b\n", 'acuse a', "acuse_\u00e9"].each { |key| refused(api_key: key) }
    refused(api_key: nil)
    %w[ftp://a.test https://u:p@a.test https://a.test?x=1 https://a.test#x http://a.test http://127.0.0.1.a.test
       nonsense].each { |url| refused(base_url: url) }
    refused(max_retries: -1)
    refused(timeout: 0)
    refused(app_info: "a\r\nb")
    refused(colour: 'green')
    %w[http://localhost http://127.0.0.9 http://[::1]:8025 https://a.test/].each do |url|
      Acuse::Client.new(api_key: 'acuse_a_b', base_url: url)
    end
  end

  def test_a_view_has_other_options_over_the_same_connections
    acuse = Acuse::Client.new(api_key: 'acuse_a_b', base_url: 'http://localhost')
    view = acuse.with_options(max_retries: 0)
    assert_instance_of Acuse::Client, view
    refute_same acuse.messages, view.messages
    assert_raises(Acuse::ConfigurationError) { acuse.with_options(base_url: 'http://localhost') }
  end

  def test_covers_every_operation
    acuse = Acuse::Client.new(api_key: 'acuse_a_b', base_url: 'http://localhost')
    Acuse::OPERATIONS.each_value do |operation|
      resource, name = operation.name.split('.').map { |each| each.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" } }
      name = 'send_message' if name == 'send'
      assert_respond_to acuse.public_send(resource), name, operation.name
    end
  end
end
