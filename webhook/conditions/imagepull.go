package conditions

import (
	"slices"
	"strings"

	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/text"
)

/*
The image of a container cannot be pulled.

This check looks at a waiting container. Its reason is ErrImagePull or a more precise one while the kubelet pulls, and ImagePullBackOff
between two attempts. All have the same reason here, so that the status does not change with each attempt.
*/

// pullReasons are the kubelet's reasons of a failed attempt.
var pullReasons = []string{"ErrImagePull", "RegistryUnavailable", "SignatureValidationFailed"}

// ReasonImagePullBackOff is for a container whose image cannot be pulled.
var ReasonImagePullBackOff = NewReason(SeverityProblem, Documentation{ID: "ImagePullBackOff",
	Meaning: "The image cannot be pulled. The message shows the registry's response. This reason includes the kubelet's `ErrImagePull`, `RegistryUnavailable` and `SignatureValidationFailed`.",
	Remedy:  "Check `spec.image` and `spec.imagePullSecrets`. If the operator's image is private, the namespace of the cache needs a pull Secret too: [Pull Secrets](install.md#pull-secrets)."})

func isPull(waiting *observed.ContainerWaiting) bool {
	return waiting.Reason == ReasonImagePullBackOff.id || slices.Contains(pullReasons, waiting.Reason)
}

func notPulled(in *Input, container *observed.ContainerStatus, _ *observed.ContainerTerminated) *Problem {
	response := registryMessage(string(container.State.Waiting.Message))
	problem := ReasonImagePullBackOff.Problem("image %q cannot be pulled: %s", text.Value(container.Image), response)
	if credentials := in.Remedies[container.Name].Credentials; credentials != "" && wantsCredentials(response) {
		problem.Message = joinSentences(strings.TrimSuffix(problem.Message, "."), credentials)
	}
	return problem
}

// wantsCredentials reports whether a registry may want credentials, or others. Registries and container runtimes have no common message.
func wantsCredentials(response string) bool {
	response = strings.ToLower(response)
	return slices.ContainsFunc([]string{"unauthorized", "authoriz", "authentic", "credentials", "denied", "forbidden"}, func(word string) bool {
		return strings.Contains(response, word)
	})
}

// registryMessage strips the prefix that the kubelet adds to the registry's message during back-off, so that the message is
// the same when the kubelet retries.
func registryMessage(message string) string {
	for _, reason := range pullReasons {
		if _, response, found := strings.Cut(message, reason+": "); found {
			return response
		}
	}
	return message
}
