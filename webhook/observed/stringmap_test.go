package observed

import (
	"fmt"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestManyLabels: whoever may edit an object can give it 130,000 labels.
func TestManyLabels(t *testing.T) {
	pairs := make([]string, maxPairs+2)
	for i := range pairs {
		pairs[i] = fmt.Sprintf(`"%04d":"x"`, i)
	}
	var meta ChildMeta
	body := `{"labels":{` + strings.Join(pairs, ",") + `},"annotations":null,"name":"cache"}`
	if err := jsonv2.Unmarshal([]byte(body), &meta); err != nil {
		t.Fatal(err)
	}
	if len(meta.Labels) != maxPairs || meta.Labels["0149"] != "x" || meta.Annotations != nil || meta.Name != "cache" {
		t.Errorf("read %d labels, %d annotations and the name %q, want the first %d labels, none and cache", len(meta.Labels), len(meta.Annotations), meta.Name, maxPairs)
	}
	if err := jsonv2.Unmarshal([]byte(`{"labels":{"a":1}}`), &meta); err == nil {
		t.Error("a number was read as a label")
	}
	if err := jsonv2.Unmarshal([]byte(`{"labels":{"b":"c","d":"e"}}`), &meta); err != nil || !cmp.Equal(meta.Labels, stringMap{"b": "c", "d": "e"}) {
		t.Errorf("read the labels %v, %v", meta.Labels, err)
	}
}

// BenchmarkLabels reads the metadata of a pod with as many labels as are read.
func BenchmarkLabels(b *testing.B) {
	pairs := make([]string, maxPairs)
	for i := range pairs {
		pairs[i] = fmt.Sprintf(`"%02x":""`, i)
	}
	body := []byte(`{"labels":{` + strings.Join(pairs, ",") + `}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var meta Meta
		if err := jsonv2.Unmarshal(body, &meta); err != nil {
			b.Fatal(err)
		}
	}
}
