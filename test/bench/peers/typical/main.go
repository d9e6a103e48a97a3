// Typical is a typical hook in Go: it decodes the complete API types with encoding/json.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/internal/deployment"
)

type memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size int32 `json:"size"`
	} `json:"spec"`
}

type request struct {
	Parent   memcached `json:"parent"`
	Children struct {
		Deployments map[string]appsv1.Deployment `json:"Deployment.apps/v1"`
	} `json:"children"`
	Related struct {
		Pods map[string]corev1.Pod `json:"Pod.v1"`
	} `json:"related"`
}

func main() {
	address := flag.String("address", "127.0.0.1:8080", "`host:port` to listen on")
	file := flag.String("deployment", "", "`file` with a Deployment to create instead of a simple one")
	flag.Parse()
	deploymentOf := simpleDeployment
	if *file != "" {
		template, err := deployment.Read(*file)
		if err != nil {
			log.Fatal(err)
		}
		deploymentOf = func(parent memcached) *appsv1.Deployment {
			return template.Of(parent.Namespace, parent.Name, &parent.Spec.Size)
		}
	}
	serve("/memcached/sync", func(observed request) any { return sync(observed, deploymentOf(observed.Parent)) })
	serve("/memcached/customize", customize)
	log.Fatal(http.ListenAndServe(*address, nil))
}

func serve(path string, respond func(request) any) {
	http.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var observed request
		if err := json.NewDecoder(r.Body).Decode(&observed); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(respond(observed)) // an error means that the client has disconnected
	})
}

func sync(observed request, desired *appsv1.Deployment) any {
	nodes := []string{}
	for _, pod := range observed.Related.Pods {
		nodes = append(nodes, pod.Name)
	}
	sort.Strings(nodes)
	return map[string]any{"status": map[string]any{"nodes": nodes}, "children": []any{desired}}
}

// customize requests the pods as related objects, because their owner is the ReplicaSet and not the parent.
func customize(observed request) any {
	return map[string]any{"relatedResources": []any{map[string]any{
		"apiVersion":    "v1",
		"resource":      "pods",
		"namespace":     observed.Parent.Namespace,
		"labelSelector": metav1.LabelSelector{MatchLabels: labels(observed.Parent)},
	}}}
}

func labels(parent memcached) map[string]string {
	return map[string]string{"app": "memcached", "memcached_cr": parent.Name}
}

func simpleDeployment(parent memcached) *appsv1.Deployment {
	labels := labels(parent)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: parent.Name, Namespace: parent.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &parent.Spec.Size,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name:    "memcached",
					Image:   "memcached:1.6.45-alpine",
					Command: []string{"memcached", "-m", "64", "-v"},
					Ports:   []corev1.ContainerPort{{Name: "memcached", ContainerPort: 11211}},
				}}},
			},
		},
	}
}
