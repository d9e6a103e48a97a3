package golden

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGolden compares every response with its golden file. The flag -update rewrites the golden files.
func TestGolden(t *testing.T) {
	handler := newHandler()
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := json.Indent(&got, mustPost(t, handler, f.url(), f.request), "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			if *update {
				if err := os.WriteFile(f.responseFile(), got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(f.responseFile())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("the response differs from the golden file (-want +got):\n%s", diff)
			}
		})
	}
}
