# frozen_string_literal: true

module Acuse
  # Of this gem.
  VERSION = '0.1.0'
end
