//go:build servers

package servers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// secrets has the values of the Secrets of a namespace, by name and key.
type secrets map[string]map[string][]byte

// mount writes the volumes of the memcached container, as the kubelet does, and returns the directory that replaces
// /etc/memcached.
func mount(t *testing.T, pod corev1.PodTemplateSpec, secrets secrets) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "servers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	open(t, dir)
	mounts := map[string]string{}
	for _, each := range pod.Spec.Containers[0].VolumeMounts {
		mounts[each.Name] = filepath.Join(dir, filepath.Base(each.MountPath))
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.EmptyDir != nil {
			continue // the memcached container does not mount it
		}
		if err := os.Mkdir(mounts[volume.Name], 0o755); err != nil {
			t.Fatal(err)
		}
		content := map[string][]byte{}
		switch {
		case volume.Ephemeral != nil:
			if err := os.Chmod(mounts[volume.Name], 0o777); err != nil { // the group of the pod may write to it
				t.Fatal(err)
			}
			continue
		case volume.Secret != nil:
			for _, item := range volume.Secret.Items {
				value, found := secrets[volume.Secret.SecretName][item.Key]
				if !found {
					t.Fatalf("the pod cannot start: Secret %s has no key %s", volume.Secret.SecretName, item.Key)
				}
				content[item.Path] = value
			}
		case volume.DownwardAPI != nil:
			for _, item := range volume.DownwardAPI.Items {
				content[item.Path] = []byte(annotation(t, pod, item.FieldRef.FieldPath))
			}
		default:
			t.Fatalf("this test cannot mount the volume %s", volume.Name)
		}
		for name := range content {
			link(t, filepath.Join("..data", name), filepath.Join(mounts[volume.Name], name))
		}
		update(t, mounts[volume.Name], content)
	}
	return dir
}

// update changes files of a volume in one step, as the kubelet does: the files are links into the directory to which the link
// ..data leads.
func update(t *testing.T, volume string, changed map[string][]byte) {
	t.Helper()
	next, err := os.MkdirTemp(volume, "..")
	if err != nil {
		t.Fatal(err)
	}
	open(t, next)
	entries, err := os.ReadDir(volume)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, "..") {
			continue
		}
		content, isChanged := changed[name]
		if !isChanged {
			if content, err = os.ReadFile(filepath.Join(volume, name)); err != nil {
				t.Fatal(err)
			}
		}
		writeFile(t, filepath.Join(next, name), content)
	}
	link(t, filepath.Base(next), filepath.Join(volume, "..next"))
	if err := os.Rename(filepath.Join(volume, "..next"), filepath.Join(volume, "..data")); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, file string) {
	t.Helper()
	if err := os.Symlink(target, file); err != nil {
		t.Fatal(err)
	}
}

// annotation returns the value of the field path metadata.annotations['key'].
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

// open makes a directory accessible to the user of a server.
func open(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}
