package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// existing is a namespace of a cluster that the current context of kubectl names.
type existing struct {
	namespace, operator string
	states              StateMetrics
}

// Existing scrapes the caches of a namespace, and the operator at an address.
func Existing(ctx context.Context, namespace, operator string, interval time.Duration) (_ *Lab, err error) {
	e := &existing{namespace: namespace, operator: operator}
	if e.states, err = NewStateMetrics(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &Lab{dir: dir, cancel: cancel}
	states, err := serve(ctx, e)
	if err == nil {
		l.database, err = newDatabase(filepath.Join(dir, "prometheus"), interval, e.targets(ctx, states))
	}
	if err != nil {
		return nil, fmt.Errorf("%w, %w", err, l.Stop())
	}
	go func() {
		for ctx.Err() == nil {
			l.database.setTargets(e.targets(ctx, states))
			select {
			case <-ctx.Done():
			case <-time.After(interval):
			}
		}
	}()
	return l, nil
}

// get returns what kubectl finds.
func (e *existing) get(ctx context.Context, what string, into any) error {
	out, err := exec.CommandContext(ctx, "kubectl", "--namespace", e.namespace, "get", what, "--output", "json").Output()
	if err != nil {
		return fmt.Errorf("kubectl get %s: %w", what, err)
	}
	return json.Unmarshal(out, into)
}

// targets returns the exporters of the pods that run now, with the labels that the monitors of the component add.
func (e *existing) targets(ctx context.Context, states string) []target {
	targets := []target{{"cluster", states, nil}, {"memcached-operator-metrics", e.operator, nil}}
	var pods corev1.PodList
	_ = e.get(ctx, "pods", &pods) // without them, the last samples stay
	for _, pod := range pods.Items {
		cache := pod.Labels["memcached_cr"] + pod.Labels["memcached_proxy"]
		for _, container := range pod.Spec.Containers {
			for _, port := range container.Ports {
				if port.Name == "metrics" && cache != "" && pod.Status.PodIP != "" {
					address := net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(port.ContainerPort)))
					targets = append(targets, target{"caches", address, map[string]string{"namespace": e.namespace, "memcached_cr": cache, "pod": pod.Name}})
				}
			}
		}
	}
	return targets
}

// ServeHTTP returns the metrics of kube-state-metrics about the caches.
func (e *existing) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var list unstructured.UnstructuredList
	if err := e.get(request.Context(), "memcached", &list); err != nil {
		http.Error(response, err.Error(), http.StatusBadGateway)
		return
	}
	var text strings.Builder
	for i := range list.Items {
		text.WriteString(e.states.Text(&list.Items[i]))
	}
	response.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = response.Write([]byte(text.String()))
}
