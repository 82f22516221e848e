# frozen_string_literal: true

module Acuse
  # Of this gem.
  VERSION = '1.0.0'
end
