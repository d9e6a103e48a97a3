package requests

import (
	"encoding/json"
	"maps"

	jsonv2 "github.com/go-json-experiment/json"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// Applied returns a child as it is observed after Metacontroller has created it.
func Applied[T any](child runtime.Object) T {
	text, err := json.Marshal(child)
	must(err)
	annotations := map[string]string{observed.LastAppliedAnnotation: string(text)}
	maps.Copy(annotations, child.(metav1.Object).GetAnnotations())
	child.(metav1.Object).SetAnnotations(annotations)
	text, err = json.Marshal(child)
	must(err)
	var result T
	must(jsonv2.Unmarshal(text, &result))
	return result
}
