package webhook

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5/middleware"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
)

// logDecision writes the second log line of a sync: what changes in the cluster, and why the parent is ready or not. Only the
// level debug has decisions.
func (e *endpoint) logDecision(r *http.Request, response composite.Response) {
	attributes := []slog.Attr{
		slog.String("controller", e.controller),
		slog.String("hook", e.hook),
		slog.String("request", middleware.GetReqID(r.Context())),
		slog.String("parent", response.Parent.String()),
		slog.Any("created", response.Decision.Created),
		slog.Any("updated", response.Decision.Updated),
		slog.Any("deleted", response.Decision.Deleted),
	}
	if ready := readyCondition(response.Body); ready != nil {
		attributes = append(attributes, slog.String("ready", string(ready.Status)), slog.String("reason", ready.Reason), slog.String("message", ready.Message))
	}
	e.options.Logger.LogAttrs(r.Context(), slog.LevelDebug, "decision", attributes...)
}

// readyCondition returns the condition Ready of a response; nil when the kind has none.
func readyCondition(body []byte) *metav1.Condition {
	var response struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil
	}
	return meta.FindStatusCondition(response.Status.Conditions, api.Ready)
}
