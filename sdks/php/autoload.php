<?php

declare(strict_types=1);

// For programs without Composer.
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Acuse\\')) {
        return;
    }
    $path = strtr(substr($class, strlen('Acuse\\')), '\\', '/') . '.php';
    foreach ([__DIR__ . '/src/', __DIR__ . '/src/generated/'] as $folder) {
        if (is_file($folder . $path)) {
            require $folder . $path;
            return;
        }
    }
});
