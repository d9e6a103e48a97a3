package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook"
	"github.com/example/memcached-operator/webhook/composite"
)

// panickingServer is the argument that starts this program as a server with a defect.
const panickingServer = "serve-panicking"

// servePanicking serves a hook that panics for one parent, with the server of package webhook.
func servePanicking() {
	sync := composite.Sync(func(observed composite.Observed[*metav1.PartialObjectMetadata, struct{}, struct{}]) (composite.Desired[struct{}], error) {
		if observed.Parent.Name == "defect" {
			panic("a defect of the hook")
		}
		return composite.Desired[struct{}]{}, nil
	})
	thing := composite.Controller{Name: "thing", Parent: metav1.SchemeGroupVersion.WithKind("Thing"), Sync: sync}
	err := webhook.Serve(context.Background(), webhook.Config{
		Address:     "127.0.0.1:0",
		OpsAddress:  "127.0.0.1:0",
		Controllers: []composite.Controller{thing},
		Logger:      slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func panics(ctx context.Context, _ suite) ([]result, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	server, err := startCommand(exec.CommandContext(ctx, program, panickingServer))
	if err != nil {
		return nil, err
	}
	defer server.kill()
	call := func(name string) (response, error) {
		body := fmt.Sprintf(`{"parent":{"apiVersion":"meta.k8s.io/v1","kind":"Thing","metadata":{"name":%q}},"children":{},"related":{}}`, name)
		return newClient(1, nil).post(ctx, "http://"+server.address+"/thing/sync", []byte(body))
	}
	var codes []int
	leaked := false
	for _, name := range []string{"valid", "defect", "valid", "defect", "valid"} {
		got, err := call(name)
		if err != nil {
			return nil, err
		}
		codes = append(codes, got.code)
		leaked = leaked || strings.Contains(string(got.body), ".go") || strings.Contains(string(got.body), "a defect of the hook")
	}
	logged := strings.Count(server.logged(), "panic.go:") >= 2
	want := fmt.Sprint([]int{200, 500, 200, 500, 200})
	return []result{{
		"a hook that panics, and the requests after it",
		fmt.Sprintf("%v, stack in the log: %t, in the response: %t", codes, logged, leaked),
		want + ", true, false", fmt.Sprint(codes) == want && logged && !leaked && http.StatusOK == codes[4],
	}}, nil
}
