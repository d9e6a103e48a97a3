package conditions

import (
	"testing"

	"github.com/example/memcached-operator/webhook/observed"
)

// TestPullCredentials has responses of registries as containerd and CRI-O report them.
func TestPullCredentials(t *testing.T) {
	const start = `image "m:1" cannot be pulled: `
	cases := []struct {
		reason, response string
		want             bool
	}{
		{"GHCR without credentials", `failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/token: 401 Unauthorized`, true},
		{"GHCR with credentials of somebody else", `failed to authorize: failed to fetch oauth token: unexpected status from GET request to https://ghcr.io/token: 403 Forbidden`, true},
		{"Docker Hub, which does not say whether the repository exists", `pull access denied, repository does not exist or may require authorization: server message: insufficient_scope`, true},
		{"ECR", `pull from host 1.dkr.ecr.eu-west-1.amazonaws.com failed: no basic auth credentials`, true},
		{"CRI-O", `reading manifest 1 in quay.io/a/b: unauthorized: access to the requested resource is not authorized`, true},
		{"a tag that does not exist", `failed to resolve reference "docker.io/library/m:1": not found`, false},
		{"the network", `dial tcp: lookup registry.corp.example: no such host`, false},
	}
	for _, test := range cases {
		want := start + test.response
		if test.want {
			want += ". Create a Secret."
		}
		container := observed.ContainerStatus{Name: "c", Image: "m:1", State: waitingState("ErrImagePull", test.response)}
		in := &Input{Remedies: Remedies{"c": {Credentials: "create a Secret"}}}
		if got := notPulled(in, &container, nil).Message; got != want {
			t.Errorf("%s: got %q, want %q", test.reason, got, want)
		}
	}
}
