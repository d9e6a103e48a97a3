package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	codecs := serializer.NewCodecFactory(scheme)
	want := &MemcachedList{TypeMeta: metav1.TypeMeta{APIVersion: SchemeGroupVersion.String(), Kind: "MemcachedList"}, Items: []Memcached{{ObjectMeta: metav1.ObjectMeta{Name: "cache"}, Spec: MemcachedSpec{Size: new(int32(3))}}}}
	encoded, err := runtime.Encode(codecs.LegacyCodec(SchemeGroupVersion), want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runtime.Decode(codecs.UniversalDeserializer(), encoded)
	if err != nil {
		t.Fatalf("a client cannot decode %s: %v", encoded, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the decoded list differs from the encoded list (-want +got):\n%s", diff)
	}
}
