# frozen_string_literal: true

require_relative 'lib/acuse/version'

Gem::Specification.new do |spec|
  spec.name = 'acuse'
  spec.version = Acuse::VERSION
  spec.authors = ['Acuse']
  spec.summary = 'Client of Acuse: transactional email with evidence sealing'
  spec.description = 'Sends email through the API of Acuse, retries without a second mail, checks webhooks and proofs.'
  spec.license = 'Apache-2.0'
  spec.homepage = 'https://acuse.dev'
  spec.required_ruby_version = '>= 3.1'
  spec.files = Dir['lib/**/*.rb', 'sig/**/*.rbs', 'README.md', 'CHANGELOG.md', 'LICENSE']
  spec.metadata = {
    'rubygems_mfa_required' => 'true',
    'source_code_uri' => 'https://acuse.dev/source.git'
  }
end
