package golden

import (
	"bufio"
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	semver "k8s.io/apimachinery/pkg/util/version"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
)

var record = flag.String("record", "", "record the responses of the sync hooks as those of a `release`")

// recordedCase is a line of releases/<release>.jsonl: a request at the time of the release, and the workloads in its response.
type recordedCase struct {
	Case      string         `json:"case"`
	URL       string         `json:"url"`
	Request   map[string]any `json:"request"`
	Workloads map[string]any `json:"workloads"`
}

// TestUpgrade sends the requests of every release to the current hooks. They must accept the parents and return the same pod
// templates, so that an upgrade restarts no pod. releases/changes.yaml lists the exceptions.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	if *record != "" {
		recordRelease(t, *record)
	}
	listed := readChanges(t)
	files, err := filepath.Glob("../releases/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no release is recorded: %v", err)
	}
	for _, file := range files {
		release := semver.MustParseSemantic(strings.TrimSuffix(filepath.Base(file), ".jsonl"))
		for _, c := range readCases(t, file) {
			t.Run("v"+release.String()+"/"+c.Case, func(t *testing.T) {
				kind := kindOf(t, c.Request["parent"])
				for _, field := range differences("", c.Workloads, workloads(t, c.Request, reloaderImage+"-later")) {
					if !listed.allow(release, kind, field) {
						t.Errorf("%s differs from the response of v%s: an upgrade restarts the pods. Undo the change, or list it in test/releases/changes.yaml", field, release)
					}
				}
			})
		}
	}
	for _, change := range listed {
		if !change.seen {
			t.Errorf("test/releases/changes.yaml lists %s of %v since %s, but no recorded release differs", change.Field, change.Kinds, change.Release)
		}
	}
}

// workloads returns the fields that an upgrade must not change, for each child that runs pods: the pod template, whose change
// restarts all pods, and immutable fields. The parent gets the defaults of the current CRD. image is the image of the reloader,
// which differs in each release.
func workloads(t *testing.T, request map[string]any, image string) map[string]any {
	t.Helper()
	parent := render.Input{Name: "the recorded parent", Content: encode(t, request["parent"])}
	objects, err := render.Render(parents.Controllers(memcached.Config{ReloaderImage: image}), []render.Input{parent}, render.Options{Observed: encode(t, request), Now: metav1.NewTime(now)})
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
		kept[childName(map[string]any(child))] = workload
	}
	return kept
}

func readCases(t *testing.T, file string) []recordedCase {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []recordedCase
	for lines := bufio.NewReader(bytes.NewReader(content)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return cases
		}
		var c recordedCase
		mustDecode(t, line, &c)
		cases = append(cases, c)
	}
}

// recordRelease writes the longest request for each parent in testdata, with the response of the current hooks applied, and
// the workloads in the next response.
func recordRelease(t *testing.T, release string) {
	t.Helper()
	if _, err := semver.ParseSemantic(release); err != nil || release[0] != 'v' {
		t.Fatalf("-record %q: want a release such as v0.1.0", release)
	}
	fullest := map[string]fixture{}
	for _, f := range fixtures(t) {
		if f.hook != "sync" {
			continue
		}
		parent := parse(t, f.request)["parent"].(map[string]any)
		key := f.controller + childName(parent) + string(encode(t, parent["spec"]))
		if len(f.request) > len(fullest[key].request) {
			fullest[key] = f
		}
	}
	var lines bytes.Buffer
	handler := newHandler()
	for _, f := range slices.SortedFunc(maps.Values(fullest), func(a, b fixture) int { return strings.Compare(a.name, b.name) }) {
		request := parse(t, f.request)
		withoutManagedFields(request)
		request = apply(request, parse(t, mustPost(t, handler, f.url(), encode(t, request))))
		name := f.controller + "/" + filepath.Base(f.name)
		lines.Write(append(encode(t, recordedCase{Case: name, URL: f.url(), Request: request, Workloads: workloads(t, request, reloaderImage)}), '\n'))
	}
	if err := os.WriteFile(filepath.Join("../releases", release+".jsonl"), lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withoutManagedFields deletes managedFields, which are most of a request and which no rule reads.
func withoutManagedFields(value any) {
	visit(value, "", func(_, _ string, member any) {
		if object, ok := member.(map[string]any); ok {
			delete(object, "managedFields")
		}
	})
}
