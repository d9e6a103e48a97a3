//go:build servers

package servers

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// exporterProgram builds the real exporter, which is a tool dependency of the module test/monitoring, and returns its path.
var exporterProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(programs, "memcached_exporter")
	output, err := exec.Command("go", "build", "-C", "../monitoring", "-o", program, "github.com/prometheus/memcached_exporter/cmd/memcached_exporter").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the exporter: %w: %s", err, output)
	}
	return program, os.Chmod(programs, 0o755)
})

// startExporter runs the command of the exporter's container next to a memcached. It fails if the exporter does not read a
// port of this memcached, or does not listen on the declared port.
func startExporter(t *testing.T, container corev1.Container, cache server) server {
	t.Helper()
	program, err := exporterProgram()
	if err != nil {
		t.Fatal(err)
	}
	s := server{address: freeAddress(t)}
	var args []string
	for _, arg := range container.Args {
		if port, found := strings.CutPrefix(arg, "--memcached.address=127.0.0.1:"); found {
			if cache.ports[port] == "" {
				t.Fatalf("the exporter reads port %s, but memcached listens on %v", port, cache.ports)
			}
			arg = "--memcached.address=" + cache.ports[port]
		}
		if arg == "--web.listen-address=:"+declared(container) {
			arg = "--web.listen-address=" + s.address
		}
		args = append(args, arg)
	}
	if !strings.Contains(strings.Join(args, " "), s.address) {
		t.Fatalf("the container declares the ports %v, but the command has %q", container.Ports, args)
	}
	s.Process = startUnprivileged(t, program, args, nil)
	return s
}

// scrape waits for the exporter and returns its metrics.
func (s server) scrape(t *testing.T) string {
	t.Helper()
	for deadline := time.After(10 * time.Second); ; {
		response, err := http.Get("http://" + s.address + "/metrics")
		if err == nil {
			content, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("the exporter returned %s: %v", response.Status, err)
			}
			return string(content)
		}
		select {
		case <-deadline:
			t.Fatalf("the exporter does not respond: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// checkMetrics checks that the exporter, if the pod must have one, has metrics of memcached.
func (c combination) checkMetrics(t *testing.T, pod corev1.PodSpec, s server) {
	t.Helper()
	exports := c.metrics && c.mode != "ASCII"
	if has := slices.ContainsFunc(pod.Containers, func(each corev1.Container) bool { return each.Name == "exporter" }); has != exports {
		t.Fatalf("the pod has an exporter: %t", has)
	}
	if !exports {
		return
	}
	exporter := startExporter(t, pod.Containers[1], s)
	metrics := exporter.scrape(t)
	for _, want := range []string{`(?m)^memcached_up 1$`, `(?m)^memcached_version\{version="1\.`, `(?m)^memcached_max_connections 1024$`, `(?m)^memcached_limit_bytes 6\.7108864e\+07$`} {
		if !regexp.MustCompile(want).MatchString(metrics) {
			t.Errorf("no line %s in\n%s", want, metrics)
		}
	}
	limit := pod.Containers[1].Resources.Limits.Memory().Value() / (1 << 20)
	if peak := exporter.peakMiB(t); peak > limit*3/4 {
		t.Errorf("the exporter used %d MiB, more than three quarters of its limit of %d MiB", peak, limit)
	}
}
