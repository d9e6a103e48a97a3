package memcached

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestKeepRunning checks that another release of the operator, with other default images, does not replace pods. Pods that are
// replaced for another reason get its images. What spec sets always applies.
func TestKeepRunning(t *testing.T) {
	const (
		memcached1, exporter1 = children.DefaultImage, children.DefaultExporterImage
		memcached2, exporter2 = "memcached:next", "exporter:next"
	)
	cases := []struct {
		reason string
		image  string // of spec, when the workload was applied
		edit   func(*syncRequest)
		want   []string
	}{
		{"only the release changes", "", func(*syncRequest) {}, []string{memcached1, exporter1}},
		{"the size changes", "", func(o *syncRequest) { o.Parent.Spec.Size = new(int32(5)) }, []string{memcached1, exporter1}},
		{"an argument changes", "", func(o *syncRequest) { o.Parent.Spec.Cache.Threads = new(int32(2)) }, []string{memcached2, exporter2}},
		{"spec sets the image that runs", "", func(o *syncRequest) { o.Parent.Spec.Image = memcached1 }, []string{memcached1, exporter1}},
		{"spec sets another image", "", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:mine" }, []string{"memcached:mine", exporter2}},
		{"spec sets another exporter", "", func(o *syncRequest) { o.Parent.Spec.Metrics.Image = "exporter:mine" }, []string{memcached2, "exporter:mine"}},
		{"spec has set the image all the time", "memcached:mine", func(*syncRequest) {}, []string{"memcached:mine", exporter1}},
		{"spec no longer sets the image", "memcached:mine", func(o *syncRequest) { o.Parent.Spec.Image = "" }, []string{memcached2, exporter2}},
		{"the exporter is removed", "", func(o *syncRequest) { o.Parent.Spec.Metrics.Enabled = false }, []string{memcached2}},
		{"a policy gives all images another registry", "", onWorkload(mirror...), []string{memcached1, exporter1}},
		{"a policy gives images another registry, and an argument changes", "", func(o *syncRequest) {
			onWorkload(mirror...)(o)
			o.Parent.Spec.Cache.Threads = new(int32(2))
		}, []string{memcached2, exporter2}},
		{"a policy changes the limits", "", onWorkload(`"memory":"`, `"memory":"1`), []string{memcached1, exporter1}},
		{"the image was edited by hand, and is taken back", "", onWorkload(memcached1, "memcached:edited"), []string{memcached1, exporter1}},
		{"the record of the image was edited by hand", "", func(o *syncRequest) {
			for workload := range o.Children.Deployments.All() {
				workload.Annotations[children.ImageAnnotation(children.ContainerName)] = "memcached:edited"
			}
		}, []string{memcached2, exporter2}},
		{"somebody has written a long text as the image and its record", "", writtenAs(memcached1, strings.Repeat("<", maxImage+1)), []string{memcached2, exporter2}},
		{"somebody has written an image that does something to a terminal", "", writtenAs(memcached1, "memcached:\u202e"), []string{memcached2, exporter2}},
		{"no pod can pull the image", "", onPods(2, pulling), []string{memcached2, exporter2}},
		{"no pod can pull the image of the exporter, and memcached serves", "", onPods(2, beside(children.ExporterName)), []string{memcached1, exporter1}},
		{"a sidecar of others cannot start in a rollout", "", inRollout(onPods(2, beside("istio-proxy"))), []string{memcached1, exporter1}},
		{"one pod cannot pull the image, and the others serve", "", onPods(1, pulling), []string{memcached1, exporter1}},
		{"one pod cannot pull the image in a rollout, which replaces the others anyway", "", inRollout(onPods(1, pulling)), []string{memcached2, exporter2}},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.Metrics.Enabled, memcached.Spec.Image = true, test.image
		request := settled(memcached)
		for pod := range request.Related.Pods.All() {
			running := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Time}}
			pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: children.ContainerName, State: running}}
		}
		test.edit(&request)
		desired, err := (Config{Image: memcached2, ExporterImage: exporter2}).sync(request)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		var got []string
		for _, child := range desired.Children {
			if workload, ok := child.(*appsv1.Deployment); ok {
				for _, container := range workload.Spec.Template.Spec.Containers {
					got = append(got, container.Image)
				}
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: the images (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(got[0], desired.Status.Image); diff != "" {
			t.Errorf("%s: status.image (-in the template +got):\n%s", test.reason, diff)
		}
	}
}

// TestKeepRunningWithoutRoutes checks an upgrade while somebody has edited the label of the proxies: they get their routes again, and the defaults of
// this release.
func TestKeepRunningWithoutRoutes(t *testing.T) {
	for _, label := range []string{"", "edited"} {
		request := proxied(t, 3, "0-2")
		request.Children.Deployments.Get("web", "cache-proxy").Spec.Template.Metadata.Labels.ProxyRoutes = label
		got, err := Config{OperatorImage: "operator:1", Image: "memcached:next"}.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		for _, child := range got.Children {
			d, isDeployment := child.(*appsv1.Deployment)
			if !isDeployment {
				continue
			}
			if image := d.Spec.Template.Spec.Containers[0].Image; d.Spec.Template.Labels[proxy.RoutesLabel] != "0-2" || image != "memcached:next" {
				t.Errorf("label %q: the proxies have routes %q and image %s", label, d.Spec.Template.Labels[proxy.RoutesLabel], image)
			}
		}
	}
}

// mirror are the replacements of a policy that gives all images of a workload another registry.
var mirror = []string{`"image":"`, `"image":"registry.corp.example/`}

// onWorkload returns an edit of the spec of the Deployments by others, who do not change what the annotations record.
func onWorkload(replacements ...string) func(*syncRequest) {
	return func(o *syncRequest) {
		for workload := range o.Children.Deployments.All() {
			edited := observed.WorkloadSpec{}
			if err := jsonv2.Unmarshal([]byte(strings.NewReplacer(replacements...).Replace(string(workload.SpecJSON()))), &edited); err != nil {
				panic(err)
			}
			workload.Spec = edited
		}
	}
}

func waiting(container string) observed.ContainerStatus {
	return observed.ContainerStatus{Name: container, State: observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "ImagePullBackOff"}}}
}

// pulling makes memcached of a pod wait for its image.
func pulling(pod *observed.Pod) {
	pod.Status.ContainerStatuses = []observed.ContainerStatus{waiting(children.ContainerName)}
}

// beside returns an edit that makes a container beside memcached wait for its image.
func beside(container string) func(*observed.Pod) {
	return func(pod *observed.Pod) {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, waiting(container))
	}
}

// onPods returns an edit of the first pods.
func onPods(number int, edit func(*observed.Pod)) func(*syncRequest) {
	return func(o *syncRequest) {
		left := number
		for pod := range o.Related.Pods.All() {
			if left--; left >= 0 {
				edit(pod)
			}
		}
	}
}

// inRollout returns an edit of a cache whose pods are being replaced.
func inRollout(edit func(*syncRequest)) func(*syncRequest) {
	return func(o *syncRequest) {
		for workload := range o.Children.Deployments.All() {
			workload.Status.UpdatedReplicas = 1
		}
		edit(o)
	}
}

// writtenAs lets somebody write a text in place of an image, as its record and as what was applied last.
func writtenAs(image, text string) func(*syncRequest) {
	return func(o *syncRequest) {
		onWorkload(image, text)(o)
		for workload := range o.Children.Deployments.All() {
			workload.Annotations[children.ImageAnnotation(children.ContainerName)] = text
			workload.Annotations[observed.LastAppliedAnnotation] = strings.ReplaceAll(workload.Annotations[observed.LastAppliedAnnotation], image, text)
		}
	}
}
