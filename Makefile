# What a person runs and what CI runs are the same targets.

GO             ?= go
VERSION        ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
IMAGE          ?= ghcr.io/example/memcached-operator:$(VERSION)
CONTROLLER_GEN  = $(GO) run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0
CRD_REF_DOCS    = $(GO) run github.com/elastic/crd-ref-docs@v0.3.0
GOLANGCI_LINT   = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK     = $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.8.0
KUSTOMIZE       = $(GO) run sigs.k8s.io/kustomize/kustomize/v5@v5.8.2
# Without the linters of other languages that it calls where they are installed.
ACTIONLINT      = $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=
# Modules besides the root; each has tools that are too heavy for the root's go.mod.
MODULES         = test/manifests test/servers test/monitoring test/cluster test/bench test/bench/chain

.DEFAULT_GOAL := help
.PHONY: help build run demo test test-manifests test-servers test-monitoring test-cluster lint vulnerabilities generate verify fuzz faults \
	bench bench-cluster record-release image dist clean

help: ## Say what each target does.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## Build bin/memcached-operator.
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/memcached-operator .

run: build ## Build and serve the hooks on 127.0.0.1:8080.
	bin/memcached-operator serve -address 127.0.0.1:8080 -ops-address 127.0.0.1:8081 -log-level debug $(ARGS)

demo: ## Start a cluster on this machine and watch the samples come alive (ARGS=-once to end then).
	cd test/cluster && $(GO) run ./cmd/demo $(ARGS)

test: ## Run the fast tests: rules, hooks, the program, with the race detector.
	$(GO) test -race ./...

test-manifests: ## Test all YAML and the pages, offline, with the API server's and kustomize's own code; count allocations.
	$(GO) test ./webhook/memcached -run '^TestAllocations$$' # not with the race detector
	cd test/manifests && $(GO) test -count=1 ./... # go test does not notice changes outside of a module
	cd test/bench && $(GO) test ./...

test-servers: ## Start real memcached servers (Debian and Ubuntu: apt-get install memcached) with what the hook answers.
	cd test/servers && $(GO) test -count=1 ./...

test-monitoring: ## Test alerts, dashboard and metrics with Prometheus' and kube-state-metrics' own code.
	cd test/monitoring && $(GO) test -count=1 ./...

test-cluster: ## Run the cluster tests: a real API server, and Metacontroller or its stand-in.
	cd test/cluster && $(GO) test -count=1 -timeout 20m $(ARGS) # without a package, go test shows what is going on
	cd test/cluster/installation && $(GO) test -count=1 -timeout 20m $(ARGS)
	cd test/bench/chain && $(GO) test ./...

lint: ## Lint code and workflows, and check that go.mod files are tidy.
	$(ACTIONLINT)
	@set -e; for module in . $(MODULES); do echo "linting $$module"; \
	  (cd $$module && $(GO) mod tidy -diff && $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml ./...); done

vulnerabilities: ## Look for known vulnerabilities in what we depend on; needs the vulnerability database.
	$(GOVULNCHECK) ./...

generate: ## Write the CRDs, their reference pages and the DeepCopy methods from the API types.
	$(CONTROLLER_GEN) object paths=./webhook/...
	@set -e; for package in $$(grep -rl --include='*.go' kubebuilder:object:root=true webhook | xargs -n1 dirname | sort -u); do \
	  crd=crds/$$(echo $$package | cut -d/ -f2); \
	  $(CONTROLLER_GEN) crd paths=./$$package output:crd:dir=$$crd; \
	  $(CRD_REF_DOCS) --log-level ERROR --config .ci/reference/config.yaml --templates-dir .ci/reference --renderer markdown \
	    --source-path $$package --output-path $$crd/reference.md; done

verify: generate ## Fail if generated files differ from the committed ones.
	@git diff --exit-code -- crds webhook

fuzz: ## Send random requests to the hooks, FUZZTIME (30s) for each target, and run SEEDS (300) random walks.
	$(GO) test ./test -run '^$$' -fuzz '^FuzzSync$$' -fuzztime $(or $(FUZZTIME),30s) -fuzzminimizetime 10x
	$(GO) test ./test -run '^$$' -fuzz '^FuzzCustomize$$' -fuzztime $(or $(FUZZTIME),30s) -fuzzminimizetime 10x
	$(GO) test ./test -run '^$$' -fuzz '^FuzzHooks$$' -fuzztime $(or $(FUZZTIME),30s) -fuzzminimizetime 10x
	$(GO) test ./test -run '^TestRandomWalk$$' -seeds $(or $(SEEDS),300)

faults: ## Do to the server what networks and callers do (ARGS=-long for the full figures).
	$(GO) run ./test/faults $(ARGS)

bench: ## Measure the hook, COUNT (6) times for benchstat, then beside hooks of other kinds (ARGS="-rounds 5").
	$(GO) test ./webhook/... -run '^$$' -bench . -count $(or $(COUNT),6)
	cd test/bench && $(GO) run ./hooks $(ARGS)

bench-cluster: ## Measure Metacontroller with the hook beside an operator, on a cluster (METACONTROLLER=program; ARGS="-parents 200").
	cd test/bench/chain && $(GO) run . $(ARGS)

record-release: ## Record what the hooks of release VERSION answer, for the upgrade test, before it is tagged.
	@! git rev-parse -q --verify refs/tags/$(VERSION) >/dev/null || { echo "$(VERSION) is tagged: its answers do not change"; exit 1; }
	$(GO) test ./test -run '^TestUpgrade$$' -record $(VERSION)

image: ## Build the container image IMAGE with docker, for this machine's platform or for PLATFORMS.
	docker buildx build $(if $(PLATFORMS),--platform $(PLATFORMS)) --build-arg VERSION=$(VERSION) -t $(IMAGE) $(if $(PUSH),--push,--load) .

dist: ## Build what a release has beside the image into dist/: binaries, and all manifests in one file.
	rm -rf dist && mkdir dist
	@set -e; for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
	  name=dist/memcached-operator-$$(echo $$platform | tr / -); echo "building $$name"; \
	  CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
	    $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $$name .; done
	$(KUSTOMIZE) build manifests/default >dist/install.yaml
	$(KUSTOMIZE) build manifests/all >dist/install-all.yaml

clean: ## Remove what was built.
	rm -rf bin dist
