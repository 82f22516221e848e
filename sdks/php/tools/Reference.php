<?php

declare(strict_types=1);

/** The reference of everything public, in Markdown, from the doc comments. */
final class Reference
{
    /** @return list<ReflectionClass> everything that a program may use */
    public static function classes(): array
    {
        $found = [];
        $root = dirname(__DIR__) . '/src';
        $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS));
        foreach ($files as $file) {
            $path = substr($file->getPathname(), strlen($root) + 1, -strlen('.php'));
            $class = 'Acuse\\' . strtr(preg_replace('~\Agenerated/~', '', $path), '/', '\\');
            if ($file->getExtension() === 'php' && !str_starts_with($class, 'Acuse\\Internal\\')) {
                $found[$class] = new ReflectionClass($class);
            }
        }
        ksort($found, SORT_STRING);
        return array_values($found);
    }

    /** @return list<string> what is public and says nothing of itself */
    public static function undocumented(): array
    {
        $missing = [];
        foreach (self::classes() as $class) {
            if (self::doc($class) === '') {
                $missing[] = $class->getName();
            }
            foreach (self::methods($class) as $method) {
                if (self::doc($method) === '' && !str_starts_with($method->getName(), '__')) {
                    $missing[] = "{$class->getName()}::{$method->getName()}()";
                }
            }
        }
        return $missing;
    }

    public static function text(): string
    {
        $text = "# Reference of Acuse for PHP\n";
        foreach (self::classes() as $class) {
            $text .= "\n## {$class->getName()}\n\n" . self::doc($class);
            $text .= self::constants($class) . self::properties($class);
            foreach (self::methods($class) as $method) {
                $text .= "\n### " . self::signature($method) . "\n\n" . self::doc($method);
            }
        }
        return $text;
    }

    /** @return list<ReflectionMethod> */
    private static function methods(ReflectionClass $class): array
    {
        $own = static fn (ReflectionMethod $each): bool => str_starts_with($each->class, 'Acuse\\')
            && !$each->isInternal()
            && ($each->class === $class->getName() || !str_starts_with($class->getName(), 'Acuse\\Types\\'))
            && !preg_match('~@internal~', (string) $each->getDocComment());
        return array_values(array_filter($class->getMethods(ReflectionMethod::IS_PUBLIC), $own));
    }

    private static function constants(ReflectionClass $class): string
    {
        $text = '';
        foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $constant) {
            if (is_scalar($constant->getValue()) && !str_contains((string) $constant->getDocComment(), '@internal')) {
                $text .= "- `{$constant->getName()}` = `" . json_encode($constant->getValue()) . '` '
                    . trim(strtr(self::doc($constant), "\n", ' ')) . "\n";
            }
        }
        return $text === '' ? '' : "\n$text";
    }

    private static function properties(ReflectionClass $class): string
    {
        $text = '';
        foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
            $text .= "- `{$property->getType()} \${$property->getName()}` "
                . trim(strtr(self::doc($property), "\n", ' ')) . "\n";
        }
        return $text === '' ? '' : "\n$text";
    }

    private static function signature(ReflectionMethod $method): string
    {
        $parameters = array_map(static function (ReflectionParameter $each): string {
            $name = ($each->isVariadic() ? '...' : '') . "\${$each->getName()}";
            $default = $each->isDefaultValueAvailable() ? ' = ' . json_encode($each->getDefaultValue()) : '';
            return trim("{$each->getType()} $name$default");
        }, $method->getParameters());
        $returned = $method->hasReturnType() ? ": {$method->getReturnType()}" : '';
        $static = $method->isStatic() ? 'static ' : '';
        return "`$static{$method->getName()}(" . implode(', ', $parameters) . ")$returned`";
    }

    /** Lines of a doc comment; a parameter or an error is an item. */
    private static function doc(ReflectionClass|ReflectionMethod|ReflectionProperty|ReflectionClassConstant $of): string
    {
        $plain = preg_replace(['~\A/\*\*\s*|\s*\*/\z~', '~^\s*\* ?~m'], '', (string) $of->getDocComment());
        $lines = array_filter(
            explode("\n", trim($plain)),
            static fn (string $line): bool => preg_match('/@(internal|template|implements|var)\b/', $line) !== 1,
        );
        $items = preg_replace('/^@(\w+) (\S+)/m', '- *$1* `$2`', implode("\n", $lines));
        if ($items === '' || str_starts_with($items, '- *')) {
            return $items === '' ? '' : "$items\n";
        }
        return preg_replace('/\n- \*/', "\n\n- *", $items, 1) . "\n";
    }
}
