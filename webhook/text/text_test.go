package text

import (
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"a sentence", "Pod a: größer als 5 €.", "Pod a: größer als 5 €."},
		{"an escape sequence clears the terminal", "a\x1b[2Jb", "a [2Jb"},
		{"C1 is another form of it", "a\u009b2Jb", "a 2Jb"},
		{"a line looks like another message", "a\r\nb", "a  b"},
		{"NUL ends a text for C", "a\x00b", "a b"},
		{"a mark of bidirectional text shows it in another order", "a\u202eb\u2066c", "a b c"},
		{"a letter without a form", "a\u3164b", "a b"},
		{"a mark without a form", "a\u034fb\ufe0f", "a b "},
		{"a line separator", "a\u2028b", "a b"},
		{"bytes that are not UTF-8", "a\xff\xc3", "a"},
		{"the limit is within a character", "12345678ä", "12345678…"},
	} {
		if got := Printable(test.text, 9+strings.Count(test.text, " ")*100); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", test.reason, test.text, got, test.want)
		}
	}
	if got, want := Lines("a\x1b[2J\r\nb\n"), "a [2J \nb\n"; got != want {
		t.Errorf("lines of a text: %q, want %q", got, want)
	}
}
