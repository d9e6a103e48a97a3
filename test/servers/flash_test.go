//go:build servers

package servers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// flashKeyLength is longer than most keys. The memory for keys is enough for 80 bytes.
const flashKeyLength = 70

// TestFlash fills the flash tier of a server until it evicts pages. The memory usage must stay below the container's limit, and
// the memory for items must be enough for the keys of a full flash.
func TestFlash(t *testing.T) {
	cases := []struct {
		reason     string
		flash      v1alpha1.Flash
		cache      v1alpha1.Cache
		valueBytes int
	}{
		{"items of 4 KiB, the default", v1alpha1.Flash{}, v1alpha1.Cache{}, 3900},
		{"items of 2 KiB in small pages", v1alpha1.Flash{AverageItemSize: new(resource.MustParse("2Ki")), PageSize: new(resource.MustParse("8Mi")), WriteBuffer: new(resource.MustParse("2Mi"))}, v1alpha1.Cache{}, 1900},
		{"items of 64 KiB", v1alpha1.Flash{AverageItemSize: new(resource.MustParse("64Ki"))}, v1alpha1.Cache{}, 65_000},
		{"items of 1.5 MiB, as chunks of logs", v1alpha1.Flash{AverageItemSize: new(resource.MustParse("1536Ki")), WriteBuffer: new(resource.MustParse("32Mi")), Threads: new(int32(10))}, v1alpha1.Cache{MaxItemSize: new(resource.MustParse("2Mi")), Memory: new(resource.MustParse("256Mi"))}, 3 << 19},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			test.flash.Size = new(resource.MustParse("1Gi"))
			s, c := startFlash(t, v1alpha1.MemcachedSpec{Size: new(int32(1)), Flash: &test.flash, Cache: test.cache})
			w := flashWriter{server: s, value: bytes.Repeat([]byte("x"), test.valueBytes)}
			deadline := time.Now().Add(6 * time.Minute)
			for w.count(t, "extstore_page_evictions") == 0 {
				if time.Now().After(deadline) {
					t.Fatalf("the flash is not full after %d items: %v", w.stored, s.stats(t, "stats"))
				}
				w.write(t)
			}
			w.wantOnFlash(t)
			used, size := w.count(t, "extstore_bytes_used"), w.count(t, "extstore_limit_maxbytes")
			peak, limit := s.peakMiB(t), c.Resources.Limits.Memory().Value()>>20
			t.Logf("%d items on flash, %d of %d MiB; memory for items %d MiB, peak %d MiB, limit %d MiB",
				w.count(t, "extstore_objects_used"), used>>20, size>>20, w.count(t, "limit_maxbytes")>>20, peak, limit)
			if peak > limit {
				t.Errorf("memcached used %d MiB, more than its limit of %d MiB", peak, limit)
			}
		})
	}
}

// TestFlashNeedsMemory checks that memcached cannot fill a flash whose keys do not fit into memory. The condition
// FlashMemoryTooLow reports such a cache.
func TestFlashNeedsMemory(t *testing.T) {
	spec := v1alpha1.MemcachedSpec{Size: new(int32(1)), Flash: &v1alpha1.Flash{Size: new(resource.MustParse("1Gi"))}, Cache: v1alpha1.Cache{Memory: new(resource.MustParse("16Mi"))}}
	s, _ := startFlash(t, spec)
	w := flashWriter{server: s, value: bytes.Repeat([]byte("x"), 900)}
	for w.stored < 1_200_000 { // more than 1 GiB
		w.write(t)
	}
	t.Logf("%d items on flash, %d MiB", w.count(t, "extstore_objects_used"), w.count(t, "extstore_bytes_used")>>20)
	if w.count(t, "extstore_page_evictions") > 0 || w.count(t, "extstore_pages_free") == 0 {
		t.Error("the flash is full, although its keys need more memory than there is")
	}
}

// TestFlashWithoutFile checks the exit code and the last line of the log if memcached cannot create its file. The status explains
// both.
func TestFlashWithoutFile(t *testing.T) {
	c := container(t, v1alpha1.MemcachedSpec{Size: new(int32(1)), Flash: &v1alpha1.Flash{Size: new(resource.MustParse("1Gi"))}})
	args, _ := onLoopback(t, c)
	p := server{Process: startUnprivileged(t, program(t), withFlash(args, "/missing"), nil)}
	exit, _ := errors.AsType[*exec.ExitError](p.Err())
	lines := strings.Split(strings.TrimSpace(p.logged(t)), "\n")
	if last := lines[len(lines)-1]; exit == nil || exit.ExitCode() != 1 || !strings.HasPrefix(last, "extstore open: ") {
		t.Errorf("the exit is %v and the last line of the log is %q, want exit code 1 and the error of open", exit, last)
	}
}

// startFlash starts the memcached container in the pods of a spec, and returns both.
func startFlash(t *testing.T, spec v1alpha1.MemcachedSpec) (server, corev1.Container) {
	t.Helper()
	template := pod(t, spec)
	c := template.Spec.Containers[0]
	return start(t, c, mount(t, template, nil)), c
}

// withFlash returns the arguments with another directory for the flash tier.
func withFlash(args []string, dir string) []string {
	for i := range args {
		args[i] = strings.Replace(args[i], "ext_path=/flash/", "ext_path="+dir+"/", 1)
	}
	return args
}

// flashWriter stores items as fast as memcached moves them to flash.
type flashWriter struct {
	server
	value  []byte
	stored int
}

func flashKey(i int) string {
	return fmt.Sprintf("%0*d", flashKeyLength, i)
}

// write stores about 4 MiB of items. If memory has no free page, it waits a little, so that memcached moves items to flash instead
// of evicting them.
func (w *flashWriter) write(t *testing.T) {
	t.Helper()
	connection := w.connect(t)
	defer connection.Close()
	writer := bufio.NewWriterSize(connection, 1<<20)
	for range 1 + 4<<20/len(w.value) {
		fmt.Fprintf(writer, "set %s 0 0 %d noreply\r\n%s\r\n", flashKey(w.stored), len(w.value), w.value)
		w.stored++
	}
	fmt.Fprint(writer, "version\r\n")
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(connection).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(100 * time.Millisecond)
	for w.count(t, "slab_global_page_pool") == 0 {
		if time.Now().After(deadline) {
			return
		}
	}
}

// wantOnFlash fails unless memcached returns an item from flash.
func (w *flashWriter) wantOnFlash(t *testing.T) {
	t.Helper()
	before := w.count(t, "get_extstore")
	for i := w.stored - 1; i >= 0; i -= 100 {
		connection := w.connect(t)
		fmt.Fprintf(connection, "get %s\r\n", flashKey(i))
		reader := bufio.NewReader(connection)
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "VALUE") {
			value := make([]byte, len(w.value))
			if _, err := io.ReadFull(reader, value); err != nil || value[0] != 'x' {
				t.Fatalf("the item %d: %v", i, err)
			}
		}
		connection.Close()
		if w.count(t, "get_extstore") > before {
			return
		}
	}
	t.Errorf("none of %d items is on flash", w.stored)
}

// count returns a number of the statistics.
func (w *flashWriter) count(t *testing.T, name string) int {
	t.Helper()
	number, err := strconv.Atoi(w.stats(t, "stats")[name])
	if err != nil {
		t.Fatal(err)
	}
	return number
}
