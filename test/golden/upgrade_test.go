package golden

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	semver "k8s.io/apimachinery/pkg/util/version"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
)

// releases has a file <release>.jsonl for each release. No release is recorded yet.
const releases = "../releases"

var record = flag.String("record", "", "record the responses of the sync hooks as those of a `release`")

// recordedCase is a line of a record: a request at the time of the release, and the workloads in its response.
type recordedCase struct {
	Case      string         `json:"case"`
	Request   map[string]any `json:"request"`
	Workloads map[string]any `json:"workloads"`
}

// TestUpgrade sends the requests of every release to the current hooks. They must accept the parents and return the same pod
// templates, so that an upgrade restarts no pod. No release is recorded yet, so a record of the current hooks is the first one:
// the images and the library of another release must not change it.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	current := recordCases(t)
	if *record != "" {
		writeRelease(t, *record, current)
	}
	records := map[string][]byte{"unreleased": current}
	files, err := filepath.Glob(releases + "/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if records[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for release, content := range records {
		for _, c := range readCases(t, content) {
			t.Run(release+"/"+c.Case, func(t *testing.T) {
				if diff := cmp.Diff(c.Workloads, workloads(t, c.Request, newerDefaults)); diff != "" {
					t.Errorf("an upgrade from %s replaces pods (-recorded +now):\n%s", release, diff)
				}
			})
		}
	}
}

// workloads returns the fields that an upgrade must not change, for each child that runs pods: the pod template, whose change
// restarts all pods, and immutable fields. The parent gets the defaults of the current CRD. config has what differs in each
// release.
func workloads(t *testing.T, request map[string]any, config memcached.Config) map[string]any {
	t.Helper()
	parent := render.Input{Name: "the recorded parent", Content: encode(t, request["parent"])}
	objects, err := render.Render(parents.Controllers(config), []render.Input{parent}, render.Options{Observed: encode(t, request), Now: metav1.NewTime(now)})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]any{}
	for _, child := range objects[1:] {
		spec, _ := child["spec"].(map[string]any)
		if spec["template"] == nil {
			continue
		}
		workload := map[string]any{}
		for _, field := range []string{"template", "selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"} {
			if value, found := spec[field]; found {
				workload[field] = value
			}
		}
		kept[check.NameOf(map[string]any(child))] = workload
	}
	return kept
}

func readCases(t *testing.T, content []byte) []recordedCase {
	t.Helper()
	var cases []recordedCase
	for lines := bufio.NewReader(bytes.NewReader(content)); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return cases
		}
		var c recordedCase
		mustDecode(t, line, &c)
		cases = append(cases, c)
	}
}

// recordCases returns the record of the current hooks: the longest request for each parent in testdata, with the response
// applied, and the workloads in the next response.
func recordCases(t *testing.T) []byte {
	t.Helper()
	fullest := map[string]fixture{}
	for _, f := range fixtures(t) {
		if f.hook != "sync" {
			continue
		}
		parent := parse(t, f.request)["parent"].(map[string]any)
		key := f.controller + check.NameOf(parent) + string(encode(t, parent["spec"]))
		if len(f.request) > len(fullest[key].request) {
			fullest[key] = f
		}
	}
	var lines bytes.Buffer
	handler := newHandler()
	for _, f := range slices.SortedFunc(maps.Values(fullest), func(a, b fixture) int { return strings.Compare(a.name, b.name) }) {
		request := parse(t, f.request)
		response := parse(t, mustPost(t, handler, f.url(), encode(t, request)))
		if isInvalid(response) {
			continue // the children stay as they are, whatever the hook would return
		}
		request, _ = check.Apply(request, response)
		name := f.controller + "/" + filepath.Base(f.name)
		lines.Write(append(encode(t, recordedCase{Case: name, Request: request, Workloads: workloads(t, request, memcached.Config{OperatorImage: operatorImage})}), '\n'))
	}
	return lines.Bytes()
}

func writeRelease(t *testing.T, release string, content []byte) {
	t.Helper()
	if _, err := semver.ParseSemantic(release); err != nil || release[0] != 'v' {
		t.Fatalf("-record %q: want a release such as v0.1.0", release)
	}
	if err := os.MkdirAll(releases, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(releases, release+".jsonl"), content, 0o600); err != nil {
		t.Fatal(err)
	}
}
