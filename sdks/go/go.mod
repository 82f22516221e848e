module acuse.dev/go

go 1.24
