<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require __DIR__ . '/../tools/Reference.php';

/** Whoever reads the library in an editor finds a word on everything. */
final class ReferenceTest extends TestCase
{
    public function testEverythingPublicSaysWhatItIs(): void
    {
        self::assertSame([], Reference::undocumented());
    }

    public function testTheReferenceHasEveryOperation(): void
    {
        $text = Reference::text();
        foreach (\Acuse\Internal\Operations::ALL as ['name' => $name]) {
            [$resource, $method] = explode('.', $name);
            $class = preg_quote('## Acuse\\Resources\\' . ucfirst($resource), '/');
            self::assertMatchesRegularExpression("/$class\n(?:(?!\n## ).)*\n### `$method\(/s", $text, $name);
        }
    }
}
