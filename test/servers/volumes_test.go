package servers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// secrets are the Secrets of a namespace: by name, and then by key.
type secrets map[string]map[string][]byte

// mount writes what the kubelet would mount into memcached's container, and returns the folder that stands for
// /etc/memcached.
func mount(t *testing.T, pod corev1.PodTemplateSpec, secrets secrets) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "servers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	open(t, folder)
	mounts := map[string]string{}
	for _, each := range pod.Spec.Containers[0].VolumeMounts {
		mounts[each.Name] = filepath.Join(folder, filepath.Base(each.MountPath))
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.EmptyDir != nil {
			continue // not of memcached's container
		}
		if err := os.Mkdir(mounts[volume.Name], 0o755); err != nil {
			t.Fatal(err)
		}
		switch {
		case volume.Secret != nil:
			for _, item := range volume.Secret.Items {
				content, found := secrets[volume.Secret.SecretName][item.Key]
				if !found {
					t.Fatalf("the pod would not start: Secret %s has no key %s", volume.Secret.SecretName, item.Key)
				}
				writeFile(t, filepath.Join(mounts[volume.Name], item.Path), content)
			}
		case volume.DownwardAPI != nil:
			for _, item := range volume.DownwardAPI.Items {
				writeFile(t, filepath.Join(mounts[volume.Name], item.Path), []byte(annotation(t, pod, item.FieldRef.FieldPath)))
			}
		default:
			t.Fatalf("this test cannot mount the volume %s", volume.Name)
		}
	}
	return folder
}

// annotation returns what metadata.annotations['key'] stands for.
func annotation(t *testing.T, pod corev1.PodTemplateSpec, fieldPath string) string {
	t.Helper()
	for key, value := range pod.Annotations {
		if fieldPath == "metadata.annotations['"+key+"']" {
			return value
		}
	}
	t.Fatalf("the pod has no field %s", fieldPath)
	return ""
}

func writeFile(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(file, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

// open lets the user of a server into a folder.
func open(t *testing.T, folder string) {
	t.Helper()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
}

// readsPasswords is true for a memcached that checks the passwords of SASL itself, as the official images do. Others,
// such as Debian's, leave that to the SASL library, and know no file of user:password.
func readsPasswords(t *testing.T) bool {
	t.Helper()
	program, err := exec.LookPath("memcached")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(content, []byte("MEMCACHED_SASL_PWDB"))
}
