# frozen_string_literal: true

require 'base64'
require_relative 'support'

# contract/vectors/exchanges.json, played by a raw server.
class ExchangesTest < Minitest::Test
  FILE = vectors('exchanges.json')
  KEY = FILE.fetch('idempotency_key')
  DRAFT = { 'from' => 'a@sandbox.test', 'to' => 'b@sandbox.test', 'subject' => 'Hi', 'text' => 'Hi' }.freeze
  UNSHOWN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
  # Errors that end a call from outside.
  class Cancelled < StandardError; end

  # Plays the answers of a case.
  class Peer
    attr_reader :requests, :taken

    def initialize(test)
      @case = test
      @requests = @taken = 0
      @server = TCPServer.new('127.0.0.1', 0)
      @threads = [Thread.new { loop { accept(@server.accept) } }]
    end

    def url = "#{@case['tls'] ? 'https' : 'http'}://127.0.0.1:#{@server.addr[1]}"

    def stop
      @threads.each(&:kill)
      @server.close
    end

    private

    def accept(socket)
      @threads << Thread.new do
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        nil while read(socket) && play(socket)
      rescue SystemCallError, IOError
        nil
      ensure
        socket.close
      end
    end

    def read(socket)
      data = String.new
      data << socket.readpartial(65_536) until complete?(data)
      @requests += 1
    end

    def complete?(data)
      return !data.empty? if @case['tls']

      head, mark, rest = data.partition("\r\n\r\n")
      !mark.empty? && rest.bytesize >= head[/content-length: (\d+)/i, 1].to_i
    end

    def play(socket)
      script = @case['answers'][[@requests, @case['answers'].length].min - 1]
      script['steps'].each { |step| write(socket, step) }
      socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack('ii')) if script['end'] == 'reset'
      sleep if script['end'] == 'hold'
      script['end'] == 'keep'
    end

    def write(socket, step)
      data = step['base64'] ? Base64.decode64(step['base64']) : step['text']
      times = step.fetch('times', 1)
      (times.zero? ? loop : times.times).each do
        socket.write(data)
        @taken += data.bytesize
        sleep(step['every_ms'] / 1_000.0) if step['every_ms']
      end
    end
  end

  FILE['cases'].each do |test|
    define_method("test_#{test['name'].tr('-', '_')}") do
      peer = Peer.new(test)
      check(test, peer, outcome(client(test, peer), test))
    ensure
      peer&.stop
    end
  end

  private

  def client(test, peer)
    limit = test['limit_ms'] && (test['limit_ms'] / 1_000.0)
    limits = limit ? { timeout: limit, deadline: limit, connect_timeout: limit } : {}
    Acuse::Client.new(
      api_key: FILE['api_key'], base_url: peer.url, max_retries: test['max_retries'], random: -> { 0 },
      sleep: ->(_) {}, **limits
    )
  end

  # @return [Exception, nil]
  def outcome(client, test)
    cancel_after(test['cancel_after_ms'])
    result = call(client, test)
    test['call'] == 'batch' ? result.first.error : nil
  rescue Acuse::Error, Cancelled => e
    e
  end

  def cancel_after(milliseconds)
    return if milliseconds.nil?

    caller_thread = Thread.current
    Thread.new do
      sleep(milliseconds / 1_000.0)
      caller_thread.raise(Cancelled)
    end
  end

  def call(client, test)
    case test['call']
    when 'send' then client.messages.send_message(DRAFT, KEY)
    when 'batch' then client.messages.send_batch([DRAFT.merge('idempotency_key' => KEY)])
    when 'read' then client.messages.get(FILE['id'])
    when 'list' then client.messages.list.first_page
    when 'create' then client.api_keys.create(name: 'a', scopes: ['send'])
    else client.webhooks.delete(FILE['id'])
    end
  end

  def check(test, peer, error)
    out = test['out']
    assert_includes [out['class'], out['or']], error ? error.class.name.split('::').last : 'ok', error.inspect
    assert_equal out['requests'], peer.requests, 'requests' if out['requests']
    assert_operator peer.taken, :<=, out['taken_max'], 'bytes taken' if out['taken_max']
    return if error.nil?

    assert_equal KEY, error.idempotency_key if out['key']
    check_error(out, error) if error.is_a?(Acuse::Error)
  end

  def check_error(out, error)
    assert_equal out['outcome_unknown'], error.outcome_unknown?
    %w[status code retry_after].each do |name|
      assert_equal out[name], error.public_send(name), name if out[name]
    end
    assert error.message.start_with?(out['message']), error.message if out['message']
    values = error.instance_variables.map { |name| error.instance_variable_get(name).to_s }
    [error.message, error.inspect, *values].each do |text|
      refute_match UNSHOWN, text
      refute_includes text, 'canarycanary'
    end
  end
end
