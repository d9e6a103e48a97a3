package composite

import "strings"

// maxValueBytes is the maximum length of a value from a request in a response or in the log.
const maxValueBytes = 200

// Shorten returns the first 200 bytes of a value that a caller has sent, so that no caller fills a log.
func Shorten[T ~string | ~[]byte](value T) string {
	if len(value) <= maxValueBytes {
		return string(value)
	}
	return strings.ToValidUTF8(string(value[:maxValueBytes]), "") + "…"
}
