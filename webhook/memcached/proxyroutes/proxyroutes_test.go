package proxyroutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfig(t *testing.T) {
	const three = "servers{\n    current = {\n        \"a:1\",\n        \"b:1\",\n        \"c:1\",\n    },\n"
	for _, test := range []struct {
		reason            string
		current, previous []string
		preparing         bool
		want              string
	}{
		{"without a warm-up there is one list", []string{"a:1", "b:1", "c:1"}, nil, false, three + "}\n"},
		{"a removed server is readable", []string{"a:1", "b:1", "c:1"}, []string{"a:1", "b:1", "c:1", "d:1"}, false,
			three + "    previous = {\n        \"a:1\",\n        \"b:1\",\n        \"c:1\",\n        \"d:1\",\n    },\n}\n"},
		{"an added server is warmed up", []string{"a:1", "b:1", "c:1"}, []string{"a:1"}, false,
			three + "    previous = {\n        \"a:1\",\n    },\n}\n"},
		{"before a warm-up, reads move no item", []string{"a:1", "b:1", "c:1"}, []string{"a:1"}, true,
			three + "    previous = {\n        \"a:1\",\n    },\n    preparing = true,\n}\n"},
		{"equal lists move no key", []string{"a:1", "b:1", "c:1"}, []string{"a:1", "b:1", "c:1"}, true, three + "}\n"},
		{"other servers have other keys", []string{"a:1", "b:1", "c:1"}, []string{"b:1", "c:1"}, true, three + "}\n"},
	} {
		if diff := cmp.Diff(test.want, Config(test.current, test.previous, test.preparing)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// Both files are annotations of a pod, which may have 256 KiB of annotations.
func TestLibraryIsSmall(t *testing.T) {
	if const16KiB := 16 << 10; len(Library) > const16KiB || !strings.Contains(Library, "register_route_handlers") {
		t.Errorf("the library has %d bytes, want the Lua code in at most %d", len(Library), const16KiB)
	}
}
