package golden

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	semver "k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"
)

// changesFile lists the changes of pod templates for TestUpgrade. changesPage shows them in a table.
const (
	changesFile = "../releases/changes.yaml"
	changesPage = "../../manifests/docs/upgrade.md"
)

// listedChange is a field whose value, or the values below it, changed in a release.
type listedChange struct {
	Release string   `json:"release"`
	Field   string   `json:"field"`
	Kinds   []string `json:"kinds"`
	Why     string   `json:"why"`

	release *semver.Version
	seen    bool
}

type changeList []*listedChange

// listedChanges parses the list. It returns an error for an unknown or missing field.
func listedChanges(content []byte) (changeList, error) {
	var list changeList
	if err := yaml.UnmarshalStrict(content, &list); err != nil {
		return nil, err
	}
	for i, change := range list {
		if change.Field == "" || len(change.Kinds) == 0 || change.Why == "" {
			return nil, fmt.Errorf("change %d has no field, kinds or why", i)
		}
		var err error
		if change.release, err = semver.ParseSemantic(change.Release); err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
	}
	return list, nil
}

func readChanges(t *testing.T) changeList {
	t.Helper()
	content, err := os.ReadFile(changesFile)
	if err != nil {
		t.Fatal(err)
	}
	list, err := listedChanges(content)
	if err != nil {
		t.Fatalf("%s: %v", changesFile, err)
	}
	return list
}

// TestUpgradeTable compares the table in manifests/docs/upgrade.md with the list. The flag -update writes the table.
func TestUpgradeTable(t *testing.T) {
	t.Parallel()
	const start = "<!-- Generated from test/releases/changes.yaml by go test ./test/golden -run TestUpgradeTable -update. -->\n\n"
	const end = "\n<!-- End of the generated table. -->\n"
	page, err := os.ReadFile(changesPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, foundStart := strings.Cut(string(page), start)
	_, after, foundEnd := strings.Cut(rest, end)
	if !foundStart || !foundEnd {
		t.Fatalf("%s has no lines\n%s%s", changesPage, start, end)
	}
	var table strings.Builder
	table.WriteString("| release | field | kinds | why |\n|---|---|---|---|\n")
	for _, change := range readChanges(t) {
		fmt.Fprintf(&table, "| %s | `%s` | %s | %s |\n", change.Release, change.Field, strings.Join(change.Kinds, ", "), change.Why)
	}
	want := before + start + table.String() + end + after
	if *update {
		if err := os.WriteFile(changesPage, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("the table differs from %s: run this test with -update (-page +list):\n%s", changesFile, diff)
	}
}

// allow reports whether a field of a workload may differ from that of a recorded release, because a later release changed it.
func (list changeList) allow(recorded *semver.Version, kind, field string) bool {
	allowed := false
	for _, change := range list {
		// A field starts with the kind and name of the child: "Deployment cache.template.spec".
		below := strings.Contains(field+".", "."+change.Field+".") || strings.Contains(field, "."+change.Field+"[")
		if recorded.LessThan(change.release) && below && slices.Contains(change.Kinds, kind) {
			change.seen, allowed = true, true
		}
	}
	return allowed
}

// differences returns the paths of the fields in which two values differ. The elements of a list are compared by their names,
// so that a new or removed element is one difference.
func differences(path string, was, is any) []string {
	wasMembers, wasObject := members(was)
	isMembers, isObject := members(is)
	if !wasObject || !isObject {
		if reflect.DeepEqual(was, is) {
			return nil
		}
		return []string{strings.TrimPrefix(path, ".")}
	}
	all := maps.Clone(wasMembers)
	maps.Copy(all, isMembers)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found = append(found, differences(path+name, wasMembers[name], isMembers[name])...)
	}
	if wasOrder, isOrder := order(was), order(is); found == nil && !slices.Equal(wasOrder, isOrder) {
		return []string{strings.TrimPrefix(path, ".")}
	}
	return found
}

// members returns the members of an object as ".name", or the elements of a list of named objects as "[name]".
func members(value any) (map[string]any, bool) {
	found := map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			found["."+name] = member
		}
		return found, true
	case []any:
		for _, element := range value {
			name, ok := elementName(element)
			if !ok || found[name] != nil {
				return nil, false
			}
			found[name] = element
		}
		return found, len(value) > 0
	}
	return nil, false
}

func elementName(element any) (string, bool) {
	object, _ := element.(map[string]any)
	name, ok := object["name"].(string)
	return "[" + name + "]", ok
}

func order(value any) []string {
	var names []string
	list, _ := value.([]any)
	for _, element := range list {
		name, _ := elementName(element)
		names = append(names, name)
	}
	return names
}

func mustDecode(t testing.TB, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("parsing %.80q: %v", line, err)
	}
}

// TestDifferences checks that differences finds each change, because TestUpgrade passes if it finds none.
func TestDifferences(t *testing.T) {
	t.Parallel()
	const was = `{"Deployment a": {"template": {"spec": {"containers": [{"name": "x", "args": ["-m", "64"]}, {"name": "y"}]}}}}`
	cases := []struct {
		why, is string
		want    []string
	}{
		{"nothing has changed", was, nil},
		{"an argument is changed",
			`{"Deployment a": {"template": {"spec": {"containers": [{"name": "x", "args": ["-m", "65"]}, {"name": "y"}]}}}}`,
			[]string{"Deployment a.template.spec.containers[x].args"}},
		{"a field is added",
			`{"Deployment a": {"template": {"spec": {"hostname": "h", "containers": [{"name": "x", "args": ["-m", "64"]}, {"name": "y"}]}}}}`,
			[]string{"Deployment a.template.spec.hostname"}},
		{"a field is removed and a container is added",
			`{"Deployment a": {"template": {"spec": {"containers": [{"name": "x"}, {"name": "y"}, {"name": "z"}]}}}}`,
			[]string{"Deployment a.template.spec.containers[x].args", "Deployment a.template.spec.containers[z]"}},
		{"the order of containers is part of a template",
			`{"Deployment a": {"template": {"spec": {"containers": [{"name": "y"}, {"name": "x", "args": ["-m", "64"]}]}}}}`,
			[]string{"Deployment a.template.spec.containers"}},
		{"a workload of another name replaces the pods",
			`{"Deployment b": {"template": {"spec": {"containers": [{"name": "x", "args": ["-m", "64"]}, {"name": "y"}]}}}}`,
			[]string{"Deployment a", "Deployment b"}},
		{"a workload is removed", `{}`, []string{"Deployment a"}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, differences("", parse(t, []byte(was)), parse(t, []byte(c.is)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}

// TestListedChanges checks which differences the list allows.
func TestListedChanges(t *testing.T) {
	t.Parallel()
	list, err := listedChanges([]byte("[{release: v0.3.0, field: 'template.spec.containers[memcached].args', kinds: [Memcached, Nginx], why: it leaked}]"))
	if err != nil {
		t.Fatal(err)
	}
	const field = "Deployment cache.template.spec.containers[memcached].args"
	cases := []struct {
		why, release, kind, field string
		want                      bool
	}{
		{"a later release changed it", "v0.2.0", "Memcached", field, true},
		{"a field below a listed field is listed", "v0.2.0", "Nginx", field + "[0]", true},
		{"the release itself already has the change", "v0.3.0", "Memcached", field, false},
		{"another kind is not listed", "v0.2.0", "Xca", field, false},
		{"another field is not listed", "v0.2.0", "Memcached", "Deployment cache.template.spec.containers[memcached].image", false},
		{"a longer name is another field", "v0.2.0", "Memcached", field + "Extra", false},
	}
	for _, c := range cases {
		if got := list.allow(semver.MustParseSemantic(c.release), c.kind, c.field); got != c.want {
			t.Errorf("%s: allow(%s of %s since %s) = %t, want %t", c.why, c.field, c.kind, c.release, got, c.want)
		}
	}
	for why, content := range map[string]string{
		"a reason is missing":     "[{release: v0.3.0, field: template, kinds: [Memcached]}]",
		"a field is unknown":      "[{release: v0.3.0, field: template, kinds: [Memcached], why: x, since: x}]",
		"a release is no version": "[{release: next, field: template, kinds: [Memcached], why: x}]",
	} {
		if _, err := listedChanges([]byte(content)); err == nil {
			t.Errorf("%s: want an error", why)
		}
	}
}
