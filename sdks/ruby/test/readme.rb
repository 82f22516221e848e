# frozen_string_literal: true

require 'acuse'
require 'acuse/testing'
require 'tmpdir'

# Runs the examples of README.md, one after the other, against the service of ACUSE_URL. They see the variables
# of those before them, and what stands here.
readme = File.read(File.expand_path('../README.md', __dir__))
blocks = readme.scan(/^(<!-- not run[^\n]*\n)?```ruby\n(.*?)^```/m)
secret = 'whsec_c2VjcmV0IG9mIGEgdGVzdA=='
event = { 'type' => 'email.bounced', 'created_at' => '2026-11-20T09:30:00.000Z', 'data' => { 'event_id' => 'e1' } }
body, headers = Acuse::Testing.sign_webhook(event, secret)
from = 'billing@sandbox.test'
to = 'delivered@sandbox.test'
message = { from: from, to: to, subject: 'Notice', text: 'Hello.' }
scope = binding
given = {
  items: [message.merge(idempotency_key: 'readme-1'), message],
  request: Struct.new(:raw_post, :env).new(body, headers),
  event: event, secret: secret
}

Dir.mktmpdir do |folder|
  Dir.chdir(folder) do
    File.write('invoice-2.pdf', '%PDF-')
    blocks.each do |skipped, block|
      next if skipped

      if block.include?('policy.json')
        # As a person does: the policy of a bundle, looked at and kept.
        File.binwrite('policy.json', Acuse::Verifier::Container.read(File.binread('proof.zip'))['policy.json'])
      end
      given.each { |name, value| scope.local_variable_set(name, value) }
      # Other languages' examples have the same keys, with other messages.
      scope.eval(block.gsub(/'(invoice-\d)'/, "'ruby-\\1'"), "#{__dir__}/../README.md")
      scope.local_variable_set(:id, scope.local_variable_get(:sent).message.id)
    end
  end
end
puts "readme: #{blocks.count { |skipped, _| skipped.nil? }} examples ran"
