# Developers and CI run the same targets.

GO             ?= go
VERSION        ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
IMAGE          ?= ghcr.io/example/memcached-operator:$(VERSION)
CONTROLLER_GEN  = $(GO) run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0
CRD_REF_DOCS    = $(GO) run github.com/elastic/crd-ref-docs@v0.3.0
GOLANGCI_LINT   = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK     = $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.8.0
KUSTOMIZE       = $(GO) run sigs.k8s.io/kustomize/kustomize/v5@v5.8.2
# In the version of the cluster tests. Paths must be absolute.
HELM            = $(GO) -C test/cluster/programs tool helm
# Without shellcheck and pyflakes, which actionlint runs if they are installed.
ACTIONLINT      = $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=
# Nested modules, whose dependencies are too heavy for the go.mod of the root.
MODULES         = test/manifests test/monitoring test/clients test/cluster
# The files that make generate writes.
GENERATED       = 'crds/*/*_*.yaml' 'crds/*/reference.md' 'webhook/*/zz_generated.deepcopy.go'

# The suites of test/cluster, each with a control plane of its own.
SUITES          = test-cluster-main test-hookcheck test-installation test-minimal test-helm
# What make check runs: first, one at a time, what measures times.
TIMED           = test-servers test-cluster-main test-clients
UNTIMED         = explore test-hookcheck test lint test-installation test-helm test-manifests test-monitoring test-minimal test-demo

# The modules, the programs that tests build, the generators and the linter share packages, which compile once if the flags are the
# same. Without inlining and debugging tables the compiler takes a quarter less CPU time.
CHECKS = generate verify test explore test-servers test-full test-clients test-manifests test-monitoring lint test-cluster $(SUITES) demo kubectl chart
$(CHECKS): export CGO_ENABLED = 0
$(CHECKS): export GOFLAGS := $(GOFLAGS) '-gcflags=all=-l -dwarf=false'
# What sends thousands of requests, one after the other: with the race detector it takes ten times longer.
NO_RACE = test/walk test/golden test/hookcheck test/hookcheck/check
# Inlining for what computes for minutes, which takes a third less time then, and for the test of allocations, which inlining avoids.
INLINE  = -gcflags=all=-dwarf=false

.DEFAULT_GOAL := help
.PHONY: help build run demo kubectl check test explore test-manifests test-servers test-full test-clients test-monitoring test-cluster $(SUITES) \
	test-demo lint vulnerabilities generate verify fuzz faults bench picture image dist chart clean

help: ## Show this help.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## Build bin/memcached-operator.
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/memcached-operator .

run: build ## Build and serve the hooks on 127.0.0.1:8080.
	bin/memcached-operator serve --address 127.0.0.1:8080 --ops-address 127.0.0.1:8081 --log-level debug $(ARGS)

demo: ## Start a control plane and show the samples (ARGS=--once: exit when all are ready).
	@rm -f bin/demo; echo "Compiling the cluster harness: $$(cd test/cluster && $(GO) list -deps ./cmd/demo | wc -l) packages, unless they are cached."
	@cd test/cluster && GOGC=400 $(GO) build -v -o ../../bin/demo ./cmd/demo 2>&1 | \
	  awk '/[:#]/ {print; next} ++n % 100 == 0 {print "  " n " packages compiled"; fflush()}'
	@cd test/cluster && ../../bin/demo $(ARGS)

kubectl: ## Build bin/kubectl, for make demo.
	cd test/cluster/programs && $(GO) build -o ../../../bin/kubectl k8s.io/kubernetes/cmd/kubectl

test-demo:
	$(MAKE) demo ARGS=--once

check: verify ## Run all tests that this machine can run, and the linters (JOBS=3: three of the untimed ones at a time).
	.ci/install $(TIMED) $(UNTIMED)
	.ci/parallel $(TIMED) -- $(UNTIMED)

test: ## Run the fast tests of the root module, with the race detector.
	.ci/install test
	CGO_ENABLED=1 $(GO) test -race -timeout 30m -vet=off $$($(GO) list ./... | grep -v $(NO_RACE:%=-e /%$$)) # make lint runs vet
	$(GO) test $(INLINE) -timeout 30m -vet=off $(NO_RACE:%=./%)
	$(GO) test $(INLINE) -vet=off ./webhook/memcached -run '^TestAllocations$$'

explore: ## Explore every order of events of a move, with each kind of fault.
	$(GO) test $(INLINE) -v -run '^TestExplore$$' ./webhook/memcached/moves -timeout 60m

test-manifests: ## Test manifests, CRDs and pages offline, with the API server's and kustomize's code.
	cd test/manifests && $(GO) test -count=1 ./... # go test does not detect changes outside of the module

test-servers: ## Test command lines with Debian's memcached, or with all features (MEMCACHED=program).
	.ci/install test-servers
	cd test/servers && $(GO) test -count=1 -timeout 30m -tags servers # without a package, go test shows the output

test-full: ## Measure changes of full servers, with all sizes of items, for an hour (MEMCACHED=program).
	cd test/servers && $(GO) test -count=1 -timeout 3h -tags servers -run '^TestProxyFullServers$$' -full

test-clients: ## Test client libraries with proxies (MEMCACHED=program), or measure rollouts (ARGS="-run TestRollouts -all").
	.ci/install test-clients
	test test/clients/node_modules -nt test/clients/package-lock.json || npm ci --prefix test/clients --ignore-scripts --no-audit --no-fund
	cd test/clients && $(GO) test -count=1 -timeout 30m $(ARGS)

test-monitoring: ## Test alerts, dashboard and metrics with memcached, and with Prometheus' and kube-state-metrics' code.
	.ci/install test-monitoring
	cd test/monitoring && $(GO) test -count=1 ./...

test-cluster: $(SUITES) ## Run the cluster tests with a real API server, and with Metacontroller or its stand-in.

test-cluster-main: suite = .
test-hookcheck: suite = hookcheck
test-installation: suite = installation
test-minimal: suite = minimal
test-helm: suite = helm
$(SUITES):
	cd test/cluster/$(suite) && $(GO) test -count=1 -timeout 30m $(ARGS) # without a package, go test shows the output while it runs

lint: ## Lint code, workflows and the chart, and check that go.mod files are tidy.
	$(ACTIONLINT)
	$(HELM) lint --strict --quiet $(CURDIR)/manifests/helm
	@set -e; for module in . $(MODULES); do echo "linting $$module"; \
	  (cd $$module && $(GO) mod tidy -diff && $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml ./...); done

vulnerabilities: ## Check the dependencies for known vulnerabilities (online).
	$(GOVULNCHECK) ./...

generate: ## Generate CRDs, their reference and DeepCopy methods from the Go types.
	$(CONTROLLER_GEN) object paths=./webhook/...
	@set -e; for package in $$(grep -rl --include='*.go' kubebuilder:object:root=true webhook | xargs -n1 dirname | sort -u); do \
	  crd=crds/$$(echo $$package | cut -d/ -f2); \
	  $(CONTROLLER_GEN) crd paths=./$$package output:crd:dir=$$crd; \
	  $(CRD_REF_DOCS) --log-level ERROR --config .ci/reference/config.yaml --templates-dir .ci/reference --renderer markdown \
	    --source-path $$package --output-path $$crd/reference.md; done

verify: generate ## Fail if generated files differ from the committed or staged files, or are untracked.
	@git diff --exit-code -- $(GENERATED)
	@new="$$(git ls-files --others --exclude-standard -- $(GENERATED))"; test -z "$$new" || { echo "untracked generated files:" $$new; exit 1; }

fuzz: ## Fuzz the hooks for FUZZTIME (30s) per target, explore pairs of faults, and run random commands, schedules and SEEDS (300) walks.
	.ci/install fuzz
	$(GO) test ./test/golden -run '^$$' -fuzz '^FuzzHooks$$' -fuzztime $(or $(FUZZTIME),30s) -fuzzminimizetime 10x
	$(GO) test -v -run '^TestExplore$$' ./webhook/memcached/moves -timeout 1h -pairs -sizes 1
	$(GO) test -v -run '^TestEveryOrderOfEvents$$' ./webhook/memcached/proxy -timeout 3h -more
	$(GO) test ./webhook/merge -run '^$$' -fuzz '^FuzzContains$$' -fuzztime $(or $(FUZZTIME),30s)
	$(GO) test ./test/walk -timeout 1h -seeds $(or $(SEEDS),300)
	$(GO) test -tags servers ./test/servers -count 10 -v -run '^TestProxy(BehavesAsOneServer|NeverShiftsResponses|Replay)$$' -proxy-seed 0

faults: build ## Test the program with slow callers, much memory, overload, restarts and rotation (ARGS=-long: all figures).
	$(GO) test -tags faults ./test/faults -count=1 -v -timeout 2h -program $(CURDIR)/bin/memcached-operator $(ARGS)

bench: ## Run the benchmarks COUNT (6) times for benchstat.
	$(GO) test ./webhook/... -run '^$$' -bench . -count $(or $(COUNT),6)

picture: ## Draw the dashboard while a cache of the current cluster changes (ARGS="-operator HOST:PORT").
	cd test/monitoring && $(GO) run ./picture $(ARGS)

# Without an attestation, whose content kind load docker-image can fail to find in the containerd image store of Docker.
image: ## Build the container image IMAGE with docker for this platform, or for PLATFORMS (PUSH=1: push it).
	docker buildx build $(if $(PLATFORMS),--platform $(PLATFORMS)) --build-arg VERSION=$(VERSION) -t $(IMAGE) $(if $(PUSH),--push,--load --provenance=false) .

chart: ## Pack the Helm chart into dist/.
	$(HELM) package $(CURDIR)/manifests/helm --destination $(CURDIR)/dist

dist: ## Build the binaries, the rendered manifests and the chart of a release into dist/.
	rm -rf dist && mkdir dist
	@set -e; for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
	  suffix=$$(echo $$platform | tr / -); echo "building for $$platform"; \
	  for program in . ./test/hookcheck; do name=$${program##*/}; name=$${name#.}; \
	    CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
	      $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o dist/$${name:-memcached-operator}-$$suffix $$program; done; done
	$(KUSTOMIZE) build manifests/default >dist/install.yaml
	$(KUSTOMIZE) build manifests/all >dist/install-all.yaml
	cp manifests/metacontroller-values.yaml dist/
	$(MAKE) chart

clean: ## Remove bin/ and dist/.
	rm -rf bin dist
