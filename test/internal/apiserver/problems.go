package apiserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	strictjson "sigs.k8s.io/json"
)

// Problems returns the unknown fields of an object of a built-in kind, which the API server drops, and why the API server refuses the
// object, as far as its Go type says this. It returns nothing about a custom resource.
func Problems(object *unstructured.Unstructured) (unknown, refused []string) {
	typed, err := Kinds.New(object.GroupVersionKind())
	if err != nil {
		return nil, nil
	}
	text, err := json.Marshal(object.Object)
	if err != nil {
		return nil, []string{err.Error()}
	}
	strict, err := strictjson.UnmarshalStrict(text, typed)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, each := range strict {
		unknown = append(unknown, each.Error())
	}
	setDefaults(typed)
	for _, path := range missing(reflect.ValueOf(typed).Elem(), "") {
		refused = append(refused, fmt.Sprintf("required field %q is missing", path))
	}
	return unknown, append(refused, refusals(typed)...)
}

// A field without omitempty is required. These are the exceptions: fields with omitempty that the API server requires, and fields without
// that may be zero, or that it sets.
var (
	required = []string{
		"Container.image", "EphemeralVolumeSource.volumeClaimTemplate", "ExecAction.command", "PersistentVolumeClaimSpec.accessModes",
		"PersistentVolumeSpec.accessModes", "SecretVolumeSource.secretName",
	}
	optional = []string{
		"AzureFilePersistentVolumeSource.secretNamespace", "CSINodeDriver.topologyKeys", "CSINodeSpec.drivers", "ClusterRole.rules",
		"ControllerRevision.revision", "EndpointSlice.endpoints", "EndpointSlice.ports", "Event.reportingComponent", "Event.reportingInstance",
		"GRPCAction.service", "HTTPHeader.value", "ISCSIPersistentVolumeSource.lun", "ISCSIVolumeSource.lun",
		"IngressClassParametersReference.scope", "PodFailurePolicy.rules", "PriorityClass.value", "ProjectedVolumeSource.sources", "Role.rules", "RoleRef.apiGroup",
		"SleepAction.seconds", "StatefulSetOrdinals.start", "StatefulSetSpec.serviceName", "Sysctl.value",
		"TypedLocalObjectReference.apiGroup", "TypedObjectReference.apiGroup",
	}
)

// missing returns the paths of required fields that a value does not have. It ignores statuses, which hooks do not write.
func missing(value reflect.Value, path string) (found []string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			return missing(value.Elem(), path)
		}
	case reflect.Slice:
		for i := range value.Len() {
			found = append(found, missing(value.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			tag, isField := value.Type().Field(i).Tag.Lookup("json")
			name, options, _ := strings.Cut(tag, ",")
			if !isField || name == "status" {
				continue
			}
			member, below, id := value.Field(i), strings.Trim(path+"."+name, "."), value.Type().Name()+"."+name
			needed := name != "" && !strings.Contains(options, "omit") && !slices.Contains(optional, id) || slices.Contains(required, id)
			if needed && isEmpty(member) {
				found = append(found, below)
				continue
			}
			found = append(found, missing(member, below)...)
		}
	}
	return found
}

// isEmpty reports whether a required field has no value. The fields of a struct are required for themselves.
func isEmpty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Bool:
		return false
	case reflect.Slice:
		return value.Len() == 0
	case reflect.Struct:
		return value.Type() == reflect.TypeFor[intstr.IntOrString]() && value.IsZero()
	}
	return value.IsZero()
}

// refusals returns what fields say together.
func refusals(object runtime.Object) []string {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return unselected(o.Spec.Selector, o.Spec.Template)
	case *appsv1.StatefulSet:
		return unselected(o.Spec.Selector, o.Spec.Template)
	case *appsv1.DaemonSet:
		return unselected(o.Spec.Selector, o.Spec.Template)
	case *batchv1.Job:
		return restarted(o.Spec.Template, "spec.template")
	case *batchv1.CronJob:
		return restarted(o.Spec.JobTemplate.Spec.Template, "spec.jobTemplate.spec.template")
	}
	return nil
}

// unselected returns a problem if a selector does not select the pods of a template.
func unselected(selector *metav1.LabelSelector, template corev1.PodTemplateSpec) []string {
	if selector == nil {
		return nil // it is required
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	switch {
	case err != nil:
		return []string{"spec.selector: " + err.Error()}
	case parsed.Empty():
		return []string{"spec.selector is empty"}
	case !parsed.Matches(labels.Set(template.Labels)):
		return []string{"spec.selector does not select the labels of spec.template"}
	}
	return nil
}

// restarted returns a problem if a Job restarts pods that have ended, as pods do by default.
func restarted(template corev1.PodTemplateSpec, path string) []string {
	if policy := template.Spec.RestartPolicy; policy != corev1.RestartPolicyOnFailure && policy != corev1.RestartPolicyNever {
		return []string{path + ".spec.restartPolicy is not OnFailure or Never"}
	}
	return nil
}
