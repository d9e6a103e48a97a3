package cluster

import (
	"bytes"
	"context"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
)

// resource is an API resource in the labels of the API server's metrics.
type resource struct{ group, name string }

// writes returns the number of write requests to the API server so far, by verb and resource, including subresources such
// as status.
func writes(t *testing.T, resources map[resource]bool) map[string]float64 {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(shared.Config)
	must(t, err)
	text, err := clientset.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(context.Background())
	must(t, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	must(t, err)
	count := map[string]float64{}
	for _, metric := range families["apiserver_request_total"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range metric.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		switch labels["verb"] {
		case "GET", "LIST", "WATCH":
			continue
		}
		if resources[resource{labels["group"], labels["resource"]}] {
			count[labels["verb"]+" "+labels["resource"]+"/"+labels["subresource"]] += metric.GetCounter().GetValue()
		}
	}
	return count
}
