# frozen_string_literal: true

module Acuse
  # Files for a message's `attachments`.
  module Attachment
    # By extension; everything else is application/octet-stream. The same table in all libraries.
    MEDIA_TYPES = {
      'csv' => 'text/csv',
      'doc' => 'application/msword',
      'docx' => 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'eml' => 'message/rfc822',
      'gif' => 'image/gif',
      'gz' => 'application/gzip',
      'htm' => 'text/html',
      'html' => 'text/html',
      'ics' => 'text/calendar',
      'jpeg' => 'image/jpeg',
      'jpg' => 'image/jpeg',
      'json' => 'application/json',
      'md' => 'text/markdown',
      'pdf' => 'application/pdf',
      'png' => 'image/png',
      'pptx' => 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      'svg' => 'image/svg+xml',
      'txt' => 'text/plain',
      'webp' => 'image/webp',
      'xls' => 'application/vnd.ms-excel',
      'xlsx' => 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'xml' => 'application/xml',
      'zip' => 'application/zip'
    }.freeze

    # @param path [String]
    # @return [Hash] an item of `attachments`
    # @raise [ConfigurationError] the file cannot be read
    def self.from_file(path)
      {
        'filename' => File.basename(path),
        'content_type' => MEDIA_TYPES.fetch(File.extname(path).delete_prefix('.').downcase, 'application/octet-stream'),
        'content' => [File.binread(path)].pack('m0')
      }
    rescue SystemCallError => e
      raise ConfigurationError, "The attachment cannot be read: #{e.message}"
    end
  end
end
