# frozen_string_literal: true

require 'support'

# The example of the README is the one that runs.
class ReadmeTest < Minitest::Test
  def test_shows_the_example_that_is_run
    folder = File.expand_path('..', __dir__)
    example = File.read(File.join(folder, 'examples/send.rb')).delete_prefix("# frozen_string_literal: true\n\n")
    assert_includes File.read(File.join(folder, 'README.md')), "```ruby\n#{example}```"
  end
end
