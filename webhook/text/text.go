// Package text shortens and cleans texts of users, containers and servers, before they are part of an error, a condition, a log or the
// output of a command.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxValueBytes is the maximum length of a value that a message quotes.
const maxValueBytes = 200

// Value returns the printable form of a value that a message quotes, at most 200 bytes.
func Value[T ~string | ~[]byte](value T) string { return Printable(value, maxValueBytes) }

// Printable returns the first bytes of a text in one line. Each character that a terminal may execute, such as ESC, that changes the
// order of others, such as U+202E, or that nobody sees, becomes a space.
func Printable[T ~string | ~[]byte](value T, maxBytes int) string {
	if len(value) <= maxBytes {
		return strings.Map(printable, string(value))
	}
	return strings.Map(printable, string(value[:maxBytes])) + "…"
}

// Lines returns the printable form of all lines of a text.
func Lines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return printable(r)
	}, text)
}

// IsPrintable reports whether everybody sees a character, no terminal executes it, and it does not change the order of others.
func IsPrintable(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func printable(r rune) rune {
	switch {
	case r == utf8.RuneError: // also for bytes that are not UTF-8
		return -1
	case IsPrintable(r):
		return r
	}
	return ' '
}
