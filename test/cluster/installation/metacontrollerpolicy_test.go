package installation

import (
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// unrestricted is a group whose members may do everything, as Metacontroller may with its own ClusterRole. Only the policy remains.
const unrestricted = "unrestricted"

// metacontroller returns a client that sends requests as Metacontroller's ServiceAccount.
func metacontroller(t *testing.T) client.Client {
	t.Helper()
	name := metav1.ObjectMeta{Name: unrestricted}
	err := installed.Client.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: unrestricted}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := installed.Client.Delete(context.Background(), &rbacv1.ClusterRoleBinding{ObjectMeta: name}); err != nil {
			t.Error(err)
		}
	})
	config := rest.CopyConfig(installed.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: cluster.MetacontrollerUser, Groups: []string{unrestricted}}
	impersonated, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return impersonated
}

// deployment is a child that the policy allows. Cases replace the fields after each path.
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: child
  namespace: default
  ownerReferences:
    - {apiVersion: cache.example.com/v1alpha1, kind: Memcached, name: parent, uid: 9c3ed3b6-a3b1-4d77-8d7d-1b1c8f5f2d11, controller: true}
spec:
  selector: {matchLabels: {app: child}}
  template:
    metadata: {labels: {app: child}}
    spec:
      automountServiceAccountToken: false
      containers:
        - {name: main, image: "memcached:1", securityContext: {allowPrivilegeEscalation: false}}
`

// foreign returns the references of a child to an owner of another kind.
func foreign(apiVersion, kind string) string {
	return `[{apiVersion: ` + apiVersion + `, kind: ` + kind + `, name: parent, uid: 9c3ed3b6-a3b1-4d77-8d7d-1b1c8f5f2d11, controller: true}]`
}

// TestMetacontrollerPolicy checks what Metacontroller cannot create, whatever a response contains.
func TestMetacontrollerPolicy(t *testing.T) {
	const pod = "spec.template.spec."
	const container = "[{name: main, image: m, securityContext: {allowPrivilegeEscalation: false}, "
	const secure = "[{name: main, image: m, securityContext: {allowPrivilegeEscalation: false, "
	volume := func(source string) string {
		return "[{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, " + source + "}}}}]"
	}
	cases := []struct{ reason, path, value, want string }{
		{"an ordinary child", "metadata.name", "other", ""},
		{"the capability of a server below port 1024", pod + "containers", "[{name: main, image: m, securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [NET_BIND_SERVICE]}}}]", ""},
		{"the namespace of the control plane", "metadata.namespace", "kube-system", "no parent may be in the namespace kube-system"},
		{"the namespace of leases", "metadata.namespace", "kube-node-lease", "no parent may be in the namespace kube-node-lease"},
		{"the namespace that everyone reads", "metadata.namespace", "kube-public", "no parent may be in the namespace kube-public"},
		{"the namespace with the credentials of the hook", "metadata.namespace", "memcached-operator", "no parent may be in the namespace memcached-operator"},
		{"the namespace of Metacontroller", "metadata.namespace", "metacontroller", "no parent may be in the namespace metacontroller"},
		{"no owner", "metadata.ownerReferences", "[]", "no controller of a kind of memcached-operator"},
		{"an owner of another group", "metadata.ownerReferences", foreign("example.com/v1", "Memcached"), "no controller of a kind of memcached-operator"},
		{"an owner of another kind", "metadata.ownerReferences", foreign("apps/v1", "Deployment"), "no controller of a kind of memcached-operator"},
		{"an owner that is no controller", "metadata.ownerReferences", strings.Replace(foreign("cache.example.com/v1alpha1", "Memcached"), ", controller: true", "", 1), "no controller of a kind of memcached-operator"},
		{"a token", pod + "automountServiceAccountToken", "true", "automountServiceAccountToken false"},
		{"a token by default", pod + "automountServiceAccountToken", "null", "automountServiceAccountToken false"},
		{"a token in a volume", pod + "volumes", "[{name: v, projected: {sources: [{serviceAccountToken: {path: token}}]}}]", "only have volumes of the types"},
		{"a directory of the node", pod + "volumes", "[{name: v, hostPath: {path: /}}]", "only have volumes of the types"},
		{"a file server", pod + "volumes", "[{name: v, nfs: {server: nfs, path: /}}]", "only have volumes of the types"},
		{"the network of the node", pod + "hostNetwork", "true", "the namespaces of their node"},
		{"the processes of the node", pod + "hostPID", "true", "the namespaces of their node"},
		{"the memory of the node", pod + "hostIPC", "true", "the namespaces of their node"},
		{"a privileged container", pod + "containers", "[{name: main, image: m, securityContext: {privileged: true}}]", "no privileges"},
		{"a privileged init container", pod + "initContainers", "[{name: init, image: m, securityContext: {privileged: true}}]", "no privileges"},
		{"a container without a security context", pod + "containers", "[{name: main, image: m}]", "no privileges"},
		{"setuid programs", pod + "containers", "[{name: main, image: m, securityContext: {allowPrivilegeEscalation: true}}]", "no privileges"},
		{"the packets of the node", pod + "containers", "[{name: main, image: m, securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [NET_RAW]}}}]", "no privileges"},
		{"no seccomp", pod + "securityContext", "{seccompProfile: {type: Unconfined}}", "free of seccomp"},
		{"no seccomp for a container", pod + "containers", secure + "seccompProfile: {type: Unconfined}}}]", "free of seccomp"},
		{"no AppArmor", pod + "securityContext", "{appArmorProfile: {type: Unconfined}}", "free of seccomp or AppArmor"},
		{"no AppArmor for a container", pod + "containers", secure + "appArmorProfile: {type: Unconfined}}}]", "free of seccomp or AppArmor"},
		{"no AppArmor for a container, by an annotation", "spec.template.metadata.annotations", "{container.apparmor.security.beta.kubernetes.io/main: unconfined}", "free of seccomp or AppArmor"},
		{"the AppArmor profile of the runtime", "spec.template.metadata.annotations", "{container.apparmor.security.beta.kubernetes.io/main: runtime/default}", ""},
		{"the SELinux type of a super privileged container", pod + "securityContext", "{seLinuxOptions: {type: spc_t}}", "SELinux"},
		{"the SELinux type for an init container", pod + "initContainers", strings.Replace(secure, "main", "init", 1) + "seLinuxOptions: {type: spc_t}}}]", "SELinux"},
		{"an SELinux user", pod + "securityContext", "{seLinuxOptions: {user: system_u}}", "SELinux"},
		{"an SELinux role", pod + "securityContext", "{seLinuxOptions: {role: sysadm_r}}", "SELinux"},
		{"an SELinux level, which separates pods", pod + "securityContext", "{seLinuxOptions: {level: 's0:c1,c2'}}", ""},
		{"all of /proc", "spec.template.spec", "{automountServiceAccountToken: false, hostUsers: false, containers: " + secure + "procMount: Unmasked}}]}", "/proc"},
		{"a sysctl of the node", pod + "securityContext", "{sysctls: [{name: kernel.msgmax, value: '1'}]}", "only have the sysctls"},
		{"a safe sysctl", pod + "securityContext", "{sysctls: [{name: net.ipv4.tcp_syncookies, value: '1'}]}", ""},
		{"a probe of another host", pod + "containers", container + "readinessProbe: {httpGet: {host: 169.254.169.254, port: 80}}}]", "another host"},
		{"a probe of a port of another host", pod + "containers", container + "livenessProbe: {tcpSocket: {host: 169.254.169.254, port: 80}}}]", "another host"},
		{"a startup probe of another host", pod + "containers", container + "startupProbe: {httpGet: {host: 169.254.169.254, port: 80}}}]", "another host"},
		{"a request of the kubelet after the start", pod + "containers", container + "lifecycle: {postStart: {httpGet: {host: 169.254.169.254, port: 80}}}}]", "another host"},
		{"a request of the kubelet before the end", pod + "containers", container + "lifecycle: {preStop: {httpGet: {host: 169.254.169.254, port: 80}}}}]", "another host"},
		{"a node without the scheduler", pod + "nodeName", "control-plane", "bypasses the scheduler"},
		{"a priority that evicts what the node needs", pod + "priorityClassName", "system-node-critical", "a priority of the system"},
		{"a copy of another volume", pod + "volumes", volume("dataSource: {kind: PersistentVolumeClaim, name: other}"), "copy another volume"},
		{"a copy of a snapshot", pod + "volumes", volume("dataSourceRef: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: other}"), "copy another volume"},
		{"a volume by its labels", pod + "volumes", volume("selector: {matchLabels: {a: b}}"), "choose its volume"},
		{"a volume by its name", pod + "volumes", volume("volumeName: other"), "choose its volume"},
		{"an empty volume", pod + "volumes", volume(""), ""},
		{"not covered: root", pod + "securityContext", "{runAsUser: 0}", ""},
		{"not covered: all keys of a Secret as variables", pod + "containers", container + "envFrom: [{secretRef: {name: other}}]}]", ""},
		{"a port of the node", pod + "containers", container + "ports: [{containerPort: 80, hostPort: 80}]}]", "no privileges"},
	}
	caller := metacontroller(t)
	kubectl(t, "create", "namespace", "metacontroller") // the harness runs Metacontroller without a pod
	for _, c := range cases {
		object := decode(t, deployment)
		set(t, object, c.path, c.value)
		expect(t, c.reason, caller.Create(t.Context(), object, client.DryRunAll), c.want)
	}
}

// TestMetacontrollerPolicyKinds checks that Metacontroller cannot write other kinds, subresources, or objects of others.
func TestMetacontrollerPolicyKinds(t *testing.T) {
	owners := "\n  ownerReferences: " + foreign("cache.example.com/v1alpha1", "Memcached") + "\n"
	cases := []struct{ reason, object, want string }{
		{"a pod", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {containers: [{name: a, image: a}]}", "may not write /pods"},
		{"a DaemonSet", "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}", "may not write apps/daemonsets"},
		{"a Job with a privileged container", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {template: {spec: {automountServiceAccountToken: false, restartPolicy: Never, containers: [{name: a, image: a, securityContext: {privileged: true}}]}}}", "no privileges"},
		{"a StatefulSet with the claims of another one", "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: postgres\n  namespace: default" + owners + "spec: {serviceName: a, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {automountServiceAccountToken: false, containers: [{name: a, image: a, securityContext: {allowPrivilegeEscalation: false}}]}}, volumeClaimTemplates: [{metadata: {name: data-my}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}", "no volumeClaimTemplates"},
		{"a Secret", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: default" + owners, "may not write /secrets"},
		{"a role", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: a\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}", "may not write rbac.authorization.k8s.io/clusterrolebindings"},
		{"another controller", "apiVersion: metacontroller.k8s.io/v1alpha1\nkind: CompositeController\nmetadata: {name: a}\nspec: {parentResource: {apiVersion: v1, resource: secrets}}", "may not write metacontroller.k8s.io/compositecontrollers"},
		{"a parent", cache("a", 1), "may not write cache.example.com/memcacheds"},
		{"an Event of a failed sync", "apiVersion: v1\nkind: Event\nmetadata: {name: a, namespace: default}\ninvolvedObject: {namespace: default, name: a}", ""},
		{"a Service with an address that others use", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {externalIPs: [192.0.2.1], ports: [{port: 80}]}", "no externalIPs"},
		{"a Service with a public address", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {type: LoadBalancer, ports: [{port: 80}]}", "type ClusterIP"},
		{"a Service of other pods with the name of proxies", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a-proxy\n  namespace: default" + owners + "spec: {type: LoadBalancer, selector: {app: bank}, ports: [{port: 80}]}", "type ClusterIP"},
		{"a Service with the name of another host", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {type: ExternalName, externalName: evil.example.com}", "type ClusterIP"},
		{"a headless Service", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: default" + owners + "spec: {clusterIP: None, ports: [{port: 80}]}", ""},
	}
	caller := metacontroller(t)
	for _, c := range cases {
		expect(t, c.reason, caller.Create(t.Context(), decode(t, c.object), client.DryRunAll), c.want)
	}

	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}}
	err := caller.SubResource("token").Create(t.Context(), account, &authenticationv1.TokenRequest{})
	expect(t, "the token of a ServiceAccount", err, "may not write /serviceaccounts")

	// A Service of this type may not keep Metacontroller from adopting it, because no sync would follow.
	// The finalizer keeps it until the end of the test, although the owner that it gets does not exist.
	mine := decode(t, "apiVersion: v1\nkind: Service\nmetadata: {name: of-a-user, namespace: default, finalizers: [example.com/kept]}\nspec: {type: ExternalName, externalName: example.com}")
	if err := installed.Client.Create(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	expect(t, "deleting an object of a user", caller.Delete(t.Context(), mine.DeepCopy(), client.DryRunAll), "no controller of a kind of memcached-operator")
	changed := mine.DeepCopy()
	changed.SetLabels(map[string]string{"a": "b"})
	expect(t, "changing an object of a user", caller.Update(t.Context(), changed, client.DryRunAll), "no controller of a kind of memcached-operator")
	adopted := mine.DeepCopy()
	adopted.SetOwnerReferences(decode(t, deployment).GetOwnerReferences())
	expect(t, "adopting an object", caller.Update(t.Context(), adopted, client.DryRunAll), "")
	if err := installed.Client.Update(t.Context(), adopted); err != nil {
		t.Fatal(err)
	}
	changedSpec := adopted.DeepCopy()
	if err := unstructured.SetNestedStringSlice(changedSpec.Object, []string{"192.0.2.1"}, "spec", "externalIPs"); err != nil {
		t.Fatal(err)
	}
	expect(t, "other addresses of an adopted Service", caller.Update(t.Context(), changedSpec, client.DryRunAll), "no externalIPs")
	released := adopted.DeepCopy()
	released.SetOwnerReferences(nil)
	expect(t, "releasing an object", caller.Update(t.Context(), released, client.DryRunAll), "")
	expect(t, "deleting a child", caller.Delete(t.Context(), adopted, client.DryRunAll), "")
}

// TestChildOfAnotherNamespace checks what remains: a child in a namespace that has no such parent is deleted by the garbage
// collector.
func TestChildOfAnotherNamespace(t *testing.T) {
	kubectl(t, "create", "namespace", "victim")
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", cache("elsewhere", 0)))
	child := decode(t, deployment)
	owners := child.GetOwnerReferences()
	owners[0].Name, owners[0].UID = "elsewhere", types.UID(kubectl(t, "get", "memcached", "elsewhere", "--output", "jsonpath={.metadata.uid}"))
	child.SetOwnerReferences(owners)
	child.SetNamespace("victim")
	if err := metacontroller(t).Create(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the garbage collector deletes a child without its parent", func() (string, bool) {
		out := kubectl(t, "get", "deployments", "--namespace", "victim", "--output", "name")
		return out, out == ""
	})
}
