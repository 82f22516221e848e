# frozen_string_literal: true

require 'net/http'
require 'openssl'
require 'timeout'

module Acuse
  # One request over the wire. `sink` takes the content of a success in pieces.
  Attempt = Struct.new(:http, :path, :headers, :body, :timeout, :connect_timeout, :max_bytes, :sink,
                       keyword_init: true)
  # A complete answer; header names in lower case. `too_large`: its content was not read to the end.
  Reply = Struct.new(:status, :headers, :body, :too_large, keyword_init: true)
  # No complete answer. `phase`: :connect, :tls, :send or :receive.
  Failure = Struct.new(:outcome, :phase, :cause, keyword_init: true)

  # HTTP over Net::HTTP: connections that threads take and give back, one request each at a time.
  class Transport
    MAX_CONNECTIONS = 100
    # The server closes an idle connection at 72 s.
    IDLE_SECONDS = 60
    NO_CONNECTION = [
      Errno::ECONNREFUSED, Errno::EHOSTUNREACH, Errno::ENETUNREACH, Errno::EADDRNOTAVAIL, SocketError,
      Net::OpenTimeout, Errno::ETIMEDOUT
    ].freeze
    TIMEOUTS = [Net::ReadTimeout, Net::WriteTimeout].freeze
    LOST = [
      EOFError, IOError, Errno::ECONNRESET, Errno::EPIPE, Errno::ECONNABORTED, Net::HTTPBadResponse,
      Net::HTTPHeaderSyntaxError, Net::ProtocolError
    ].freeze
    private_constant :NO_CONNECTION, :TIMEOUTS, :LOST

    # The answer came more slowly than the attempt may take.
    class TooSlow < StandardError; end

    # An answer of which no more is wanted.
    class TooLarge < StandardError
      attr_reader :reply

      def initialize(reply)
        super('the answer is too large')
        @reply = reply
      end
    end

    # A time-out of Net::HTTP is that of one read, and its header may have any size: this holds a whole exchange to
    # its time, and a head to its size.
    module Bounds
      HEAD_MAX = 256 * 1024
      PIECE = 64 * 1024

      # @param ends [Float] when an exchange must have ended
      # @param step [Float] how long each step may take where there is no end
      def bound(ends, step)
        @ends = ends
        @step = step
        @head = HEAD_MAX
      end

      # The head is here.
      # @param streams [Boolean] what is streamed to a file may take longer in all
      def body_begins(streams)
        @head = nil
        @ends = nil if streams
      end

      # The first line of an answer, an interim one too.
      def readline
        @head = HEAD_MAX unless @head.nil?
        super
      end

      # Net::HTTP takes a head that was cut for a whole one.
      def readuntil(terminator, ignore_eof = false) # rubocop:disable Style/OptionalBooleanParameter
        super(terminator, ignore_eof && @head.nil?)
      end

      def write(*parts)
        parts.sum do |part|
          0.step(part.bytesize - 1, PIECE).sum do |at|
            @write_timeout = left(Net::WriteTimeout)
            super(part.byteslice(at, PIECE))
          end
        end
      end

      private

      def rbuf_fill
        before = rbuf_left
        # A flood is never waited for.
        left(TooSlow)
        begin
          # Waiting is done here: there each byte of a TLS record begins it anew.
          @read_timeout = 0
          super
        rescue Net::ReadTimeout
          @io.to_io.wait_readable(left(TooSlow)) || raise(TooSlow, 'the answer came too slowly')
          retry
        end
        return if @head.nil?

        @head -= rbuf_left - before
        raise Net::HTTPHeaderSyntaxError, "the head is larger than #{HEAD_MAX} bytes" if @head.negative?
      end

      # Bytes that Net::BufferedIO has read and not handed on; newer ones keep it behind an offset.
      def rbuf_left = @rbuf.bytesize - (@rbuf_offset || 0)

      def left(late)
        return @step if @ends.nil?

        left = @ends - Process.clock_gettime(Process::CLOCK_MONOTONIC)
        raise late, 'the exchange took too long' unless left.positive?

        left
      end
    end

    # Net::HTTP whose exchanges are bounded.
    class Connection < Net::HTTP
      # Of the next exchange.
      def bound(ends, step)
        @bound = [ends, step]
        @socket.bound(*@bound)
      end

      def body_begins(streams) = @socket.body_begins(streams)

      private

      # Also where the one that was there turns out to have been closed.
      def connect
        super
        @socket.extend(Bounds)
        @socket.bound(*@bound) if @bound
      end
    end
    private_constant :TooSlow, :TooLarge, :Bounds, :Connection

    def initialize(options)
      @options = options
      # Refused now if it cannot be used.
      proxy
      @lock = Mutex.new
      @returned = ConditionVariable.new
      start_anew
    end

    # @return [Reply, Failure]
    def request(attempt)
      phase = :connect
      with_connection(attempt) do |http|
        phase = :send
        exchange(http, attempt)
      end
    rescue *NO_CONNECTION => e
      Failure.new(outcome: Outcome.new(:no_connection), phase: :connect, cause: e)
    rescue OpenSSL::SSL::SSLError => e
      tls_failure(e, phase)
    rescue *TIMEOUTS, TooSlow => e
      timed_out(e)
    rescue *LOST => e
      lost(e, phase)
    end

    # Ends the connections that no request has.
    def close
      idle = @lock.synchronize { @idle.slice!(0..) }
      idle.each { |http, _| finish(http) }
    end

    private

    # After a fork the pool starts anew: its connections belong to the parent.
    def start_anew
      @process = Process.pid
      @idle = []
      @taken = 0
    end

    def with_connection(attempt)
      http = take(attempt)
      whole = false
      begin
        ends = now + attempt.timeout
        unless http.started?
          http.open_timeout = attempt.connect_timeout
          # A handshake too has a time-out for each of its steps.
          Timeout.timeout([attempt.connect_timeout, attempt.timeout].min, Net::OpenTimeout) { http.start }
        end
        http.bound(ends, attempt.timeout)
        reply = yield http
        whole = !reply.too_large
        reply
      ensure
        give_back(http, whole)
      end
    end

    def take(attempt)
      ends = now + attempt.timeout
      @lock.synchronize do
        start_anew if @process != Process.pid
        while @taken >= MAX_CONNECTIONS
          raise Net::OpenTimeout, 'no connection of the pool became free' if now >= ends

          @returned.wait(@lock, ends - now)
        end
        @taken += 1
        while (http, since = @idle.pop)
          return http if now - since < IDLE_SECONDS

          finish(http)
        end
      end
      connection
    end

    def give_back(http, whole)
      keep = whole && http.started?
      finish(http) unless keep
      @lock.synchronize do
        @idle.push([http, now]) if keep
        @taken -= 1
        @returned.signal
      end
    end

    def connection
      url = @options.url
      http = Connection.new(url.hostname, url.port, *proxy)
      # Retries are decided in one place.
      http.max_retries = 0
      http.keep_alive_timeout = IDLE_SECONDS
      if url.scheme == 'https'
        http.use_ssl = true
        http.verify_mode = OpenSSL::SSL::VERIFY_PEER
        http.ca_file = @options.ca_file
      end
      http
    end

    # nil keeps Net::HTTP from looking into the environment by itself.
    def proxy
      found = @options.proxy || @options.environment_proxy
      return [nil] if found.nil?

      url = URI.parse(found)
      [url.hostname, url.port, url.user, url.password]
    end

    def exchange(http, attempt)
      request = Net::HTTPGenericRequest.new(attempt.http, !attempt.body.nil?, true, attempt.path, attempt.headers)
      request.body = attempt.body
      reply = nil
      http.request(request) do |response|
        sink = response.code.start_with?('2') ? attempt.sink : nil
        http.body_begins(!sink.nil?)
        reply = read(response, attempt, sink)
      end
      reply
    rescue TooLarge => e
      e.reply
    end

    def read(response, attempt, sink)
      check_framing(response)
      body = String.new(encoding: Encoding::BINARY)
      size = 0
      response.read_body do |chunk|
        size += chunk.bytesize
        next sink.call(chunk) if sink

        # Net::HTTP reads what is left when its block ends in another way.
        raise TooLarge, reply_of(response, '', true) if size > attempt.max_bytes

        body << chunk
      end
      check_length(response, size)
      reply_of(response, body, false)
    end

    def reply_of(response, body, too_large)
      Reply.new(status: response.code.to_i, headers: headers_of(response), body: body, too_large: too_large)
    end

    # Net::HTTP takes the first digits of the first length. RFC 9112 §6.3
    def check_framing(response)
      lengths = response.get_fields('content-length') || []
      return if lengths.uniq.length < 2 && lengths.all?(/\A[0-9]{1,15}\z/)

      raise Net::HTTPHeaderSyntaxError, 'the length of the answer is none'
    end

    # Net::HTTP hands over a body that was cut as if it were whole.
    def check_length(response, size)
      wanted = response.content_length
      return if wanted.nil? || wanted == size

      raise EOFError, "the answer ended after #{size} of #{wanted} bytes"
    end

    def headers_of(response)
      response.to_hash.to_h { |name, values| [name.downcase, values.join(', ')] }
    end

    # A handshake that was dropped is a connection that failed; anything else of TLS is not tried again.
    def tls_failure(error, phase)
      return lost(error, phase) unless phase == :connect
      if error.message.match?(/SYSCALL|unexpected eof/i)
        return Failure.new(outcome: Outcome.new(:no_connection), phase: :connect, cause: error)
      end

      Failure.new(outcome: Outcome.new(:tls), phase: :tls, cause: error)
    end

    def timed_out(error)
      phase = error.is_a?(Net::WriteTimeout) ? :send : :receive
      Failure.new(outcome: Outcome.new(:timeout), phase: phase, cause: error)
    end

    def lost(error, phase)
      if phase == :connect
        return Failure.new(outcome: Outcome.new(:no_connection), phase: :connect, cause: error)
      end

      sending = error.is_a?(Errno::EPIPE)
      Failure.new(outcome: Outcome.new(:lost_answer), phase: sending ? :send : :receive, cause: error)
    end

    def finish(http)
      http.finish if http.started?
    rescue IOError
      nil
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
