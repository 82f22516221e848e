# frozen_string_literal: true

require_relative 'acuse/version'
require_relative 'acuse/redact'
require_relative 'acuse/errors_generated'
require_relative 'acuse/errors'
require_relative 'acuse/model'
require_relative 'acuse/types_generated'
require_relative 'acuse/codec'
require_relative 'acuse/decide'
require_relative 'acuse/operation'
require_relative 'acuse/operations_generated'
require_relative 'acuse/events_generated'
require_relative 'acuse/options'
require_relative 'acuse/transport'
require_relative 'acuse/call'
require_relative 'acuse/resource'
require_relative 'acuse/list'
require_relative 'acuse/resources_generated'
require_relative 'acuse/attachment'
require_relative 'acuse/batch'
require_relative 'acuse/messages'
require_relative 'acuse/evidence'
require_relative 'acuse/webhook'
require_relative 'acuse/client'

# Client of Acuse, a transactional email service with evidence sealing.
module Acuse
end
