package requests

import (
	"encoding/json"
	"maps"

	jsonv2 "github.com/go-json-experiment/json"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Applied returns a child as it is observed after Metacontroller has applied it.
func Applied[T any](child runtime.Object) T {
	var result T
	applied, err := json.Marshal(child)
	if err == nil {
		annotations := map[string]string{lastApplied: string(applied)}
		maps.Copy(annotations, child.(metav1.Object).GetAnnotations())
		child.(metav1.Object).SetAnnotations(annotations)
		applied, err = json.Marshal(child)
	}
	if err == nil {
		err = jsonv2.Unmarshal(applied, &result)
	}
	if err != nil {
		panic(err)
	}
	return result
}
