GO      ?= go
GOFLAGS += -trimpath
export GOFLAGS
UPSTREAM = $(GO) run -C build ./upstream -root ..

.PHONY: gwon upstream upstream-force delta test-upstream

gwon: upstream
	$(GO) build -o build/bin/gwon ./cmd/gwon

upstream:
	@$(UPSTREAM) materialise

upstream-force:
	@$(UPSTREAM) force

delta: upstream
	@$(UPSTREAM) delta

test-upstream: upstream
	cd build/go-ethereum && $(GO) test $$($(GO) run -C .. ./upstream -root .. packages)
