<?php

declare(strict_types=1);

use Acuse\Internal\Aliases;
use Acuse\Internal\Codec;
use Acuse\Types\Domain;
use PHPUnit\Framework\TestCase;

/** contract/vectors/examples.json */
final class TypesTest extends TestCase
{
    private static function examples(): array
    {
        return get_object_vars(json_decode(vectors_text('examples.json')));
    }

    public function testEveryListSaysWhatItsPagesAre(): void
    {
        foreach (glob(__DIR__ . '/../src/generated/Resources/*.php') as $file) {
            $resource = new \ReflectionClass('Acuse\\Resources\\' . basename($file, '.php'));
            foreach ($resource->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
                if ((string) $method->getReturnType() === Acuse\Listing::class) {
                    $said = '/@return Listing<Types\\\\(\w+), Types\\\\(\w+)>/';
                    self::assertSame(1, preg_match($said, $method->getDocComment(), $found), $method->name);
                    $data = constant("Acuse\\Types\\$found[2]::FIELDS")['data'];
                    self::assertSame(['array', ['ref', $found[1]]], $data[0], $method->name);
                }
            }
        }
    }

    public function testGivesBackEveryInstanceOfEverySchema(): void
    {
        foreach (self::examples() as $name => $cases) {
            self::assertTrue(isset(Aliases::ALL[$name]) || class_exists("Acuse\\Types\\$name"), $name);
            $future = property_exists($cases, 'future') ? [$cases->future] : [];
            foreach ([$cases->full, $cases->minimal, ...($cases->others ?? []), ...$future] as $value) {
                $found = Codec::encode(['ref', $name], Codec::decode(['ref', $name], $value, $name));
                self::assertEquals($value, json_decode(json_encode($found)), $name);
            }
        }
    }

    public function testOnlyWhatCarriesTheMeaningMustBeThere(): void
    {
        foreach (self::examples() as $name => $cases) {
            foreach (isset(Aliases::ALL[$name]) ? [] : "Acuse\\Types\\$name"::FIELDS as $field => [, , , $essential]) {
                $less = clone $cases->full;
                unset($less->$field);
                if (!$essential) {
                    $found = Codec::encode(['ref', $name], Codec::decode(['ref', $name], $less, $name));
                    self::assertEquals($less, json_decode(json_encode($found)), "$name.$field");
                    continue;
                }
                try {
                    Codec::decode(['ref', $name], $less, $name);
                    self::fail("$name.$field may be missing");
                } catch (\Acuse\Internal\Undecodable $e) {
                    self::assertStringContainsString($field, $e->getMessage());
                }
            }
        }
    }

    public function testAModelIsReadOnlyAndKeepsUnknownFields(): void
    {
        $value = vectors('examples.json')['Domain']['full'] + ['colour' => 'green'];
        $domain = Domain::fromArray($value);
        self::assertSame($value['id'], $domain->id);
        self::assertSame(['colour' => 'green'], $domain->extra());
        $this->expectException(\Error::class);
        $domain->id = 'x';
    }

    public function testAnEmptyArrayIsAnObjectWhereAnObjectBelongs(): void
    {
        $draft = ['metadata' => [], 'tags' => [], 'to' => ['ana@example.com'], 'subject' => 'é/'];
        $text = Codec::write(['ref', 'Send'], $draft);
        self::assertSame('{"metadata":{},"tags":[],"to":["ana@example.com"],"subject":"é/"}', $text);
    }

    public function testTimesOfTheLanguageAreWrittenAsTheContractHasThem(): void
    {
        $there = new \DateTimeImmutable('2026-11-20T03:30:00.005-06:00');
        $request = new \Acuse\Internal\Request('listMessages', [], ['created_after' => $there]);
        self::assertSame('/v1/messages?created_after=2026-11-20T09%3A30%3A00.005Z', $request->target);
    }
}
