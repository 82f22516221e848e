# frozen_string_literal: true

require 'json'
require 'minitest/autorun'
require 'socket'
require 'acuse'

VECTORS = File.expand_path('../../../contract/vectors', __dir__)

def vectors(name) = JSON.parse(File.read(File.join(VECTORS, name)))

# A server of one test: each connection is handed to the block with the number of its request, from 1.
class ScriptedServer
  attr_reader :requests, :connections

  def initialize(&script)
    @server = TCPServer.new('127.0.0.1', 0)
    @script = script
    @requests = []
    @connections = 0
    @thread = Thread.new { accept }
  end

  def url = "http://127.0.0.1:#{@server.addr[1]}"

  def stop
    @thread.kill
    @server.close
  end

  private

  def accept
    loop do
      socket = @server.accept
      @connections += 1
      Thread.new { serve(socket) }
    end
  end

  def serve(socket)
    while (request = read(socket))
      @requests << request
      break unless @script.call(socket, @requests.length, request) == :open
    end
  rescue SystemCallError, IOError
    nil
  ensure
    socket.close
  end

  def read(socket)
    line = socket.gets or return nil
    headers = {}
    while (text = socket.gets) && text != "\r\n"
      name, value = text.chomp.split(': ', 2)
      headers[name.downcase] = value
    end
    { line: line.chomp, headers: headers, body: socket.read(headers['content-length'].to_i) }
  end
end

def answer(socket, status, body, headers = {})
  text = body.is_a?(String) ? body : JSON.generate(body)
  lines = ["HTTP/1.1 #{status} Answer", 'Content-Type: application/json', "Content-Length: #{text.bytesize}"]
  lines += headers.map { |name, value| "#{name}: #{value}" }
  socket.write("#{lines.join("\r\n")}\r\n\r\n#{text}")
  :open
end

def refuse(socket, status, code, headers = {})
  answer(socket, status, { error: { code: code, message: 'No.' } }, headers)
end
