GO      ?= go
# The toolchain that go.mod names, whatever Go the machine has; .ci/toolchain does the same for scripts.
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)
# The same flags in every build, also in that of the release, so that all of them share one build cache. Portable code of blst chooses
# instructions when it runs. -O2 stands here because CGO_CFLAGS replaces cgo's own.
export TAGS       = netgo,osusergo
export GOFLAGS   := -trimpath -tags=$(TAGS)
export CGO_CFLAGS = -O2 -D__BLST_PORTABLE__
UPSTREAM = $(GO) run -C build ./upstream -root ..
GOLANGCI = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
COMMIT  := $(shell git rev-parse --short=8 HEAD 2>/dev/null)

SEEDS   ?= 2000
TIME    ?= 3s

.PHONY: slip check-all smoke-clients smoke-sdk smoke-page smoke-package lint lint-go lint-siblings fmt sim contract-models kills fuzz attacks survive gwon faulty contracts bindings install test unit whole-node modes soak soak-explained load race vet bench clients sdk sdk-pack sdk-go devnet upstream upstream-force delta test-upstream model mutants ui page screenshots release release-check reproducible package-check upgrade-check observe scale rehearsal

# The programs: gwon, the node; gwon-dev, for developers; gwon-pay, payments; gwon-signer, keys off the node.
gwon: upstream
	$(GO) build $(V) -ldflags "-X gwon/internal/release.Commit=$(COMMIT)" -o build/bin/ ./cmd/gwon ./cmd/gwon-dev ./cmd/gwon-pay ./cmd/gwon-signer

# The node with a validator that breaks the rules, for tests (tools/faulty).
faulty: upstream
	$(GO) build -tags "$(TAGS),faulty" -o build/bin/gwon-faulty ./cmd/gwon

# ABI, layout and runtime code of contracts/src. Needs Node.js and npm; nothing else here does.
contracts:
	cd contracts && npm ci --no-audit --no-fund --ignore-scripts && node compile.mjs
	$(GO) run ./tools/generated -write contracts
	$(MAKE) bindings

# Go bindings of those contracts, by go-ethereum's abigen.
bindings: upstream
	$(GO) run ./contracts/bindings/generate contracts/bindings/bindings.go
	$(GO) run ./tools/generated -write bindings

# What fails by a slip, on what has changed in the last hours: a minute with warm caches. It prints nothing when all is well.
slip:
	@.ci/slip

# What .ci/run leaves out: every client, SDK, example and view, the release, races, fuzzing, upstream's tests, long attacks. Hours. It goes
# on with a step by FROM=step. FROM=help lists them.
check-all:
	FROM=$(FROM) .ci/all

# Unit tests, siblings' tests and whole-node tests, and the slowest of them. Whole nodes wait more than they compute, so that they come
# first, and as many other packages as there are cores beside them. make lint has go vet. Without debugging tables a test links in half the
# time. TABLE=FILE appends the slowest to a file. With -short, tests repeat less: make unit and make whole-node are the long form.
GOTESTSUM = $(GO) run gotest.tools/gotestsum@v1.13.0
test: gwon faulty
	@echo "The tests of whole nodes are reported first, after some minutes; the others run beside them"
	GWON_TEST_BINARIES=$(CURDIR)/build/bin $(GOTESTSUM) --format standard-quiet --jsonfile build/tests.json -- \
		-tags "$(TAGS),nodes" -short -vet=off -ldflags=-w -timeout 60m -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./tests ./...
	$(GOTESTSUM) tool slowest --threshold 10s --jsonfile build/tests.json $(if $(TABLE),| tee -a $(TABLE))
	$(GO) test -C build ./...

# The same in full, without the tag nodes: no processes.
unit: upstream
	$(GO) test -vet=off -timeout 60m ./...

# Whole nodes only, in full: processes, sockets, crashes, each boolean flag alone, every file damaged in each way.
whole-node: upstream
	$(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 2h -v ./tests

# The Prometheus rules, and every panel of contrib/grafana on a network under load. .ci/prometheus installs Prometheus on Debian.
observe: upstream
	GWON_TEST_OBSERVE=1 $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 10m -v -run 'TestAlerts|TestPrometheusFiles|TestMonitoredNetwork' ./tests

# Every attacker of the matrix in SECURITY.md for ATTACK each, on one network with a control: clients, peers, strangers and a validator. make test
# plays each for a second, without a judge of pace.
ATTACK ?= 1m
attacks: upstream
	GWON_TEST_ATTACK_TIME=$(ATTACK) $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 24h -run 'TestAttacks|TestClientsThatDoNotRead' -v ./tests

# BLOCKS blocks beside a faulty validator in each mode of consensus/wbft/sim/modes, in simulated time; make test makes 20 of each.
modes: upstream
	$(GO) test -count=1 -timeout 24h -run 'TestByzantineModes$$' -v ./consensus/wbft/sim -sim.blocks $(or $(BLOCKS),1000)

# Four operators with a stand-by each, two of them with signers: hosts and signers are killed, cut off, hung, slow, or have a wrong clock for
# SURVIVE. GWON_TEST_SEED repeats the faults of a run. make test leaves it out: TestStandby has one switch there.
SURVIVE ?= 30m
survive: upstream
	GWON_TEST_SURVIVE_TIME=$(SURVIVE) $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 24h -run 'TestSurvive$$' -v ./tests

# A network under load, abuse and restarts for SOAK: memory, goroutines, files and disk have to stay within their bounds.
SOAK ?= 30m
soak: upstream
	GWON_TEST_SOAK_TIME=$(SOAK) $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 24h -run TestSoak -v ./tests

# BLOCKS blocks of simulated networks with kills, delays and a faulty validator, and NODE_BLOCKS of real nodes: each block above round 0 or
# later than 1.5 s is explained with the injected cause, and every recording replays. make test makes 75 of the first.
soak-explained: upstream
	$(GO) test -count=1 -timeout 24h -run 'TestSoakIsExplained$$' -v ./consensus/wbft/sim -sim.soak $(or $(BLOCKS),3000)
	GWON_TEST_EXPLAINED_BLOCKS=$(or $(NODE_BLOCKS),600) $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 24h -run TestExplainedSoak -v ./tests

# Random networks of validators as they ship, in simulated time: SEEDS of them, the first with seed FROM, a tenth of a second of one core
# each. One that breaks a promise is shortened, and the command that plays it again is printed.
sim: upstream
	$(GO) test -count=1 -timeout 24h ./consensus/wbft/sim -sim.large -sim.mixed 40 \
		-sim.from $(or $(FROM),0) -sim.seeds $(SEEDS)

# Random sequences of messages to the system contracts and to their models: SEQUENCES for each; make test plays 20.
contract-models: upstream
	$(GO) test -count=1 -timeout 24h ./contracts -sequences $(or $(SEQUENCES),500)

# Validators that are killed KILLS times at any moment; make test kills 16 times.
kills: upstream
	GWON_TEST_KILLS=$(or $(KILLS),100) $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 24h -run 'TestKills$$' -v ./tests

# Each fuzz target for TIME, from its seeds and what is committed under testdata/fuzz.
fuzz: upstream
	FUZZTIME=$(TIME) .ci/fuzz

# The packages with goroutines of our own, under the race detector. A simulated network takes ten times as long there, so that few are played.
race: upstream
	$(GO) test -race -short -timeout 20m $$($(GO) list ./consensus/... ./eth/... ./mempool/... ./rpc/... ./pay/... ./internal/... ./operator/... | grep -v /sim$$)
	$(GO) test -race -short -timeout 20m -run 'TestAnyFaults|TestKilledValidator|TestOneBlockAPeriod' ./consensus/wbft/sim -sim.seeds 10

# The vote rules, searched by spin as far as memory goes; .ci/run makes the short runs of it. consensus/wbft/model/README.md has the figures.
model:
	.ci/model all

# Whether the tests notice each of the one-line faults of tools/mutants/mutants.txt: an hour on two cores, before a release.
mutants: upstream
	$(GO) run ./tools/mutants $(MUTANTS)

vet: upstream
	$(GO) vet -tags "$(TAGS),nodes" ./...

# The rules of .golangci.yml on Go, go vet and staticcheck among them, and those of tools/prose on documents and patches.
lint: upstream lint-go lint-siblings
	$(GO) run ./tools/prose

PACKAGES ?= ./...
lint-go:
	$(GOLANGCI) run --allow-parallel-runners $(PACKAGES)

# Siblings are linted in the module that they compile in. The rules of imports are about this one.
SIBLINGS = $(shell cd upstream/siblings && find . -name '*.go' -exec dirname {} + | sort -u)
lint-siblings: upstream
	cd build/go-ethereum && $(GOLANGCI) run --allow-parallel-runners --config ../../.golangci.yml --disable depguard $(SIBLINGS)

# One run each of what .ci/run tries of clients, SDKs, page and package: a transfer, a contract and a fee-delegated transaction by viem,
# ethers, Foundry and Hardhat; the SDKs' unit tests and one payment; one view in a browser; build, install and start of the package.
smoke-clients: gwon
	cd tests/clients && npm ci --no-audit --no-fund --ignore-scripts && node run.mjs ../../build/bin/gwon --smoke

smoke-sdk: gwon
	cd sdk/js && npm ci --no-audit --no-fund --ignore-scripts && npm test
	cd sdk/js && GWON=../../build/bin/gwon node --test --test-name-pattern '^an invoice is paid' test/devnet/payments.test.mjs
	cd sdk/go && GOWORK=off $(GO) test ./...
	GWON_TEST_SDK=1 $(GO) test -count=1 ./tests/sdk -args -sdk.js

smoke-page: gwon
	cd tests/page && npm ci --no-audit --no-fund --ignore-scripts && CHROMIUM=$$(../../.ci/chromium) node run.mjs ../../build/bin/gwon --smoke

smoke-package: upstream
	rm -rf build/bin/smoke && ARCH=amd64 .ci/release build/bin/smoke
	.ci/package-smoke build/bin/smoke

# Programs for amd64 and arm64, archives, Debian packages, bills of material and checksums in RELEASE. .ci/release-tools installs the compiler.
# ARCH=amd64 builds for that one alone.
RELEASE ?= build/bin/release
release: upstream
	rm -rf "$(RELEASE)"
	ARCH="$(ARCH)" .ci/release "$(RELEASE)"

# The program for arm64 in an emulator, lintian, exposure of the unit. Five minutes with a warm cache.
release-check:
	.ci/release-tools
	$(MAKE) release
	.ci/release-check "$(RELEASE)"

# A second build in another folder, without cached objects, has to give the same bytes. A quarter of an hour.
reproducible: release
	.ci/reproducible "$(RELEASE)"

# Install, upgrade, removal and purge of the Debian package in a chroot, and piuparts. Root only.
package-check: release
	.ci/package-check "$(RELEASE)"

# Four validators under load are upgraded from the program of commit BASE to this one, and taken back.
upgrade-check: upstream
	rm -rf build/base && git worktree prune && git worktree add --detach build/base $(BASE)
	$(MAKE) -C build/base gwon
	GWON_TEST_EARLIER=$(CURDIR)/build/base/build/bin/gwon $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 15m -run TestRollingUpgrade -v ./tests; \
		code=$$?; git worktree remove --force build/base; exit $$code

# Formats Go as gofmt does.
fmt: upstream
	$(GOLANGCI) fmt ./...

# The programs where the shell finds them: PREFIX/bin, by default the go command's own directory for programs.
BINDIR = $(if $(PREFIX),$(PREFIX)/bin,$(shell $(GO) env GOPATH)/bin)
install: gwon
	install -d "$(BINDIR)"
	install build/bin/gwon build/bin/gwon-dev build/bin/gwon-pay build/bin/gwon-signer "$(BINDIR)"

# What developers' own tools do on a devnet, behind the public profile and on a developer chain. Needs node 20 or later and npm, and
# node 22 or later for Hardhat 3, which npm brings on Linux on x64.
clients: gwon
	cd tests/clients/hardhat3 && npm ci --no-audit --no-fund --ignore-scripts --loglevel error
	cd tests/clients && npm ci --no-audit --no-fund --ignore-scripts && node run.mjs ../../build/bin/gwon

# Three followers behind HAProxy while one lags, one is killed and one is stopped, the files and pages about it, and ponder on a devnet. Five
# minutes. Needs node 20 or later and npm; .ci/haproxy fetches HAProxy on Debian.
scale: gwon
	GWON_TEST_SCALE=1 $(GO) test -tags "$(TAGS),nodes" -count=1 -timeout 10m -v -run 'TestScaledReads|TestMinBlock|TestScalingPage|TestERPCFile' ./tests
	cd tests/clients/ponder && npm ci --no-audit --no-fund --ignore-scripts --loglevel error && node run.mjs ../../../build/bin/gwon

# The SDK for JavaScript: types, build, tests, documents and examples on a devnet, and the package in build/bin. Needs node 20 or later, npm
# and Chromium.
sdk: gwon sdk-pack
	cd sdk/js && npm test
	cd sdk/js && CHROMIUM=$$(../../.ci/chromium) GWON=../../build/bin/gwon npm run test:devnet

# The package of the SDK for JavaScript in build/bin, without tests. Needs node 20 or later and npm.
sdk-pack:
	mkdir -p build/bin
	cd sdk/js && npm ci --no-audit --no-fund --ignore-scripts && npm run build
	cd sdk/js && npm pack --ignore-scripts --pack-destination ../../build/bin

# The SDK for Go as its users build it, and the same bytes from node, Go and JavaScript. make sdk builds the JavaScript.
sdk-go: upstream
	cd sdk/go && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...
	cd sdk/examples/go && GOWORK=off $(GO) vet ./...
	GWON_TEST_SDK=1 $(GO) test -count=1 ./tests/sdk $(if $(shell command -v node),-args -sdk.js)
	GWON_TEST_SDK=1 $(GO) test -tags "$(TAGS),nodes" -count=1 -run TestGoExamples ./tests

# A local network of four validators until Ctrl-C.
devnet:
	@echo "Building gwon; the first build makes the go-ethereum tree, compiles some 600 packages by name and takes some minutes"
	@$(MAKE) --no-print-directory gwon V=-v
	@build/bin/gwon-dev devnet

# The page of development networks: dev/web/assets from dev/ui. Needs node 20 or later and npm.
ui:
	cd dev/ui && npm ci --no-audit --no-fund --ignore-scripts && npm run check && npm run build
	$(GO) run ./tools/generated -write page

# Every view of the page in Chromium, on a devnet. .ci/chromium installs the browser on Debian.
page: gwon
	cd tests/page && npm ci --no-audit --no-fund --ignore-scripts && CHROMIUM=$$(../../.ci/chromium) node run.mjs ../../build/bin/gwon $(PAGE)

# The same, and a picture of each view in docs/images.
screenshots:
	$(MAKE) page PAGE="--screenshots ../../docs/images"

# The life of nodes on an old chain: syncs with and without kills, starts, old queries, snapshot, export, prune. BLOCKS is a list of lengths.
# 1,000,000 blocks take some hours.
LENGTHS = 20000,100000
rehearsal: gwon
	$(GO) run ./tools/measure years -gwon build/bin/gwon -blocks $(or $(BLOCKS),$(LENGTHS))

# Blocks of an idle network in a minute, near and far apart, time from start to first block, return of a validator, queries, time that gas buys at
# the worst, header hash, import against upstream's, full blocks, seals.
bench: upstream
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 50m -tags "$(TAGS),nodes" ./tests
	$(GO) test -run '^$$' -bench . -benchtime 3x -timeout 20m ./tools/worstgas
	$(GO) test -C build/go-ethereum -run '^$$' -bench 'HeaderHash' ./core/types
	$(GO) test -C build/go-ethereum -run '^$$' -bench 'AnzeonImport|PooledImport|ExecuteProposal' -benchtime 40x ./core
	$(GO) test -run '^$$' -bench . ./consensus/wbft/...

# The highest rate that networks of 1, 4 and 7 validators on this machine hold, beside that of the commit before (BASE=commit). Half an
# hour on a machine that does nothing else.
BASE ?= HEAD~1
load: gwon
	rm -rf build/base && git worktree prune && git worktree add --detach build/base $(BASE)
	$(MAKE) -C build/base gwon
	$(GO) run ./tools/measure pace -base build/base/build/bin/gwon $(LOAD); code=$$?; git worktree remove --force build/base; exit $$code

# The tree that the main module compiles against: pristine go-ethereum, siblings, patches.
upstream:
	@$(UPSTREAM) materialise

upstream-force:
	@$(UPSTREAM) force

# How far that tree is from upstream; fails above the limits.
delta: upstream
	@$(UPSTREAM) delta -check

# Upstream's own tests, and our siblings', of every package that patches or siblings touch.
test-upstream: upstream
	.ci/test-upstream
