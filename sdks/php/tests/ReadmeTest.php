<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

/** The example of the README is the one that runs. */
final class ReadmeTest extends TestCase
{
    public function testShowsTheExampleThatIsRun(): void
    {
        $example = file_get_contents(__DIR__ . '/../examples/send.php');
        $shown = substr($example, strpos($example, '$acuse ='));
        self::assertStringContainsString($shown . '```', file_get_contents(__DIR__ . '/../README.md'));
    }
}
