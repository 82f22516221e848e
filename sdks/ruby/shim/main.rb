# frozen_string_literal: true

# The shim of sdks/conformance/README.md: one JSON request a line in, one answer a line out.
require 'json'
require 'time'
require 'acuse'
require_relative 'clients'
require_relative 'ops'

# The caller ended the call.
class Cancelled < StandardError; end

OUTPUT = Mutex.new
$stdout.sync = true

def perform(request)
  record = Record.new([], [], nil)
  Thread.current.thread_variable_set(:record, record)
  answer =
    begin
      { result: Ops.run(request, record) }
    rescue StandardError => e
      { error: Clients.error(e, record) }
    end
  answer.merge(id: request['id'], attempts: record.attempts, sleeps: record.sleeps)
end

waiting = $stdin.each_line.map do |line|
  Thread.new(JSON.parse(line)) do |request|
    text = JSON.generate(perform(request))
    OUTPUT.synchronize { $stdout.puts(text) }
  end
end
waiting.each(&:join)
