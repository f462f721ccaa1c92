# What is done daily. `make install PREFIX=~/.local` also installs the manual, and what shells complete.
PREFIX ?= /usr/local
OUT ?= ./orbitmc
share = $(DESTDIR)$(PREFIX)/share

.PHONY: build install test lint ci
build:
	go build -o $(OUT) ./cmd/orbitmc
install: build
	install -D $(OUT) $(DESTDIR)$(PREFIX)/bin/orbitmc
	mkdir -p $(share)/man/man1 $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	$(OUT) man > $(share)/man/man1/orbitmc.1
	for c in $$($(OUT) man | sed -n 's/^\.BR orbitmc\\-\([a-z]*\) (1)$$/\1/p'); do $(OUT) man $$c > $(share)/man/man1/orbitmc-$$c.1; done
	$(OUT) completion bash > $(share)/bash-completion/completions/orbitmc
	$(OUT) completion zsh > $(share)/zsh/site-functions/_orbitmc
	$(OUT) completion fish > $(share)/fish/vendor_completions.d/orbitmc.fish
test:
	go test ./...
lint:
	gofmt -l . && go vet ./... && go tool -modfile=.ci/tools.mod staticcheck ./...
ci:
	.ci/run
