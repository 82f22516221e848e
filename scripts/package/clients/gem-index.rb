# frozen_string_literal: true

# ruby gem-index.rb FOLDER: what `gem` and Bundler ask a source of gems for, besides the gem in FOLDER/gems.
# Bundler reads versions and info/<name>, older programs specs.4.8.gz and the specification itself.
require 'digest'
require 'fileutils'
require 'rubygems/package'
require 'zlib'

folder = ARGV.fetch(0)
path = Dir[File.join(folder, 'gems', '*.gem')].first
spec = Gem::Package.new(path).spec

put = lambda do |name, bytes|
  file = File.join(folder, name)
  FileUtils.mkdir_p(File.dirname(file))
  File.binwrite(file, bytes)
end
gzip = lambda do |bytes|
  # No name and no time: RFC 1952 §2.3.1.
  packed = Zlib::Deflate.new(Zlib::BEST_COMPRESSION, Zlib::MAX_WBITS + 16).deflate(bytes, Zlib::FINISH)
  packed.tap { packed.setbyte(9, 255) }
end

specs = gzip.call(Marshal.dump([[spec.name, spec.version, spec.original_platform]]))
put.call('specs.4.8.gz', specs)
put.call('latest_specs.4.8.gz', specs)
put.call('prerelease_specs.4.8.gz', gzip.call(Marshal.dump([])))
put.call("quick/Marshal.4.8/#{spec.full_name}.gemspec.rz", Zlib::Deflate.deflate(Marshal.dump(spec)))

wanted = spec.runtime_dependencies.map { |each| "#{each.name}:#{each.requirement.to_s.gsub(', ', '&')}" }.join(',')
facts = ["checksum:#{Digest::SHA256.file(path).hexdigest}", "ruby:#{spec.required_ruby_version.to_s.gsub(', ', '&')}"]
info = "---\n#{spec.version} #{wanted}|#{facts.join(',')}\n"
put.call("info/#{spec.name}", info)
put.call('names', "---\n#{spec.name}\n")
made = spec.date.utc.strftime('%Y-%m-%dT%H:%M:%SZ')
put.call('versions', "created_at: #{made}\n---\n#{spec.name} #{spec.version} #{Digest::MD5.hexdigest(info)}\n")
