# frozen_string_literal: true

require 'acuse'

headers = File.readlines('headers.txt', chomp: true).to_h { |line| line.split(': ', 2) }
event = Acuse::Webhook.verify(File.binread('body.json'), headers, File.read('secret.txt'))
report = Acuse::Verifier.verify('proof.zip', policy: Acuse::Verifier::TRUST_BUNDLE)
puts "#{report.verdict} #{event.type}"
