module pub

go 1.26.0

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/eapache/channels v1.1.0
	github.com/eapache/go-resiliency v1.7.0
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/jackc/puddle/v2 v2.2.3
	github.com/juju/ratelimit v1.0.2
	github.com/oklog/run v1.2.0
	github.com/sony/gobreaker/v2 v2.4.0
	github.com/sourcegraph/conc v0.3.0
	golang.org/x/sync v0.25.0
	golang.org/x/time v0.16.0
)

require (
	github.com/eapache/queue v1.1.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
)
