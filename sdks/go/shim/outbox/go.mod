module acuse.dev/go/shim/outbox

go 1.24

require (
	acuse.dev/go v0.0.0
	github.com/lib/pq v1.12.3
)

replace acuse.dev/go => ../..
