package deployment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const template = `
metadata: {namespace: default, name: template, labels: {app: memcached, memcached_cr: template}}
spec:
  replicas: 3
  selector: {matchLabels: {app: memcached, memcached_cr: template}}
  strategy: {}
  template:
    metadata: {labels: {app: memcached, memcached_cr: template}}
    spec:
      containers: null
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {memcached_cr: template}}}
status: {}
`

func TestOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deployment.yaml")
	if err := os.WriteFile(file, []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("default", "shop", "name: template", "name: sessions", "cr: template", "cr: sessions", "replicas: 3", "replicas: 5").Replace(template)
	for _, reason := range []string{"every name is replaced", "the template does not change"} {
		got, err := yaml.Marshal(read.Of("shop", "sessions", new(int32(5))))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fields(t, want), fields(t, string(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
}

func fields(t *testing.T, content string) (all map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(content), &all); err != nil {
		t.Fatal(err)
	}
	return all
}
